"""hyperblock: the pairs of records that may be the same thing, exactly those that some rule allows.

>>> import hyperblock as hb
>>> import pyarrow as pa
>>> people = pa.table({"id": [1, 2, 3], "name": ["Ann", "Anne", "Bob"], "city": ["Leeds", "Leeds", "York"]})
>>> pairs = hb.dedupe(people, [("same city", "l.city = r.city")], device="cpu")
>>> pairs
<hyperblock.Pairs: 1 rows>
>>> pairs.to_arrow().to_pylist()
[{'left': 1, 'right': 2, 'rule': 'same city'}]

`dedupe` and `link` find pairs, `cluster` makes entities of them, `resolve` does both. `fit` estimates the weights of a score.
`explain` and `why` tell how and why. `closure` is for graphs. docs/python.md is a tour.
"""

from ._entities import cluster, closure, fit, resolve
from ._errors import DeviceError, HyperblockError, InternalError, RuleError, TableError
from ._find import dedupe, link
from ._inspect import devices, explain, why
from ._native import __version__
from ._rows import Entities, Pairs
from ._splink import from_splink

__all__ = [
    "DeviceError",
    "Entities",
    "HyperblockError",
    "InternalError",
    "Pairs",
    "RuleError",
    "TableError",
    "__version__",
    "closure",
    "cluster",
    "dedupe",
    "devices",
    "explain",
    "fit",
    "from_splink",
    "link",
    "resolve",
    "why",
]
