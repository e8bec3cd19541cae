"""Splink 4 on its DuckDB: rules as blocking rules, of which it links all pairs; and entities by the recipe of `quality.py`."""


class Splink:
    def __init__(self):
        import duckdb
        import splink

        self.duckdb, self.splink = duckdb, splink
        self.rules = sys.argv[7]
        self.version = f"{splink.__version__} with DuckDB {duckdb.__version__}"

    def run(self, job, table, output):
        return getattr(self, job)(table, output)

    def e1(self, table, output):
        return self.link(table, [f"l.zip = r.zip AND {within('last_name', 2)}"], output)

    def e2(self, table, output):
        # Sets of grams are a column: a blocking rule would cut both texts of each pair anew.
        common = "len(list_intersect(l.grams, r.grams))"
        rules = [
            "l.zip = r.zip AND jaro_winkler_similarity(l.last_name, r.last_name) >= 0.9",
            "l.phone = r.phone",
            f"l.birth_year = r.birth_year AND 10 * {common} >= 6 * (len(l.grams) + len(r.grams) - {common})",
        ]
        return self.link(table, rules, output, f", list_distinct({DuckDB.TOKENS[GRAMS]}) AS grams")

    def equal(self, table, output):
        return self.link(table, ["l.zip = r.zip AND l.birth_year = r.birth_year"], output)

    def link(self, table, rules, output, more=""):
        database = self.duckdb.connect()
        database.execute("SET enable_progress_bar = false")
        columns = f"id, zip, birth_year, phone, last_name, description{more}"
        texts = ", ".join(f"'{column}': 'VARCHAR'" for column in TEXTS)
        table = f"read_csv('{table}', header = true, types = {{{texts}}})"
        database.execute(f"CREATE TABLE people AS SELECT {columns} FROM {table}")
        settings = self.splink.SettingsCreator(
            link_type="dedupe_only",
            unique_id_column_name="id",
            blocking_rules_to_generate_predictions=rules,
        )
        linker = self.splink.Linker("people", settings, db_api=self.splink.DuckDBAPI(database))
        found = linker.inference.deterministic_link().physical_name
        query = f'SELECT id_l AS "left", id_r AS "right" FROM {found}'
        n_found = database.execute(f"COPY ({query}) TO '{output}' (HEADER)").fetchone()[0]
        database.close()
        return n_found

    def truth(self, table, output):
        """Weights that nobody tuned, by the rules that the command line ends with."""
        import contextlib

        import quality

        sys.argv = ["quality", self.rules, table, "--pairs", f"{output}.pairs", "--entities", output]
        # Its own times would be taken for ours.
        with contextlib.redirect_stdout(sys.stderr):
            quality.main()
        with open(output) as file:
            return sum(1 for _ in file) - 1


PROGRAMS = {"splink": Splink}


