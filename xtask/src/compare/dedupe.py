"""dedupe: entities by a model that learns from labels. It gets so many of the truth, where a person would be asked."""

import csv
import io
import itertools
import json
import random
from importlib.metadata import version

SEED = 1
# Pairs that are the same, and as many that are not.
LABELS = 100
# People that blocks are learnt of: it holds all pairs of each kind of block in memory.
SAMPLE = 500


class Dedupe:
    def __init__(self):
        import dedupe
        import numpy

        self.dedupe, self.numpy = dedupe, numpy
        self.version = version("dedupe")

    def run(self, job, table, output):
        random.seed(SEED)
        self.numpy.random.seed(SEED)
        with open(table, newline="", encoding="utf-8") as file:
            people = {row.pop("id"): {name: value or None for name, value in row.items()} for row in csv.DictReader(file)}
        String, Exact = self.dedupe.variables.String, self.dedupe.variables.Exact
        texts = [String(name, has_missing=True) for name in ("first_name", "last_name", "street", "phone", "email")]
        fields = [*texts, String("birth_date", has_missing=True), Exact("city", has_missing=True)]
        # Those that index all texts take more than minutes and gigabytes for these few people.
        for field in fields:
            field.predicates = [one for one in field.predicates if not isinstance(one, self.dedupe.predicates.IndexPredicate)]
        deduper = self.dedupe.Dedupe(fields)
        labels = self.labels(people, os.path.join(os.path.dirname(table), "truth.csv"))
        sample = dict(random.sample(list(people.items()), SAMPLE))
        deduper.prepare_training(sample, training_file=io.StringIO(json.dumps(labels)))
        deduper.train(index_predicates=False)
        clusters = deduper.partition(people, 0.5)
        pairs = [(ids[0], id) for ids, _ in clusters for id in ids[1:]]
        return write_entities(list(people), pairs, output)

    def labels(self, people, truth):
        """Some pairs of the same entity, and as many of two entities, as near to each other as their last names are."""
        with open(truth, newline="", encoding="utf-8") as file:
            entities = {row["id"]: row["entity_id"] for row in csv.DictReader(file)}
        by = lambda key: itertools.groupby(sorted(people, key=key), key)
        matches = [pair for _, ids in by(entities.get) for pair in itertools.combinations(ids, 2)]
        named = [pair for _, ids in by(lambda id: people[id]["last_name"] or "") for pair in itertools.combinations(ids, 2)]
        distinct = [pair for pair in named if entities[pair[0]] != entities[pair[1]]]
        chosen = {"match": random.sample(matches, LABELS), "distinct": random.sample(distinct, LABELS)}
        as_records = lambda pair: {"__class__": "tuple", "__value__": [people[id] for id in pair]}
        return {kind: [as_records(pair) for pair in pairs] for kind, pairs in chosen.items()}


PROGRAMS = {"dedupe": Dedupe}


