"""The pages on Python are run as they are, block by block, in one namespace each: what they show holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from given import ROOT


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
