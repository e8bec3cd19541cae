"""What programs that join sets have in common: descriptions from a file, and exact pairs to a file."""

import csv
from fractions import Fraction
from importlib.metadata import version


class Sets:
    # The length of grams, or 0 for words, and the least similarity.
    JOBS = {"s1w": (0, Fraction(8, 10)), "s1g": (3, Fraction(7, 10))}

    def __init__(self, package):
        self.version = version(package)

    def run(self, job, table, output):
        q, least = self.JOBS[job]
        with open(table, newline="", encoding="utf-8") as file:
            rows = [(row["id"], row["description"]) for row in csv.DictReader(file) if row["description"]]
        texts = [text for _, text in rows]
        pairs = exact(texts, q, least, self.find(texts, q, least))
        with open(output, "w") as file:
            print("left,right", file=file)
            file.writelines(f"{rows[left][0]},{rows[right][0]}\n" for left, right in pairs)
        return len(pairs)


