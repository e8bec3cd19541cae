"""On Spark: skew, overhead and Splink, as lines `part,what,value`. And what a plan says of a billion records, by rates measured here.

Arguments: a folder to work in, people as CSV, records of them that Splink is given. Spark runs in this process, on all cores. What its
Python workers take is measured by themselves, as CPU time; what is shuffled is what Spark says of its stages.
"""

import json
import os
import shutil
import sys
import time
import urllib.request
from pathlib import Path

os.environ["PYSPARK_PYTHON"] = sys.executable

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
from pyspark.sql import SparkSession

import hyperblock as hb
import hyperblock.spark as hs
from hyperblock import _native
from hyperblock._spread import planned
from hyperblock.spark import _job

folder, people_csv, n_splink = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
MEMORY = 1 << 30
CORES = 16
"""That are planned for: so many packs three times, however many cores there are here."""
RULES = {
    "phone": "l.phone = r.phone",
    "zip, alike": "l.zip = r.zip AND abs(l.birth_year - r.birth_year) <= 1 AND levenshtein_similarity(l.last_name, r.last_name) >= 0.8",
    "birthday": "l.birth_date = r.birth_date AND l.city = r.city AND jaro_winkler(l.first_name, r.first_name) >= 0.85",
    "address": "l.last_name = r.last_name AND l.street = r.street",
}
EQUALITIES = {
    "phone": "l.phone = r.phone",
    "zip": "l.zip = r.zip AND l.birth_year = r.birth_year AND l.first_name = r.first_name",
    "birthday": "l.birth_date = r.birth_date AND l.city = r.city",
    "address": "l.last_name = r.last_name AND l.street = r.street",
}
"""Rules that Splink's blocking says in the same words."""


def say(part: str, what: str, value: object) -> None:
    print(f"{part},{what},{value}", flush=True)


PAPER = RULES | {
    "zip, alike": "l.zip = r.zip AND l.birth_year = r.birth_year AND levenshtein_similarity(l.last_name, r.last_name) >= 0.8",
}
"""Of a billion people a zip alone says too little: of each there are thousands in any town."""


def table_of(rows: int | None = None, is_skewed: bool = True) -> pa.Table:
    """People as text, but for what rules count; if skewed, a fifth of them in one zip."""
    kept = ["id", "first_name", "last_name", "street", "city", "zip", "phone", "birth_date", "birth_year"]
    types = {name: pa.string() for name in kept} | {"birth_year": pa.int64()}
    options = pyarrow.csv.ConvertOptions(column_types=types, include_columns=kept, strings_can_be_null=True)
    table = pyarrow.csv.read_csv(people_csv, convert_options=options)
    if not is_skewed:
        return table
    zips = pa.array(["10115" if nth % 5 == 0 else None for nth in range(len(table))], pa.string())
    table = table.set_column(table.column_names.index("zip"), "zip", pc.coalesce(zips, table.column("zip")))
    return table if rows is None else table.slice(0, rows)


def noted(kind: str, make):
    """The same functions, which note what CPU time they take of the worker, and of how many rows."""
    notes = str(folder / "notes")

    def noting(cpu: float, rows: int) -> None:
        with open(f"{notes}/{kind}-{os.getpid()}", "a") as file:
            file.write(f"{cpu} {rows}\n")

    def made(*arguments):
        work = make(*arguments)

        def covered(batches):
            rows = 0

            def counted():
                nonlocal rows
                for batch in batches:
                    rows += batch.num_rows
                    yield batch

            begin = time.process_time()
            for found in work(counted()):
                yield found
            noting(time.process_time() - begin, rows)

        def solved(unit, rows):
            begin = time.process_time()
            found = work(unit, rows)
            noting(time.process_time() - begin, len(rows))
            return found

        return covered if kind == "cover" else solved

    return made


