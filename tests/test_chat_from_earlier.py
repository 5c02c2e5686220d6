"""Turns whose query is made of earlier ones: what two have in common, relations by name, lists by what they hold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from forked_cli import kgask

from kgask.answer.pipeline import Pipeline
from kgask.answer.request import AskOptions
from kgask.chat.session import LIKELY, Chat
from kgask.chat.store import Log, read
from kgask.chat.turns import Turn
from kgask.errors import UsageError
from kgask.query import nodes
from kgask.query.base import SetNode
from kgask.query.text import parse
from kgask.retrieve.run import run

PLANES = (
    "aircraft,manufacturer,seats,used by\n"
    "Trident,Hawker,101,British Airways\nEmbraer 190,Embraer,98,KLM\nFokker 100,Fokker,97,KLM\nComet,Hawker,44,Qantas\n"
)


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return Pipeline.open("demo", reader=None, settings={})


def talked(pipeline: Pipeline, lines: Sequence[str]) -> Turn:
    """The last of some turns."""
    chat = Chat(pipeline)
    for line in lines:
        chat.ask(line)
    return chat.turns[-1]


def ends(turn: Turn) -> set[str]:
    assert turn.answer is not None and not turn.answer.abstained, turn
    return {one.label for one in turn.answer.entities}


def members(pipeline: Pipeline, query: str) -> set[str]:
    """What a query comes to, by name."""
    return set(pipeline.pack.labels(run(parse(query, pipeline.pack), pipeline.pack).certain.tolist()))


BOTH_BORDER = "and(follow(<Q142>, <P47>), follow(<Q40>, <P47>))"
BOTH_PLAY = "and(follow(<Q303>, <P136>), follow(<Q42775>, <P136>))"


@pytest.mark.parametrize(
    ("lines", "query"),
    [
        (["Which countries border France?", "What about Austria?", "which of these border both?"], BOTH_BORDER),
        (["Which genres did Elvis Presley play?", "and Johnny Cash?", "which genres do they share?"], BOTH_PLAY),
        (
            ["Which languages does Angela Merkel speak?", "And Barack Obama?", "Which does she speak that he doesn't?"],
            "minus(follow(<Q567>, <P1412>), follow(<Q76>, <P1412>))",
        ),
        (
            ["List the neighbours of Peru.", "only those on the Pacific", "Which of Peru's neighbours is the largest?"],
            "best(follow(<Q419>, <P47>), value(<P2046>), most 1)",
        ),
        (["What country is Lake Baikal in?", "and its capital?"], "follow(<Q159>, <P36>)"),
        (["who wrote The Old Man and the Sea", "wives?"], "follow(<Q23434>, <P26>)"),
        (["Population of Sweden?", "Norway?", "and their capitals?"], "follow(entities(<Q34>, <Q20>), <P36>)"),
        (
            ["Who discovered radium?", "what else did she discover?"],
            "minus(follow(<nobel-6>, ^<P61>), <element-Ra>)",
        ),
    ],
)  # fmt: skip
def test_a_query_is_made_of_earlier_ones(pipeline: Pipeline, lines: list[str], query: str) -> None:
    assert ends(talked(pipeline, lines)) == members(pipeline, query)


@pytest.mark.parametrize(
    "lines",
    [
        ["Which countries border France?", "Who directed Jaws?", "which genres do they share?"],
        ["Where was ABBA formed?", "David Bowie?"],  # where he was formed is not told, nor is anything else asked
        ["Which river flows through Vienna?", "colour?"],
    ],
)
def test_what_earlier_turns_do_not_tell_is_refused(pipeline: Pipeline, lines: list[str]) -> None:
    assert talked(pipeline, lines).is_refused


def test_who_else_leaves_out_whom_that_is_known_of(pipeline: Pipeline) -> None:
    """A director that was spoken of plays in the film, too, and was not known to."""
    turn = talked(pipeline, ["Which films did Janet Leigh play in?", "Who directed Psycho?", "Who else plays in it?"])
    assert ends(turn) == members(pipeline, "follow(<Q163038>, <P161>)") - {
        "Janet Leigh"
    } and "Alfred Hitchcock" in ends(turn)


def test_a_number_by_name_is_no_count(tmp_path: Path) -> None:
    (tmp_path / "planes.csv").write_text(PLANES)
    assert kgask("pack", "build", str(tmp_path / "planes.csv"), "-o", str(tmp_path / "planes")).returncode == 0
    done = kgask(
        "chat", "--no-reader", "--pack", str(tmp_path / "planes"),
        stdin="Who makes the Trident?\nHow many seats?\n",
    )  # fmt: skip
    assert done.stdout.splitlines() == ["Hawker", "101"]


AFTER_LISTS: list[list[str | tuple[str, str | None]]] = [
    ["Which countries speak Portuguese officially?", "Just the African ones", ("And what are the others?", "Brazil")],
    ["Name the countries on the Baltic Sea", ("the ones with fewer than 6 million people?", "Estonia"),
     ("and the others", "Poland")],
    ["Which mountains are in Switzerland?", "Only those above 4000 metres please.",
     ("Without the Italian ones?", "Finsteraarhorn")],
    ["Which islands belong to Greece?", "Which of those are bigger than 500 square km?",
     ("Which is the smallest of the Greek islands?", "Syros")],
    ["what countries use the euro?", "which of them are in Africa",
     ("go back to the euro countries: which has the fewest people?", "Vatican City")],
    ["Which elements are in group 17?", "which are gases", ("which is lighter of the two", "Fluorine")],
    ["Which people were born in Edinburgh?", ("who of them won a Nobel Prize?", "Angus Deaton")],
    ["Which countries border Brazil?", ("Which of them don't speak Spanish?", "Suriname")],
    ["Who won the Nobel Prize in Physics in 1933?", "Where were they born?",
     ("Which of the two died first?", "Erwin Schrödinger"), ("Where?", "Vienna"),
     ("And the other one?", "Tallahassee")],
    ["Which elements belong to group 11?", "Which of them melts at the highest temperature?",
     ("and gold? when does it melt", "1337.33 K")],
    ["which rivers flow into the Amazon?", "is any of the nine in Colombia", ("which", "Japurá")],
    ["What films did Quentin Tarantino direct?", ("which one is the longest?", None)],
]  # fmt: skip


@pytest.mark.parametrize("talk", AFTER_LISTS, ids=[str(talk[-1][0]) for talk in AFTER_LISTS])
def test_turns_about_lists(pipeline: Pipeline, talk: list[str | tuple[str, str | None]]) -> None:
    chat = Chat(pipeline)
    for one in talk:
        line, expected = (one, "") if isinstance(one, str) else one
        answer = chat.ask(line).answer
        assert answer is not None and (expected == "" or (answer.text is None) == (expected is None)), line
        assert not expected or expected in (answer.text or ""), line


def test_a_limit_is_put_right(pipeline: Pipeline) -> None:
    asked = "does any of these have an atomic number above 50?"
    turn = talked(pipeline, ["Which noble gases are there?", asked, "sorry, i meant above 130"])
    assert turn.answer is not None and turn.answer.text == "no" and "> 130" in (turn.answer.query_text or "")


@pytest.mark.parametrize("line", ["and when was she born?", "where did she die?"])
def test_nobody_older_is_meant_after_a_refused_who_of_those(pipeline: Pipeline, line: str) -> None:
    turn = talked(pipeline, [
        "Which women won the Nobel Prize in Medicine?", "born in new york:", "which one of these two won first?",
        "who of those knows Batman", line,
    ])  # fmt: skip
    assert turn.answer is not None and turn.answer.abstained


UNSURE = "Who was the father of the most people?"  # midway between what is gone on from and what is printed


def test_a_refused_question_that_is_likely_understood_is_gone_on_from(pipeline: Pipeline) -> None:
    chat = Chat(pipeline)
    asked = chat.ask(UNSURE)
    assert asked.answer is not None and asked.answer.abstained and asked.answer.confidence >= LIKELY
    assert asked.reading is not None and asked.reading.text == "Zeus" and not asked.is_refused
    follow_up = chat.ask("Who was his wife?")
    assert ends(follow_up) == {"Hera"}
    assert follow_up.answer is not None and follow_up.answer.confidence <= asked.reading.confidence


def test_what_a_refused_question_likely_asks_outlives_the_session(pipeline: Pipeline, tmp_path: Path) -> None:
    path, chat = tmp_path / "talk.jsonl", Chat(pipeline)
    log = Log(path, chat)
    asked = chat.ask(UNSURE)
    log.add(asked)
    log.close()
    again = Chat(pipeline, turns=list(read(path, chat)))
    (restored,) = again.turns
    assert restored.query == asked.query and restored.ends == asked.ends and not restored.is_refused
    assert restored.answer is not None and restored.answer.abstained
    follow_up = again.ask("Who was his wife?")
    assert ends(follow_up) == {"Hera"}
    assert asked.reading is not None and follow_up.answer is not None
    assert follow_up.answer.confidence <= asked.reading.confidence


def test_a_session_in_the_folder_of_nobody_is_refused(pipeline: Pipeline, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        with pytest.raises(UsageError, match="no such folder"):
            Log(Path("~nosuch/x"), Chat(pipeline))
    assert not any(tmp_path.iterdir())


def test_whoever_asks_for_sure_answers_gets_nothing_from_unsure_ones(pipeline: Pipeline) -> None:
    chat = Chat(pipeline, AskOptions(min_confidence=0.76))
    assert chat.ask(UNSURE).is_refused and chat.turns[-1].reading is None


def test_sets_in_common_are_sets(pipeline: Pipeline) -> None:
    turn = talked(pipeline, ["official languages of Peru?", "Bolivia?", "Which languages do both have in common?"])
    assert isinstance(turn.query, nodes.And) and isinstance(turn.query, SetNode)


BESIDE: list[list[str | tuple[str, str | None]]] = [
    ["Which countries border Kenya?", ("Sorry, I meant those of Niger, the country. How many are there?", None)],
    ["What sea does the Danube flow into?", ("What other rivers flow into it?", "Dnieper")],
    ["who is the largest city of Norway?", ("no, I meant who influenced Bob Dylan", "Woody Guthrie")],
    ["Which country has the most people in Africa?", ("How many?", "193392500")],
    ["What did Saul Bellow die of?", ("Did George Orwell die of that too?", None)],
]  # fmt: skip


@pytest.mark.parametrize("talk", BESIDE, ids=[str(talk[-1][0]) for talk in BESIDE])
def test_what_is_beside_the_turn_is_no_answer(pipeline: Pipeline, talk: list[str | tuple[str, str | None]]) -> None:
    test_turns_about_lists(pipeline, talk)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["What is the melting point of tungsten?", "And that of gold?", "Who discovered the first one?"],
         {"Carl Wilhelm Scheele"}),
        (["Where does the Rhine flow into?", "And the Danube?", "which of them is longer?"], {"Danube"}),
        (["Who wrote Dracula?", "And his wife, who was that?"], {"Florence Balcombe"}),
    ],
)  # fmt: skip
def test_two_that_were_asked_about_one_after_the_other(pipeline: Pipeline, lines: list[str], said: set[str]) -> None:
    assert ends(talked(pipeline, lines)) == said
