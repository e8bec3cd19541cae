"""NetworKit: components by all cores."""


class Peer(Components):
    def __init__(self):
        import networkit

        super().__init__()
        self.networkit = networkit
        self.version = networkit.__version__

    def label(self, left, right, n):
        graph = self.networkit.Graph(n)
        graph.addEdges((left, right))
        found = self.networkit.components.ParallelConnectedComponents(graph, False)
        found.run()
        return self.numpy.array(found.getPartition().getVector())


PROGRAMS = {"networkit": Peer}