def notes(kind: str) -> tuple[float, int]:
    """CPU seconds and rows, in all."""
    lines = [line.split() for file in (folder / "notes").glob(f"{kind}-*") for line in file.read_text().splitlines()]
    return sum(float(cpu) for cpu, _ in lines), sum(int(rows) for _, rows in lines)


def asked(spark: SparkSession, path: str):
    context = spark.sparkContext
    # Past any proxy: it is this process that answers.
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/{path}", timeout=60) as answer:
        return json.load(answer)


def last_shuffle(spark: SparkSession) -> tuple[int, list[dict]]:
    """The bytes of the largest shuffle there was, and the tasks that read it."""
    time.sleep(2)
    stages = [stage for stage in asked(spark, "stages") if stage["status"] == "COMPLETE"]
    writes = max(stages, key=lambda stage: stage["shuffleWriteBytes"])
    reads = max(stages, key=lambda stage: stage["shuffleReadBytes"])
    tasks = asked(spark, f"stages/{reads['stageId']}/{reads['attemptId']}/taskList?length=100000")
    return writes["shuffleWriteBytes"], tasks


def sorted_pairs(table: pa.Table) -> pa.Table:
    # Of all text, and in one order.
    return table.select(["left", "right", "rule"]).cast(pa.schema([(name, pa.string()) for name in ("left", "right", "rule")])).sort_by(
        [("left", "ascending"), ("right", "ascending")]
    )


def skew_and_overhead(spark: SparkSession) -> dict[str, float]:
    table = table_of()
    path = str(folder / "people.parquet")
    spark.createDataFrame(table).repartition(8).write.mode("overwrite").parquet(path)
    begin, cpu = time.perf_counter(), time.process_time()
    single = hb.dedupe(table, RULES, id="id", device="cpu").to_arrow()
    wall, single_cpu = time.perf_counter() - begin, time.process_time() - cpu
    say("skew", "records", len(table))
    say("skew", "pairs", len(single))
    frame = spark.read.parquet(path)
    told = hs.explain(frame, RULES, id="id", worker_memory=MEMORY, cores=CORES, format="json")
    _job.covering, _job.solving = noted("cover", _job.covering), noted("solve", _job.solving)
    begin = time.perf_counter()
    found = hs.dedupe(frame, RULES, id="id", worker_memory=MEMORY, cores=CORES)
    # What planning did of cover, to know the size of rows, does not count.
    planning = time.perf_counter() - begin
    shutil.rmtree(folder / "notes")
    (folder / "notes").mkdir()
    found = found.toArrow()
    spark_wall = time.perf_counter() - begin
    assert sorted_pairs(found).equals(sorted_pairs(single)), "Spark finds other pairs"
    say("skew", "equal to the single run", "yes")
    written, tasks = last_shuffle(spark)
    records = [task["taskMetrics"]["shuffleReadMetrics"]["recordsRead"] for task in tasks]
    seconds = [task["taskMetrics"]["executorRunTime"] / 1000 for task in tasks]
    for what in ("units", "packs", "copies"):
        say("skew", what, told[what])
    say("skew", "copies shuffled", sum(records))
    say("skew", "bytes predicted", told["bytes_to_shuffle"])
    say("skew", "bytes shuffled", written)
    say("skew", "predicted by shuffled", round(told["bytes_to_shuffle"] / written, 3))
    say("skew", "largest task by the mean in records", round(max(records) * len(records) / sum(records), 3))
    pairs = told["largest_pack"]
    say("skew", "largest pack by the mean in pairs", round(pairs["pairs"] / max(pairs["mean_pairs"], 1), 3))
    say("skew", "longest task by the mean in seconds", round(max(seconds) * len(seconds) / sum(seconds), 3))
    (cover, n_covered), (solve, n_solved) = notes("cover"), notes("solve")
    for what, value in [
        ("CPU seconds of the single run", single_cpu), ("seconds of the single run", wall), ("CPU seconds of cover", cover),
        ("CPU seconds of solve", solve), ("cover and solve by the single run", (cover + solve) / single_cpu),
        ("seconds on Spark", spark_wall), ("seconds of planning", planning),
    ]:  # fmt: skip
        say("overhead", what, round(value, 3))
    return dict(cover=cover / max(n_covered, 1), solve=solve / max(n_solved, 1), bytes=written / max(sum(records), 1), wall=sum(seconds) / max(sum(records), 1))


