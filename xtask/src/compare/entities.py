"""From pairs to entities, for programs that end with pairs of few records; prepended to their scripts."""


def write_entities(ids, pairs, output):
    """Writes each id with the first one that pairs connect it to, and counts them."""
    first = {id: id for id in ids}

    def find(id):
        while first[id] != id:
            first[id] = first[first[id]]
            id = first[id]
        return id

    for left, right in pairs:
        first[find(left)] = find(right)
    with open(output, "w") as file:
        print("id,entity_id", file=file)
        for id in ids:
            print(f"{id},{find(id)}", file=file)
    return len(ids)


