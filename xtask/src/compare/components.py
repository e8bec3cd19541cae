"""Connected components: pairs from a file, and an entity for each record of them to a file. Polars reads and writes."""


class Components:
    def __init__(self):
        import numpy
        import polars

        self.numpy, self.polars = numpy, polars

    def run(self, job, table, output):
        np, pairs = self.numpy, self.polars.read_csv(table)
        left, right = (pairs[side].to_numpy() for side in ("left", "right"))
        n = int(max(left.max(), right.max())) + 1
        labels = self.label(left, right, n)
        is_there = np.zeros(n, dtype=bool)
        is_there[left] = is_there[right] = True
        ids = np.nonzero(is_there)[0]
        entities = self.polars.DataFrame({"id": ids, "entity_id": labels[ids]})
        entities.write_csv(output)
        return entities.height