def splink(spark: SparkSession) -> None:
    import splink

    table = table_of(n_splink)
    frame = spark.createDataFrame(table).repartition(4).cache()
    frame.count()
    begin = time.perf_counter()
    ours = hs.dedupe(frame, EQUALITIES, id="id", worker_memory=MEMORY).select("left", "right").toArrow()
    our_seconds = time.perf_counter() - begin
    settings = splink.SettingsCreator(
        link_type="dedupe_only", unique_id_column_name="id", blocking_rules_to_generate_predictions=list(EQUALITIES.values())
    )
    begin = time.perf_counter()
    # Its functions of Java are for measures, of which there are none here.
    api = splink.SparkAPI(spark_session=spark, register_udfs_automatically=False, num_partitions_on_repartition=8)
    linker = splink.Linker(api.register(frame), settings)
    found = linker.inference.deterministic_link().as_spark_dataframe()
    theirs = found.select("id_l", "id_r").toArrow()
    their_seconds = time.perf_counter() - begin

    def of(pairs: pa.Table) -> set:
        return {tuple(sorted(row.values())) for row in pairs.to_pylist()}

    assert of(ours) == of(theirs), f"{len(ours)} pairs, and Splink finds {len(theirs)}"
    say("splink", "version", splink.__version__)
    say("splink", "records", len(table))
    say("splink", "pairs of both", len(ours))
    say("splink", "our seconds", round(our_seconds, 3))
    say("splink", "Splink's seconds", round(their_seconds, 3))
    say("splink", "Splink's time by ours", round(their_seconds / our_seconds, 3))


def paper(rates: dict[str, float]) -> None:
    """A billion records on 100 workers of 16 cores and 64 GB: the table here is its sample."""
    workers, cores, n = 100, 16, 10**9
    memory = 64 * 10**9 // cores // 2
    sample = table_of(is_skewed=False)
    spread = planned([sample], [n], PAPER, id="id", right_id=None, worker_memory=memory, cores=workers * cores)
    told, all_cores = spread.told, workers * cores
    copies = told["copies"]
    shuffled = copies * rates["bytes"]
    say("paper", "records", n)
    for what in ("units", "packs", "copies"):
        say("paper", what, told[what])
    say("paper", "bytes of the plan", len(spread.plan))
    say("paper", "bytes to shuffle", round(shuffled))
    say("paper", "bytes of ids", told["bytes_of_ids"])
    say("paper", "records of the largest pack", told["largest_pack"]["records"])
    say("paper", "pairs by keys", told["pairs"])
    say("paper", "seconds of cover", round(n * rates["cover"] / all_cores, 1))
    # Ten gigabits a second for each worker, in and out.
    say("paper", "seconds of the shuffle", round(shuffled / workers / 1.25e9, 1))
    say("paper", "seconds of solve by records", round(copies * rates["wall"] / all_cores, 1))


def main() -> None:
    shutil.rmtree(folder / "notes", ignore_errors=True)
    (folder / "notes").mkdir(parents=True)
    builder = SparkSession.builder.master("local[*]").config("spark.driver.memory", "4g").config("spark.driver.maxResultSize", "4g")
    builder = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
    spark = builder.config("spark.ui.port", "0").config("spark.sql.shuffle.partitions", "16").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    # Splink puts what it found away, so that it is found once.
    spark.sparkContext.setCheckpointDir(str(folder / "checkpoints"))
    print("part,what,value")
    rates = skew_and_overhead(spark)
    paper(rates)
    splink(spark)


if __name__ == "__main__":
    main()
