"""Polars, with the measures of texts that the package polars-ds adds."""


class Peer(Polars):
    # The package adds what is missing.
    WITHOUT = {}
    # Rows of one side of a product: all pairs at once are more than memory holds.
    ROWS = 256

    def __init__(self):
        import polars_ds

        super().__init__()
        self.measures = polars_ds
        self.version = f"{self.version} with polars-ds {polars_ds.__version__}"

    def run(self, job, table, output):
        pairs = getattr(self, job)(self.people(table))
        pairs.write_csv(output)
        return pairs.height

    def equal(self, people):
        return self.joined(people, ["zip", "birth_year"], self.polars.lit(True))

    def e1(self, people):
        return self.joined(people, ["zip"], self.within("last_name", 2), "last_name")

    def e2(self, people):
        alike = self.measures.str_jw("last_name", "last_name_right") >= 0.9
        names = self.joined(people, ["zip"], alike, "last_name")
        phones = self.joined(people, ["phone"], self.polars.lit(True))
        descriptions = self.similar_sets("e2", people, ["birth_year"])
        return self.polars.concat([names, phones, descriptions]).unique()

    def s1w(self, people):
        return self.similar_sets("s1w", people)

    def s1g(self, people):
        return self.similar_sets("s1g", people)

    def s1l(self, people):
        streets = people.select("id", "street").drop_nulls().collect()
        found = []
        for start in range(0, streets.height, self.ROWS):
            rows = streets.slice(start, self.ROWS).lazy()
            # Ids ascend: those before have been the other side already.
            pairs = rows.join(streets.slice(start).lazy(), how="cross")
            found.append(self.kept(pairs, self.within("street", 3)))
        return self.polars.concat(found)

    def within(self, column, tenths):
        """At most so many edits by tenths of the longer text."""
        other = f"{column}_right"
        length = lambda name: self.polars.col(name).str.len_chars().cast(self.polars.Int64)
        longer = self.polars.max_horizontal(length(column), length(other))
        return self.measures.str_leven(column, other).cast(self.polars.Int64) * 10 <= longer * tenths

    def joined(self, people, keys, holds, *columns):
        """Pairs of people with the same keys on which something holds."""
        people = people.select("id", *keys, *columns).drop_nulls()
        return self.kept(people.join(people, on=keys), holds)

    def kept(self, pairs, holds):
        col = self.polars.col
        pairs = pairs.filter(col("id") < col("id_right")).filter(holds)
        return pairs.select(left="id", right="id_right").collect(engine="streaming")


PROGRAMS = {"polars": Peer}


