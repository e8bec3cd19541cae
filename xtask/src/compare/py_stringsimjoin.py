"""py_stringsimjoin, on all cores."""


class Peer(Sets):
    def __init__(self):
        super().__init__("py_stringsimjoin")

    def find(self, texts, q, least):
        join, pairs = py_stringsimjoin(texts, q, float(least), os.cpu_count())
        return pairs(join())


PROGRAMS = {"py_stringsimjoin": Peer}


