"""E1 from a table in memory, beside the command line from Parquet: seconds of each run, by turns.

Arguments: the program, a folder to work in, people as CSV, how often.
"""

import subprocess
import sys
import time
from pathlib import Path

import pyarrow.csv
import pyarrow.parquet

import hyperblock

program, folder, people, runs = sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
folder.mkdir(parents=True, exist_ok=True)
when = "l.zip = r.zip AND levenshtein_similarity(l.last_name, r.last_name) >= 0.8"
rules, parquet, found = folder / "rules.toml", folder / "people.parquet", folder / "pairs.arrow"
rules.write_text(f'[[rules]]\nname = "E1"\nwhen = "{when}"\n')
# As text, which is what the program takes them for.
as_text = pyarrow.csv.ConvertOptions(column_types={"zip": "string", "last_name": "string"})
table = pyarrow.csv.read_csv(people, convert_options=as_text)
pyarrow.parquet.write_table(table, parquet)


def of_program() -> int:
    subprocess.run([program, "dedupe", parquet, "-r", rules, "-o", found, "--device", "cpu", "-q"], check=True)
    return -1


def of_python() -> int:
    return len(hyperblock.dedupe(table, rules, device="cpu"))


print("side,run,seconds,pairs")
for run in range(runs + 1):
    for side, work in [("program", of_program), ("python", of_python)]:
        start = time.perf_counter()
        n_pairs = work()
        seconds = time.perf_counter() - start
        if n_pairs < 0:
            n_pairs = pyarrow.ipc.open_file(found).read_all().num_rows
        # The first run warms caches up, and does not count.
        if run > 0:
            print(f"{side},{run},{seconds:.4f},{n_pairs}", flush=True)
