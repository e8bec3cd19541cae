"""DuckDB: the jobs over people as `job_peers.py` has them, and a plain join."""


class Peer(DuckDB):
    def equal(self):
        return self.pairs("l.zip = r.zip AND l.birth_year = r.birth_year", "true")


PROGRAMS = {"duckdb": Peer}


