"""People's wordings as queries: what of a question is pointed at, and the steps that its gold query becomes."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from kgask.corpus.drafts import Draft, value_kind, values_in
from kgask.corpus.query_examples import QueryExample, check
from kgask.corpus.table_questions import wikisql_questions
from kgask.errors import UsageError
from kgask.sets import wikisql


def write(path: Path, lines: list[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
    return path


def shown(example: QueryExample) -> str:
    """The steps with operands in words."""
    words = [example.text[operand.start : operand.end] for operand in example.operands]

    def one(step: str | tuple[str, bool] | int) -> str:
        if isinstance(step, tuple):
            return f"{'^' if step[1] else ''}<{step[0]}>"
        return f"'{words[step]}'" if isinstance(step, int) else step

    return " ".join(map(one, example.steps))


# --- drafts -------------------------------------------------------------------------------------


def test_numbers_and_dates_are_found_but_not_in_codes() -> None:
    found = [(text[start:end], kind) for text in ["over 12,500 km² on 4 May 1911, in 1950 or P-101, 1.2.3 and 7-5"]
             for start, end, kind in values_in(text)]  # fmt: skip
    assert found == [("12,500 km²", "number"), ("4 May 1911", "date"), ("1950", "date")]
    assert (value_kind("3.5"), value_kind("July 2009"), value_kind("ring 3")) == ("number", "date", None)


def test_a_draft_masks_names_keeps_other_operands_and_counts_in_the_order_of_the_text() -> None:
    draft = Draft("Which  Clubs did Ann Lee's team beat by 5?")
    later, first = draft.name("Ann Lee", "entity"), draft.name("Clubs", "class")
    assert later is not None and first is not None
    assert draft.name("Lee", "entity") is None
    draft.distract([(17, 20, "class"), *values_in(draft.question)])
    made = draft.example([first, later, ("beat", False), "AND", "END"], "intersection", "x")
    assert made is not None
    assert made.text == "which clubs did [MASK]'s team beat by 5?"
    assert [made.text[o.start : o.end] for o in made.operands] == ["clubs", "[MASK]", "5"]
    assert made.steps == (0, 1, ("beat", False), "AND", "END")


# --- WikiSQL ------------------------------------------------------------------------------------

TABLE = [
    "What position did the player from Bath play?\tSELECT POSITION_FIELD FROM TABLE WHERE SCHOOL/CLUB_FIELD = bath\tt1",
    "How many laps records did Ann Lee set?\tSELECT COUNT RECORD_FIELD FROM TABLE WHERE RIDER_FIELD = \"Ann Lee\"\tt1",
    "What is the most wins with laps over 40 for Bath?"
    "\tSELECT MAX WINS_FIELD FROM TABLE WHERE LAPS_FIELD > 40 AND SCHOOL/CLUB_FIELD = Bath\tt1",
    "When did Ann Lee race for Bath?"
    "\tSELECT DATE_FIELD FROM TABLE WHERE RIDER_FIELD = \"ann lee\" AND SCHOOL/CLUB_FIELD = bath\tt1",
    "What is the average of wins?\tSELECT AVG WINS_FIELD FROM TABLE\tt1",
    "What is the position of Bath?\tSELECT SUM POSITION_FIELD FROM TABLE WHERE SCHOOL/CLUB_FIELD = Bath\tt1",
    "What is above 40 laps?\tSELECT WINS_FIELD FROM TABLE WHERE LAPS_FIELD < 40\tt1",
    "Who is the tall one?\tSELECT RIDER_FIELD FROM TABLE WHERE HEIGHT_FIELD = \"2 m\"\tt1",
    "Who lost?\tSELECT RIDER_FIELD FROM TABLE WHERE LOST_FIELD = var1\tt1",
]  # fmt: skip


def test_sql_over_a_table_becomes_steps(tmp_path: Path) -> None:
    write(tmp_path / wikisql.TRAINING, TABLE)
    made = list(wikisql_questions(tmp_path))
    assert [(one.source, shown(one)) for one in made] == [
        ("wikisql_path", "'[MASK]' ^<school/club> <position> END"),
        ("wikisql_count", "'[MASK]' ^<rider> COUNT END"),
        ("wikisql_value", "'[MASK]' ^<school/club> BY <laps> '40' GT <wins> MAX END"),
        ("wikisql_both", "'[MASK]' ^<rider> '[MASK]' ^<school/club> AND <date> END"),
        ("wikisql_value", "THING ^<wins> <wins> MEAN END"),
    ]
    assert made[2].text == "what is the most wins with laps over 40 for [MASK]?"
    assert made[0].others == ("record", "rider", "wins", "laps", "date", "height")
    for one in made:
        check(one)
        assert one.vocabulary == "table"


def test_what_a_row_is_may_be_a_class(tmp_path: Path) -> None:
    line = "Which player{} has more than {} goals?\tSELECT PLAYER_FIELD FROM TABLE WHERE GOALS_FIELD > {}\tt{}"
    write(tmp_path / wikisql.TRAINING, [line.format("", n, n, n) for n in range(20, 40)])
    made = {shown(one).replace(shown(one).split("'")[-2], "n") for one in wikisql_questions(tmp_path)}
    assert made == {"'player' BY <goals> 'n' GT END", "THING ^<goals> BY <goals> 'n' GT <player> END"}


def test_a_line_of_another_form_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "x.tsv.gz", ["question only"])
    with pytest.raises(UsageError, match=r"x\.tsv\.gz:1: 1 fields"):
        list(wikisql.questions(path))
