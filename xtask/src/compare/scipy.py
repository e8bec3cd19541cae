"""scipy: components of a sparse matrix."""


class Peer(Components):
    def __init__(self):
        import scipy
        import scipy.sparse.csgraph

        super().__init__()
        self.scipy = scipy
        self.version = scipy.__version__

    def label(self, left, right, n):
        ones = self.numpy.ones(len(left), dtype=self.numpy.int8)
        graph = self.scipy.sparse.coo_matrix((ones, (left, right)), shape=(n, n)).tocsr()
        return self.scipy.sparse.csgraph.connected_components(graph, directed=False)[1]


PROGRAMS = {"scipy": Peer}


