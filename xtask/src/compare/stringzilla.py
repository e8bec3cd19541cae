"""StringZilla: matrices of edit distances, on blocks of texts as rapidfuzz gets them. It has no bound on distances."""


class Peer(Rapidfuzz):
    def __init__(self):
        import numpy
        import stringzilla
        import stringzillas

        self.numpy, self.stringzilla = numpy, stringzilla
        self.tables = Polars()
        self.version = f"{stringzilla.__version__} with Polars {self.tables.version}"
        # By whether there is much to do: threads that have little wait for each other longer than that takes.
        cores = {False: 1, True: os.cpu_count()}
        self.scopes = {is_much: stringzillas.DeviceScope(cpu_cores=n) for is_much, n in cores.items()}
        self.levenshtein = {
            is_much: stringzillas.LevenshteinDistances(capabilities=scope) for is_much, scope in self.scopes.items()
        }

    def cdist(self, rows, columns, scorer, cutoff, dtype):
        is_much = len(rows) * len(columns) >= self.MANY
        texts = (self.stringzilla.Strs(side) for side in (rows, columns))
        return scorer[is_much](*texts, device=self.scopes[is_much])


PROGRAMS = {"stringzilla": Peer}


