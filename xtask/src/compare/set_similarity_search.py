"""SetSimilaritySearch, which has one thread."""


class Peer(Sets):
    def __init__(self):
        super().__init__("SetSimilaritySearch")

    def find(self, texts, q, least):
        join, pairs = set_similarity_search(texts, q, float(least), 1)
        return pairs(join())


PROGRAMS = {"SetSimilaritySearch": Peer}


