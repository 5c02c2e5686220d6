"""Everyday questions judged by gold queries: what counts as right, as wrong and as refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kgask.answer.pipeline import Pipeline
from kgask.answer.request import AskOptions
from kgask.cli.main import cli
from kgask.errors import UsageError
from kgask.eval.everyday import Gold, Outcome, ask, at_wrong_share, counts, figures, golds_of, is_right, said_quantity
from kgask.pack.store import Pack
from kgask.sets.everyday import EverydayQuestion, load

FAMILY_QUESTIONS = """
- {q: "when was Eve Reed born?", kind: one_hop, gold: "follow(<Eve Reed>, <born>)"}
- {q: "Who are the children of George Hill?", kind: list, gold: "follow(<George Hill>, <child>)"}
- {q: "Who is the sibling of Finn Reed?", kind: one_hop, gold: "<Finn Reed>"}
- {q: "What is the capital of Ben Hill?", kind: unanswerable, gold: none}
- {q: "Who is the sibling of Eve Reed?", kind: unanswerable, gold: none}
"""


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.yaml"
    path.write_text(FAMILY_QUESTIONS, encoding="utf-8")
    return path


def said(text: str | None = None, *ids: int, **more: Any) -> dict[str, Any]:
    """An answer's JSON object, as far as it is judged."""
    return {"answer": text, "entities": [{"id": one} for one in ids], **more}


def gold(text: str, pack: Pack) -> list[Gold]:
    return golds_of(EverydayQuestion(text, "any", (text,)), pack)


# --- what is right ------------------------------------------------------------------------------


def test_a_set_is_right_as_a_whole(family: Pack) -> None:
    golds = gold("follow(<George Hill>, <child>)", family)
    ben, cora = sorted(golds[0].ids)
    assert is_right(golds, said("Cora Reed | Ben Hill", cora, ben))
    assert not is_right(golds, said("Ben Hill", ben))
    assert not is_right(golds, said("Ben Hill | Cora Reed | more", ben, cora, 0 if ben else cora + 1))
    assert not is_right(golds, said("2"))


def test_a_truth_is_right_by_its_word(family: Pack) -> None:
    golds = gold("holds(<George Hill>, <child>, <Ben Hill>)", family)
    assert is_right(golds, said("yes", 3)) and not is_right(golds, said("no")) and not is_right(golds, said("Ben Hill"))


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        (said("2", value={"kind": "number", "low": 2.0, "high": 2.0, "unit": ""}), True),
        (said("2"), True),
        (said("3"), False),
        (said("Ben Hill | Cora Reed", 1, 2), False),  # the members, not their number
    ],
)
def test_a_value_is_right_in_its_interval(family: Pack, answer: dict[str, Any], right: bool) -> None:
    assert is_right(gold("count(follow(<George Hill>, <child>))", family), answer) is right


def test_a_literal_that_a_path_leads_to_may_be_told_as_a_value(family: Pack) -> None:
    golds = gold("follow(<Eve Reed>, <born>)", family)
    assert is_right(golds, said("1901-05-02", *golds[0].ids))
    day = {"kind": "date", "low": "1901-05-02", "high": "1901-05-02", "unit": ""}
    assert is_right(golds, said("1901-05-02", value=day))
    assert not is_right(golds, said("1901-05", value=day | {"low": "1901-05-01", "high": "1901-05-31"}))


def test_units_are_converted() -> None:
    kilometres = said_quantity({"kind": "number", "low": 1.5, "high": 1.5, "unit": "km"}, "")
    assert kilometres == said_quantity(None, "1,500 m")


def test_what_a_number_is_counted_in_may_be_said(family: Pack) -> None:
    golds = gold("count(follow(<George Hill>, <child>))", family)
    assert is_right(golds, said("2 children"))
    assert is_right(golds, said("2 years", value={"kind": "number", "low": 2.0, "high": 2.0, "unit": "years"}))
    assert not is_right(golds, said("between 1 and 2", value={"kind": "number", "low": 1.0, "high": 2.0, "unit": ""}))


