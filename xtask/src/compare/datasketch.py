"""datasketch: candidates by MinHash and locality-sensitive hashing, which may miss some; what they find is then verified."""


class Peer(Sets):
    def __init__(self):
        super().__init__("datasketch")

    def find(self, texts, q, least):
        from datasketch import MinHash, MinHashLSH

        sets = ([token.encode() for token in tokens(text, q)] for text in texts)
        index = MinHashLSH(threshold=float(least), num_perm=128)
        for row, sketch in enumerate(MinHash.generator(sets, num_perm=128)):
            # Those that are there already: each pair once.
            for other in index.query(sketch):
                yield other, row
            index.insert(row, sketch, check_duplication=False)


PROGRAMS = {"datasketch": Peer}


