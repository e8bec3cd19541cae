"""The pages on Python are run as they are, block by block, in one namespace each: what they show holds. What another page has DuckDB do is
done, too."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import duckdb
import pytest
from given import PEOPLE, ROOT, said


@pytest.mark.parametrize("page", ["python.md", "splink.md", "differences.md"])
@pytest.mark.filterwarnings("ignore")
def test_page(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    if page == "splink.md":
        pytest.importorskip("splink")
    if page == "differences.md":
        pytest.importorskip("rapidfuzz")
        pytest.importorskip("jellyfish")
    monkeypatch.chdir(ROOT)
    text = (ROOT / "docs" / page).read_text()
    # A page may write files to `folder`, and says so to nobody: it is the reader's.
    names = {"folder": str(tmp_path), "__name__": page}
    blocks = list(re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    assert blocks
    for block in blocks:
        # Lines are those of the page, so that a trace points into it.
        before = "\n" * text[: block.start(1)].count("\n")
        exec(compile(before + block.group(1), page, "exec"), names)
    printed = capsys.readouterr().out
    # What a page says that it prints.
    for said in re.findall(r"^print\(.*\) +# (<.*>)$", text, re.MULTILINE):
        assert said in printed


def test_duckdb_reads_the_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs/values.md").read_text()
    command = re.search(r"^\$ hyperblock (.* -o pairs\.parquet .*)$", text, re.MULTILINE)
    block = re.search(r"^```sql,ignore DuckDB reads it\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert command and block
    shutil.copytree(PEOPLE, tmp_path / "examples/people")
    monkeypatch.chdir(tmp_path)
    said(*shlex.split(command.group(1)))
    differ, rules, joined, written = [duckdb.sql(query) for query in block.group(1).split(";")[:-1]]
    pairs = duckdb.sql("FROM 'pairs.parquet'").fetchall()
    assert pairs
    assert len(differ.fetchall()) == sum(rule == "same contact" and None not in (l, r) and l != r for _, _, rule, *_, l, r in pairs)
    assert sum(n for _, n, _ in rules.fetchall()) == len(pairs)
    assert {rule for rule, *_ in joined.fetchall()} <= {rule for _, _, rule, *_ in pairs}
    same_city = [(left, right) for left, right, *_, l, r in pairs if l is not None and l == r]
    assert written.fetchall() == [(len(same_city),)]
    assert duckdb.sql("FROM 'kept.parquet'").fetchall() == same_city
