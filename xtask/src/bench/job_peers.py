"""How other programs do the jobs over people, from a CSV file to a CSV file of pairs: two ids a line, the smaller one first,
in no order.

Prepended to what calls them: `job_main.py`, and the scripts of `cargo xtask compare`. Each job is written as one who knows
the program would:

- Integers decide wherever the program lets them: `10 * d <= 2 * length` is a similarity of 0.8 or more, and a double is not.
  Only Jaro-Winkler's similarity is a double, in all programs that have it.
- Similar sets come from an equality. Tokens are ranked, the rarest first. Two sets with so much in common that they are
  similar have some tokens in common among the first ones of each already (Chaudhuri, Ganti and Kaushik, *A primitive
  operator for similarity joins in data cleaning*, ICDE 2006); to ask for several of them instead of one leaves hardly a
  pair that does not hold (Wang, Li and Feng, *Can we beat the prefix filtering?*, SIGMOD 2012).
- DuckDB counts edits of bytes, so letters of more than one byte stand as signs that no name has. It gives a thread 122,880
  rows at least, so that most of these tables would be the work of one: queries are asked in parts, which run side by side.
- Polars has no measure of texts. It is asked in parts, too, so that pairs need not all be in memory.
- rapidfuzz compares texts and does nothing else. Polars reads, joins and writes for it. Texts are sorted by length: what is
  too short is left out, and cdist takes texts several at a time.
"""

# Columns that are not as they look: a zip code may begin with a zero.
TEXTS = ("first_name", "last_name", "street", "city", "zip", "phone", "description")
# What is cut into tokens, the least Jaccard similarity in tenths, and how many of the first tokens must be common: as many
# as leave few pairs, and are found soon.
WORDS, GRAMS = "words", "grams"
SETS = {"s1w": (WORDS, 8, 2), "s1g": (GRAMS, 7, 10), "e2": (GRAMS, 6, 10)}


class DuckDB:
    """SQL. A query names the records that are its part with {part}."""

    LETTERS = ("áéíöüñšÁÉÍÖÜÑŠ", "!#$%&()*+-/:;<")
    TOKENS = {
        WORDS: "list_filter(string_split(description, ' '), lambda word: word <> '')",
        GRAMS: "list_transform(range(1, length(description) - 1), lambda place: substr(description, place, 3))",
    }

    def __init__(self):
        import duckdb

        self.duckdb = duckdb
        self.version = duckdb.__version__

    def run(self, job, table, output):
        # Where it may put what it has no memory for.
        self.database = self.duckdb.connect(config={"temp_directory": f"{output}.temporary"})
        self.n_parts = self.ask("SELECT current_setting('threads')")
        # Parts would wait for each other, and a bar would be printed among the figures.
        self.ask("SET preserve_insertion_order = false")
        self.ask("SET enable_progress_bar = false")
        texts = ", ".join(f"'{column}': 'VARCHAR'" for column in TEXTS)
        ascii = ", ".join(f"translate({column}, '{self.LETTERS[0]}', '{self.LETTERS[1]}') AS {column}"
                          for column in ("last_name", "street"))
        self.ask(f"""CREATE TEMP TABLE people AS
            SELECT id, zip, birth_year, phone, description, {ascii}
            FROM read_csv('{table}', header = true, types = {{{texts}}})""")
        pairs = getattr(self, job)()
        n_found = self.ask(f"COPY ({pairs}) TO '{output}' (FORMAT csv, HEADER)")
        self.database.close()
        return n_found

    def ask(self, query):
        row = self.database.execute(query).fetchone()
        return row and row[0]

    def in_parts(self, query, records="l"):
        parts = (f"{records}.id % {self.n_parts} = {part}" for part in range(self.n_parts))
        return " UNION ALL ".join(query.format(part=part) for part in parts)

    def pairs(self, on, where):
        """Pairs of people."""
        return self.in_parts(f"""SELECT l.id AS "left", r.id AS "right"
            FROM people l JOIN people r ON {on} AND l.id < r.id WHERE {where} AND {{part}}""")

    def e1(self):
        return self.pairs("l.zip = r.zip", within("last_name", 2))

    def e2(self):
        names = self.pairs("l.zip = r.zip", "jaro_winkler_similarity(l.last_name, r.last_name) >= 0.9")
        phones = self.pairs("l.phone = r.phone", "true")
        descriptions = self.similar_sets("e2", " AND l.birth_year = r.birth_year")
        # Not ALL: a pair counts once.
        return f"({names}) UNION ({phones}) UNION ({descriptions})"

    def s1w(self):
        return self.similar_sets("s1w")

    def s1g(self):
        return self.similar_sets("s1g")

    def s1l(self):
        return self.pairs("true", within("street", 3))

    def similar_sets(self, job, on=""):
        kind, tenths, n_common = SETS[job]
        tokens = self.in_parts(f"""SELECT id, birth_year, unnest(list_distinct({self.TOKENS[kind]})) AS token
            FROM people WHERE {{part}}""", "people")
        self.ask(f"CREATE TEMP TABLE tokens AS {tokens}")
        self.ask("""CREATE TEMP TABLE ranks AS
            SELECT token, (row_number() OVER (ORDER BY count(*), token))::INTEGER AS rank FROM tokens GROUP BY token""")
        # A similar set has at least `need` tokens in common with this one.
        self.ask(f"""CREATE TEMP TABLE sets AS
            SELECT id, any_value(birth_year) AS birth_year, count(*)::INTEGER AS n, (n * {tenths} + 9) // 10 AS need,
                list(ranks.rank ORDER BY ranks.rank) AS tokens
            FROM tokens JOIN ranks USING (token) GROUP BY id""")
        self.ask(f"""CREATE TEMP TABLE firsts AS
            SELECT id, birth_year, n, need, unnest(tokens[1:n - need + {n_common}]) AS token FROM sets""")
        candidates = self.in_parts(f"""SELECT l.id AS "left", r.id AS "right"
            FROM firsts l JOIN firsts r ON l.token = r.token{on} AND l.id < r.id
            WHERE least(l.n, r.n) >= greatest(l.need, r.need) AND {{part}}
            GROUP BY l.id, r.id HAVING count(*) >= least({n_common}, any_value(greatest(l.need, r.need)))""")
        self.ask(f"CREATE TEMP TABLE candidates AS {candidates}")
        return f"""SELECT "left", "right" FROM (
            SELECT "left", "right", l.n + r.n AS n, len(list_intersect(l.tokens, r.tokens)) AS common
            FROM candidates JOIN sets l ON l.id = "left" JOIN sets r ON r.id = "right")
            WHERE 10 * common >= {tenths} * (n - common)"""


