"""StringZilla: matrices of edit distances, on blocks of texts as rapidfuzz gets them. It has no bound on distances."""


class Peer(Rapidfuzz):
    def __init__(self):
        import numpy
        import stringzilla
        import stringzillas

        self.numpy, self.stringzilla = numpy, stringzilla
        self.tables = Polars()
        self.version = f"{stringzilla.__version__} with Polars {self.tables.version}"
        self.cores = stringzillas.DeviceScope(cpu_cores=os.cpu_count())
        self.levenshtein = stringzillas.LevenshteinDistances(capabilities=self.cores)

    def cdist(self, rows, columns, scorer, cutoff, dtype):
        return scorer(self.stringzilla.Strs(rows), self.stringzilla.Strs(columns), device=self.cores)


PROGRAMS = {"stringzilla": Peer}


