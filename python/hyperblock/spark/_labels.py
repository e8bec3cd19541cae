"""Labels of packs: whole numbers that Spark's hash partitioning sends to one partition each.

`repartition(n, "label")` puts a row into the partition murmur3(label) mod n, with seed 42. Plain numbers from 0 to n would share
partitions, and leave others empty. So a label is looked for whose partition is the pack's own. Where another engine hashes
otherwise, packs share partitions there, and nothing else changes.
"""

from __future__ import annotations

_WORD = 0xFFFFFFFF
_SEED = 42


def labels(n_packs: int) -> list[int]:
    """By pack: its label, of so many packs and as many partitions.

    >>> [murmur3(label) % 3 for label in labels(3)]
    [0, 1, 2]
    """
    found: list[int | None] = [None] * n_packs
    missing, label = n_packs, 0
    while missing:
        at = murmur3(label) % n_packs
        if found[at] is None:
            found[at] = label
            missing -= 1
        label += 1
    return [label for label in found if label is not None]


def murmur3(number: int) -> int:
    """Spark's hash of an integer of 32 bits (`Murmur3_x86_32.hashInt`), as a signed one.

    >>> murmur3(1), murmur3(0)
    (-559580957, 933211791)
    """
    word = _turned((number * 0xCC9E2D51) & _WORD, 15) * 0x1B873593 & _WORD
    mixed = (_turned(_SEED ^ word, 13) * 5 + 0xE6546B64) & _WORD
    # Four bytes were hashed.
    mixed ^= 4
    mixed = (mixed ^ mixed >> 16) * 0x85EBCA6B & _WORD
    mixed = (mixed ^ mixed >> 13) * 0xC2B2AE35 & _WORD
    mixed ^= mixed >> 16
    return mixed - (1 << 32) if mixed >> 31 else mixed


def _turned(word: int, by: int) -> int:
    return (word << by | word >> 32 - by) & _WORD