def within(column, tenths):
    """At most so many edits by tenths of the longer text."""
    l, r = f"l.{column}", f"r.{column}"
    return f"10 * levenshtein({l}, {r}) <= {tenths} * greatest(length({l}), length({r}))"


class Polars:
    """Lazy frames."""

    # Pairs are counted in so many parts, one after the other: all of them at once take more memory, and longer.
    PARTS = 16
    WITHOUT = {"e1": "has no Levenshtein", "e2": "has no Jaro-Winkler", "s1l": "has no Levenshtein"}

    def __init__(self):
        import polars

        self.polars = polars
        self.version = polars.__version__

    def run(self, job, table, output):
        pairs = self.similar_sets(job, self.people(table))
        pairs.write_csv(output)
        return pairs.height

    def people(self, table):
        texts = dict.fromkeys(TEXTS, self.polars.String)
        return self.polars.scan_csv(table, schema_overrides={"id": self.polars.UInt32, **texts})

    def similar_sets(self, job, people, on=()):
        kind, tenths, n_common = SETS[job]
        pl, col = self.polars, self.polars.col
        people = people.select("id", *on, "description").drop_nulls("description")
        if kind == WORDS:
            tokens = people.with_columns(token=col("description").str.split(" ")).explode("token")
            tokens = tokens.filter(col("token") != "")
        else:
            places = pl.int_ranges(0, col("description").str.len_chars().cast(pl.Int64) - 2, dtype=pl.UInt32)
            tokens = people.with_columns(place=places).explode("place").drop_nulls("place")
            tokens = tokens.with_columns(token=col("description").str.slice(col("place"), 3))
        tokens = tokens.select("id", *on, "token").unique().collect(engine="streaming")
        ranks = tokens.group_by("token").len().sort("len", "token")
        ranks = ranks.select("token", rank=pl.int_range(pl.len(), dtype=pl.UInt32))
        sets = tokens.lazy().join(ranks.lazy(), on="token").group_by("id", *on).agg(col("rank").sort())
        # A similar set has at least `need` tokens in common with this one.
        sets = sets.with_columns(n=col("rank").list.len()).with_columns(need=(col("n") * tenths + 9) // 10)
        sets = sets.collect(engine="streaming").lazy()

        firsts = sets.with_columns(col("rank").list.head(col("n") - col("need") + n_common)).explode("rank")
        need = pl.max_horizontal("need", "need_right")

        def candidates(part):
            records = firsts.filter(col("id") % self.PARTS == part)
            pairs = records.join(firsts, on=["rank", *on]).filter(
                col("id") < col("id_right"), pl.min_horizontal("n", "n_right") >= need
            )
            counted = pairs.select("id", "id_right", need=need).group_by("id", "id_right")
            counted = counted.agg(common=pl.len(), need=col("need").max())
            return counted.filter(col("common") >= pl.min_horizontal(pl.lit(n_common), "need"))

        parts = [candidates(part).collect(engine="streaming") for part in range(self.PARTS)]
        candidates = pl.concat(parts).lazy()
        sets = sets.select("id", "rank", "n")
        both = candidates.join(sets, on="id").join(sets, left_on="id_right", right_on="id")
        common = col("rank").list.set_intersection("rank_right").list.len()
        holds = common * 10 >= (col("n") + col("n_right") - common) * tenths
        return both.filter(holds).select(left="id", right="id_right").collect(engine="streaming")


class Rapidfuzz:
    """cdist on blocks of texts, and Polars around it."""

    WITHOUT = dict.fromkeys(("s1w", "s1g"), "has no Jaccard of sets")
    # Rows of a matrix, and cells from which on all cores fill it.
    BLOCK = 1024
    MANY = 1 << 20

    def __init__(self):
        import numpy
        import rapidfuzz

        self.numpy, self.rapidfuzz = numpy, rapidfuzz
        self.levenshtein = rapidfuzz.distance.Levenshtein.distance
        self.tables = Polars()
        self.version = f"{rapidfuzz.__version__} with Polars {self.tables.version}"

    def run(self, job, table, output):
        people = self.tables.people(table)
        pairs = getattr(self, job)(people)
        pairs.write_csv(output)
        return pairs.height

    def e1(self, people):
        return self.alike(self.by_zip(people), self.within(2))

    def e2(self, people):
        names = self.alike(self.by_zip(people), self.jaro_winkler)
        polars, col = self.tables.polars, self.tables.polars.col
        phones = people.select("id", "phone").drop_nulls("phone")
        phones = phones.join(phones, on="phone").filter(col("id") < col("id_right"))
        phones = phones.select(left="id", right="id_right").collect()
        descriptions = self.tables.similar_sets("e2", people, ["birth_year"])
        return polars.concat([names, phones, descriptions]).unique()

    def s1l(self, people):
        streets = people.select("id", "street").drop_nulls("street").collect()
        return self.alike([(streets["id"].to_list(), streets["street"].to_list())], self.within(3))

    def by_zip(self, people):
        """Ids and last names of each zip code that several people have."""
        col, names = self.tables.polars.col, people.select("id", "zip", "last_name").drop_nulls()
        names = names.group_by("zip").agg("id", "last_name").filter(col("id").list.len() > 1)
        return names.select("id", "last_name").collect().iter_rows()

    def alike(self, blocks, measure):
        """Pairs of ids of the same block whose texts are alike."""
        np, found = self.numpy, []
        for ids, texts in blocks:
            order = sorted(range(len(texts)), key=lambda row: len(texts[row]), reverse=True)
            texts = [texts[row] for row in order]
            ids = np.array([ids[row] for row in order], dtype=np.uint32)
            lengths = np.array([len(text) for text in texts])
            for start in range(0, len(texts) - 1, self.BLOCK):
                rows, columns = measure(texts, lengths, start, min(start + self.BLOCK, len(texts)))
                # Each pair once: the block itself is a square.
                is_once = columns > rows
                found.append((ids[start + rows[is_once]], ids[start + columns[is_once]]))
        left, right = (np.concatenate([pair[side] for pair in found] or [[]]) for side in range(2))
        smaller, larger = np.minimum(left, right), np.maximum(left, right)
        return self.tables.polars.DataFrame({"left": smaller, "right": larger})

    def within(self, tenths):
        """At most so many edits by tenths of the longer text, which is the row's."""
        np = self.numpy

        def rows_and_columns(texts, lengths, start, end):
            most = lengths[start:end] * tenths // 10
            # From here on texts are too short even for the shortest row.
            last = np.searchsorted(-lengths, -(((10 - tenths) * lengths[end - 1] + 9) // 10), side="right")
            # Results hold the bound plus one at most, in one byte.
            assert most[0] < 255
            rows, columns = texts[start:end], texts[start : max(last, end)]
            distances = self.cdist(rows, columns, self.levenshtein, int(most[0]), np.uint8)
            return np.nonzero(distances <= most.astype(np.uint8)[:, None])

        return rows_and_columns

    def jaro_winkler(self, texts, _, start, end):
        """A similarity of 0.9 or more."""
        similarity = self.rapidfuzz.distance.JaroWinkler.similarity
        # What is less is 0.
        scores = self.cdist(texts[start:end], texts[start:], similarity, 0.9, self.numpy.float32)
        return self.numpy.nonzero(scores)

    def cdist(self, rows, columns, scorer, cutoff, dtype):
        workers = -1 if len(rows) * len(columns) >= self.MANY else 1
        cdist = self.rapidfuzz.process.cdist
        return cdist(rows, columns, scorer=scorer, score_cutoff=cutoff, dtype=dtype, workers=workers)


PROGRAMS = {"duckdb": DuckDB, "polars": Polars, "rapidfuzz": Rapidfuzz}