def test_of_several_values_all_are_wanted(family: Pack) -> None:
    golds = gold("values(entities(<Eve Reed>, <Finn Reed>), <born>)", family)
    assert is_right(golds, said("1901-05-02 | 1904", *golds[0].ids))
    assert not is_right(golds, said("1901-05-02", sorted(golds[0].ids)[0]))
    assert not is_right(golds, said("1902", value={"kind": "date", "low": "1902-01-01", "high": "1902-12-31"}))


def test_every_part_of_several_questions_counts(family: Pack) -> None:
    golds = gold("<Eve Reed>", family) + gold("count(<Eve Reed>)", family)
    eve = next(iter(golds[0].ids))
    parts = [said("Eve Reed", eve), said("1")]
    assert is_right(golds, said("Eve Reed; 1", parts=parts))
    assert not is_right(golds, said("Eve Reed", eve)) and not is_right(golds, said("", parts=parts[::-1]))


@pytest.mark.parametrize("text", ["follow(<Zoe>, <child>)", "follow(<Ben Hill>, <child>)", "count("])
def test_a_gold_that_is_none_is_named(family: Pack, text: str) -> None:
    with pytest.raises(UsageError, match=r"follow|count"):
        gold(text, family)


# --- figures ------------------------------------------------------------------------------------


def outcome(kind: str, answerable: bool, printed: bool, answer_right: bool, confidence: float) -> Outcome:
    is_right_now = answer_right if answerable and printed else not answerable and not printed
    return Outcome("q", kind, answerable, printed, is_right_now, "a", confidence, answer_right, None, None)


def test_figures() -> None:
    found = [outcome("count", True, True, True, 0.9) for _ in range(19)]
    found += [outcome("list", False, True, False, 0.8), outcome("list", True, False, False, 0.4)]
    assert counts(found)[0] == {
        "kind": "count", "questions": 19, "right": 19, "wrong": 0, "refused": 0, "right_share": 1.0
    }  # fmt: skip
    assert counts(found)[-1]["wrong"] == counts(found)[-1]["refused"] == 1
    threshold, printed = at_wrong_share(found)
    assert threshold == 0.8 and len(printed) == 20  # one of twenty is 5 %; the next would be two of 21
    told = figures(found)
    assert told["answerable_printed_there"] == 0.95 and told["unanswerable_refused"] == 0.0
    assert told["calibration_error"] == pytest.approx((19 * 0.1 + 0.8 + 0.4) / 21, abs=1e-4)


def test_asked_of_the_shipped_models(
    family_path: Path, opened: Callable[..., Pipeline], questions: Path
) -> None:  # fmt: skip
    found = list(ask(opened(str(family_path), None), load(questions), AskOptions()))
    assert [one.right for one in found] == [True, True, False, True, False]
    assert [one.wrong for one in found] == [False, False, True, False, True]


# --- the command --------------------------------------------------------------------------------


def test_the_command_prints_figures_and_keeps_outcomes(family_path: Path, questions: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    words = ["eval", "run", "everyday", str(questions), "--pack", str(family_path), "--no-reader", "--json"]
    done = CliRunner().invoke(cli, [*words, "-o", str(out)], catch_exceptions=False)
    told = json.loads(done.stdout)
    assert told["questions"] == 5 and told["answerable"] == 3 and told["kinds"][-1]["right"] == 3
    assert [json.loads(line)["right"] for line in out.read_text().splitlines()] == [True, True, False, True, False]
    again = CliRunner().invoke(cli, [*words, "-o", str(out)])
    assert again.exit_code != 0


def test_a_folder_is_all_its_files(questions: Path, tmp_path: Path) -> None:
    (questions.parent / "more.yaml").write_text('- {q: "why?", kind: unanswerable, gold: none}', encoding="utf-8")
    assert [one.text for one in load(tmp_path)] == ["why?", *(one.text for one in load(questions))]
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="empty"):
        load(tmp_path / "empty")


@pytest.mark.parametrize(
    "text",
    ["[]", "q: a", "- {q: a, kind: b}", "- {q: a, kind: b, gold: [none, c]}", "- {q: '', kind: b, gold: c}", "- ["],
)
def test_what_is_not_of_the_form_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match="broken.yaml") as raised:
        load(path)
    assert "\n" not in str(raised.value)
