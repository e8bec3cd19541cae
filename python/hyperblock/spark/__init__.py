"""hyperblock on Spark: the same pairs and entities, of tables that one machine is too small for.

`dedupe`, `link` and `resolve` take DataFrames and give DataFrames; `explain` says what they would copy and shuffle. The API of
DataFrames alone is used, so that it runs on clusters of Spark, over Spark Connect and on Sail. docs/spark.md is a tour.

    ids, counts, samples ─► plan ─► cover ─► repartition by pack ─► solve, unit by unit ─► pairs ─► forests ─► entities
"""

from ._explain import explain
from ._find import dedupe, link
from ._resolve import resolve

__all__ = ["dedupe", "explain", "link", "resolve"]
