"""What may go wrong, and what is said then: wrong rules, tables, devices, files and options."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

import hyperblock as hb

SAME = {"same": "l.a = r.a"}
TABLE = pa.table({"a": ["x", "x"]})


def test_a_wrong_rule_says_where() -> None:
    with pytest.raises(hb.RuleError) as caught:
        hb.dedupe(TABLE, '[[rules]]\nname = "b"\nwhen = "l.a = r.bb"\n', device="cpu")
    error = caught.value
    assert error.line == 3 and error.column == 15 and "`bb`" in error.message
    assert error.message in str(error) and isinstance(error, hb.HyperblockError)


def test_a_wrong_rule_helps() -> None:
    with pytest.raises(hb.RuleError) as caught:
        hb.dedupe(TABLE, {"b": "levenstein(l.a, r.a) <= 1"}, device="cpu")
    assert caught.value.help is not None and "levenshtein" in caught.value.help


def test_errors_can_be_pickled() -> None:
    with pytest.raises(hb.RuleError) as caught:
        hb.dedupe(TABLE, {"b": "l.a = "}, device="cpu")
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.line == caught.value.line


def test_a_device_that_is_not_there() -> None:
    with pytest.raises(hb.DeviceError):
        hb.dedupe(TABLE, SAME, device="cuda:63")
    with pytest.raises(ValueError, match="cuda:N"):
        hb.dedupe(TABLE, SAME, device="gpu")


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no such file.csv"):
        hb.dedupe("no such file.csv", SAME, device="cpu")
    with pytest.raises(OSError, match="none.toml"):
        hb.dedupe(TABLE, tmp_path / "none.toml", device="cpu")
    with pytest.raises(OSError, match="none.csv"):
        hb.resolve(TABLE, SAME, truth=tmp_path / "none.csv", device="cpu")


def test_errors_that_cannot_be_written(tmp_path: Path) -> None:
    truth = tmp_path / "truth.csv"
    truth.write_text("id_a,id_b\n1,2\n")
    with pytest.raises(ValueError, match="errors: only a truth says what they are"):
        hb.dedupe(TABLE, SAME, errors=tmp_path / "errors.csv", device="cpu")
    with pytest.raises(ValueError, match="errors.pdf"):
        hb.resolve(TABLE, SAME, truth=truth, errors=tmp_path / "errors.pdf", device="cpu")
    with pytest.raises(ValueError, match="that is the truth, which would be lost"):
        hb.dedupe(TABLE, SAME, truth=truth, errors=truth, device="cpu")
    assert truth.read_text() == "id_a,id_b\n1,2\n"


def test_a_file_that_is_no_table(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('a,b\n1,2\n"3')
    with pytest.raises(hb.TableError, match="t.csv"):
        hb.dedupe(tmp_path / "t.csv", SAME, device="cpu")


def test_an_id_column_that_is_not_there() -> None:
    with pytest.raises(hb.TableError, match="`key`"):
        hb.dedupe(TABLE, SAME, id="key", device="cpu")


def test_ids_that_are_not_there() -> None:
    with pytest.raises((hb.TableError, ValueError), match="99"):
        hb.why(1, 99, TABLE, SAME)


def test_more_pairs_than_allowed() -> None:
    with pytest.raises(ValueError, match="2"):
        hb.dedupe(pa.table({"a": ["x"] * 3}), SAME, max_pairs=2, device="cpu")
    assert len(hb.dedupe(pa.table({"a": ["x"] * 3}), SAME, max_pairs=3, device="cpu")) == 3


def test_large_blocks_are_left_out() -> None:
    found = hb.dedupe(pa.table({"a": ["x", "x", "x", "y", "y"]}), SAME, max_block=2, device="cpu")
    assert found.to_arrow().to_pylist() == [{"left": 4, "right": 5, "rule": "same"}]


@pytest.mark.parametrize("name", ["threads", "memory", "device_memory", "max_pairs", "max_block"])
def test_numbers_are_whole(name: str) -> None:
    for wrong in ("2", 1.5, True):
        options: dict[str, Any] = {name: wrong}
        with pytest.raises(TypeError, match=f"^{name}: a whole number"):
            hb.dedupe(TABLE, SAME, **options)
    for wrong in (-1, 2**64):
        with pytest.raises(ValueError, match=f"^{name}: "):
            hb.dedupe(TABLE, SAME, **{name: wrong})


@pytest.mark.parametrize(
    "options, kind",
    [
        (dict(id=1), TypeError), (dict(device=0), TypeError), (dict(device=None), TypeError), (dict(progress=1), TypeError),
        (dict(method="some"), ValueError), (dict(truth=1), TypeError), (dict(right=[1]), TypeError), (dict(threads=0), ValueError),
    ],
    ids=str,
)  # fmt: skip
def test_an_option_is_named(options: dict[str, Any], kind: type[Exception]) -> None:
    with pytest.raises(kind, match=next(iter(options)) if "truth" not in options else "PathLike"):
        hb.resolve(TABLE, SAME, **options)


def test_an_option_that_is_not_there() -> None:
    with pytest.raises(TypeError, match="max_pear"):
        hb.dedupe(TABLE, SAME, max_pear=1)  # type: ignore[call-arg]


def test_thresholds() -> None:
    pairs = pa.table({"left": [1], "right": [2], "score": [0.5]})
    for wrong in (-0.1, 1.5, float("nan"), "much"):
        with pytest.raises(ValueError, match="^threshold: a number from 0 to 1"):
            hb.cluster(pairs, threshold=wrong)
    with pytest.raises(TypeError, match="^threshold: "):
        hb.cluster(pairs, threshold=[])  # type: ignore[arg-type]
    for right in (0.5, "0.5", 1e-7, 0):
        assert len(hb.cluster(pairs, threshold=right, device="cpu")) == 2


@pytest.mark.parametrize("wrong", [[1, 2], 5, None, pl.LazyFrame({"a": [1]})], ids=lambda wrong: type(wrong).__name__)
def test_what_is_no_table(wrong: Any) -> None:
    if hasattr(wrong, "__arrow_c_stream__"):
        pytest.skip("this Polars streams a lazy frame")
    with pytest.raises((TypeError, AttributeError)):
        hb.dedupe(wrong, SAME)


def test_what_are_no_rules() -> None:
    for wrong in ([("only a name",)], ["text"], 5, [("a", 1)]):
        with pytest.raises(TypeError, match="^rules: "):
            hb.dedupe(TABLE, wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="^rules: there is none"):
        hb.dedupe(TABLE, [])


def test_rules_in_all_forms(tmp_path: Path) -> None:
    text = '[[rules]]\nname = "a \\"b\\" \\u007f"\nwhen = "l.a = r.a"\n'
    (tmp_path / "rules.toml").write_text(text)
    forms: list[Any] = [text, tmp_path / "rules.toml", str(tmp_path / "rules.toml"), [('a "b" \x7f', "l.a = r.a")], {'a "b" \x7f': "l.a = r.a"}]
    answers = [hb.dedupe(TABLE, rules, device="cpu").to_arrow().to_pylist() for rules in forms]
    assert answers == [[{"left": 1, "right": 2, "rule": 'a "b" \x7f'}]] * len(forms)


def test_a_stream_that_breaks() -> None:
    def batches() -> Any:
        yield pa.record_batch({"a": ["x"]})
        raise RuntimeError("the source is gone")

    broken = pa.RecordBatchReader.from_batches(pa.schema({"a": pa.string()}), batches())
    with pytest.raises(Exception, match="the source is gone"):
        hb.dedupe(broken, SAME, device="cpu")
    assert len(hb.dedupe(TABLE, SAME, device="cpu")) == 1


def test_a_capsule_that_is_none() -> None:
    class Liar:
        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
            return "no capsule"

    with pytest.raises(Exception, match="(?i)capsule"):
        hb.dedupe(Liar(), SAME, device="cpu")


def test_a_missing_tqdm_is_said() -> None:
    code = (
        "import sys; sys.modules['tqdm'] = sys.modules['tqdm.auto'] = None\n"
        "import hyperblock as hb, pyarrow as pa\n"
        "try: hb.dedupe(pa.table({'a': ['x']}), {'a': 'l.a = r.a'}, progress=True)\n"
        "except ImportError as error: print(error)\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "pip install tqdm" in said


def test_what_is_doubtful_is_a_warning_of_the_callers_line() -> None:
    table = pa.table({"a": [1.0, float("nan"), 1.0]})
    with pytest.warns(UserWarning, match="row 2, column `a`: `NaN` .* counts as missing") as caught:
        assert len(hb.dedupe(table, {"same": "l.a = r.a"}, device="cpu")) == 1
    assert caught[0].filename == __file__


def test_a_missing_file_is_pythons_own_error() -> None:
    with pytest.raises(FileNotFoundError, match="No such file") as caught:
        hb.dedupe("no such table.csv", {"same": "l.a = r.a"}, device="cpu")
    assert caught.value.filename == "no such table.csv"
