"""Conversations: the form of a turn, what it is understood as on the shipped pack, sessions on disk, ``kgask chat``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from forked_cli import kgask
from reciter import write_reciter

import kgask as api
from kgask.answer.pipeline import Pipeline
from kgask.chat import form
from kgask.chat.asked import Asked, asked_for
from kgask.chat.changes import those_of_whom
from kgask.chat.heard import Heard, heard, is_thanks
from kgask.chat.narrower import Narrower, narrower
from kgask.chat.rewrite import Rewriter
from kgask.chat.session import Chat
from kgask.chat.store import Log, read, save
from kgask.chat.turns import Turn
from kgask.cli.writing import writing_with
from kgask.errors import UsageError
from kgask.eval import conversations
from kgask.query import nodes
from kgask.sets.conversations import load_conversations

# --- form ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "text", "back_to", "corrects", "continues"),
    [
        ("And James Cameron?", "James Cameron?", "", False, True),
        ("what about her husband?", "her husband", "", False, True),
        ("no, I meant the film", "the film", "", True, False),
        ("sorry, by population", "by population", "", True, False),
        ("not the book, the film", "the film", "", True, False),
        ("Back to Jaws: who directed it?", "who directed it?", "Jaws", False, False),
        ("Okay, where was he born?", "where was he born?", "", False, False),
        ("Who directed Jaws?", "Who directed Jaws?", "", False, False),
        ("Next one: who directed Jaws?", "who directed Jaws?", "", False, False),
        ("Same for lead.", "lead", "", False, True),
        ("I should have asked for its area.", "its area", "", True, False),
        ("whos it by?", "who's it by?", "", False, False),
        ("Who is older?", "who of them is older?", "", False, False),
        ("Where does that end?", "Where does it end?", "", False, False),
    ],
)
def test_what_leads_up_to_a_turn(line: str, text: str, back_to: str, corrects: bool, continues: bool) -> None:
    assert heard(line) == Heard(text, back_to, corrects, continues)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Which of them border Germany?", "Which countries border Germany?"),
        ("how many of those use the euro", "how many countries use the euro"),
        ("Who of them is older?", "which countries is the oldest?"),
        ("Which one is the largest?", "which countries is the largest?"),
        ("Which rivers flow through Germany?", None),
        ("Which of them were in Jaws too?", "Which countries were in Jaws?"),
    ],
)
def test_a_question_about_some_of_the_last_answers(text: str, asked: str | None) -> None:
    assert form.of_those(text, "countries") == asked


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Which of the two died in 1941?", ("which", "\0 died in 1941")),
        ("how many of them are poets?", ("how many", "\0 is poets")),
        ("Which of them is the largest?", None),
        ("Who directed Jaws?", None),
    ],
)
def test_what_is_asked_of_each(text: str, asked: tuple[str, str] | None) -> None:
    assert form.said_of_each(text) == asked


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("When was she born?", Asked()),
        ("Is it in Kenya?", Asked()),
        ("Who was her husband?", Asked(person=True, sex="male")),
        ("Which films did he make?", Asked(thing=True, several=True)),
        ("where was he born?", Asked(thing=True)),
    ],
)
def test_what_a_question_asks_for(text: str, asked: Asked) -> None:
    assert asked_for(text) == asked


def test_what_is_asked_of_one_is_asked_of_all() -> None:
    one, whole = nodes.Entities((1,)), nodes.Entities((1, 2))
    truths = {
        nodes.Holds(one, 3, nodes.Entities((7,))): nodes.And(whole, nodes.Follow(nodes.Entities((7,)), 13)),
        nodes.Compare(nodes.Values(one, 4), ">", nodes.Number(5)): nodes.Where(
            whole, nodes.ValueOf((4,)), ">", nodes.Number(5)
        ),
        nodes.Some(nodes.Follow(one, 3)): nodes.And(whole, nodes.Having(3)),
        nodes.Holds(nodes.Entities((8,)), 3, nodes.Entities((7,))): None,
    }
    for truth, those in truths.items():
        assert those_of_whom(truth, 1, whole, 10) == those


@pytest.mark.parametrize(
    ("text", "continues", "asked"),
    [
        ("only the composers, please", False, Narrower("which", "composers")),
        ("the ones that are set in Paris", False, Narrower("which", "set in Paris")),
        ("the ones that aren't poets", False, Narrower("which", "poets", is_negated=True)),
        ("war films only", False, Narrower("which", "war films")),
        ("how many women?", False, Narrower("how many", "women", is_said=False)),
        ("are there any poets among them?", False, Narrower("any", "poets")),
        ("the men", True, Narrower("which", "men", is_said=False)),
        ("who on the full list was born in Wales?", False, Narrower("which", "born in Wales", of_all=True)),
        ("Which of them is the oldest?", False, None),
        ("When was she born?", False, None),
    ],
)
def test_which_of_the_last_answers_a_turn_asks_for(text: str, continues: bool, asked: Narrower | None) -> None:
    assert narrower(text, continues) == asked


def test_thanks_ask_nothing() -> None:
    assert all(map(is_thanks, ("thanks", "Thank you very much!", "ok, great", "bye")))
    assert not is_thanks("thanks, and where was he born?")


# --- understanding ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pipeline(opened: Callable[..., Pipeline]) -> Pipeline:
    return opened("demo", None)


def said(turn: Turn) -> str | None:
    return turn.answer.text if turn.answer is not None else None


TALKS = [
    [
        ("Where was Marie Curie born?", "Warsaw"),
        ("When?", "1867-11-07"),
        ("and Albert Einstein?", "1879-03-14"),
        ("thanks", None),
    ],
    [
        ("what's the capital of uganda", "Kampala"),
        ("what currency do they use there", "Ugandan shilling"),
        ("and in rwanda?", "Rwandan franc"),
    ],
    [
        ("Did Ernest Hemingway win the Nobel Prize in Literature?", "yes"),
        ("When?", "1954"),
        ("how old was he then", "54 or 55"),
    ],
    [
        ("what's the capital of sweden", "Stockholm"),
        ("do they use the euro there?", "no"),
        ("Which river is Vienna on?", "Danube"),
    ],
    [
        ("where was marie curie born", "Warsaw"),
        ("who was she married to", "Pierre Curie"),
        ("and where was he born?", "Paris"),
        ("which of the two died first?", "Pierre Curie"),  # not of Warsaw and Paris
    ],
    [
        ("where was mozart born", "Salzburg"),
        ("who else was born there?", None),  # nobody is known, and no "he" is among them
        ("when did he die", "1791"),
    ],
    [
        ("chemical symbol of gold?", "Au"),
        ("and its atomic number?", "79"),
        ("melting point?", "1337.33 K"),
        ("what about silver?", "1234.93 K"),
        ("Which of the two is denser?", "Gold"),
    ],
    [
        (
            "Which countries border Uganda?",
            "Kenya | Tanzania | Democratic Republic of the Congo | Rwanda | South Sudan",
        ),
        ("How many?", "5"),
        ("which of these is the largest by area?", "Democratic Republic of the Congo"),
        ("sorry, the smallest", "Rwanda"),
        ("Back to Uganda: what is its capital?", "Kampala"),
    ],
    [
        ("What is the highest mountain in Africa?", "Mount Kilimanjaro"),
        ("How high is it?", "5895 m"),
        ("And in Europe?", "Mount Elbrus"),  # goes on from the turn before the last one
        ("And the second highest?", "Dykh-Tau"),
        ("how tall is that one", "5204 m"),
    ],
    [
        ("What is the atomic number of iron?", "26"),
        ("and of copper", "29"),
        ("cobalt?", "27"),
        ("Which of those three melts at the highest temperature?", "Iron"),
    ],
    [
        ("Which lakes are in Finland?", "Lake Inari | Päijänne | Saimaa | Oulujärvi"),
        ("Is Saimaa one of them?", "yes"),
        ("Which is the deepest?", "Päijänne"),
        ("How deep?", "95 m"),
    ],
    [
        ("Is the Rhine longer than the Danube?", "no"),
        ("By how much?", "1521"),
    ],
    [
        ("What is the area of Peru?", "1285216 km²"),
        ("What about Bolivia?", "1098581 km²"),
        ("Which is bigger?", "Peru"),
    ],
    [
        (
            "Which countries border Austria?",
            "Germany | Italy | Hungary | Switzerland | Slovenia | Czech Republic | Slovakia | Liechtenstein",
        ),
        ("Which of them has the largest population?", "Germany"),
        ("And the largest area?", "Germany"),
    ],
    [
        ("name the noble gases", "Argon | Helium | Krypton | Neon | Radon | Xenon"),
        ("which one is the lightest", "Helium"),
        ("and the heaviest", "Radon"),  # of the noble gases, not of all elements
        ("symbol?", "Rn"),
    ],
    [
        ("What are the three highest mountains in Africa?", "Mount Kilimanjaro | Mount Kenya | Mawenzi"),
        ("In which country is the highest one?", "Tanzania"),
        ("How high is the second?", "5199 m"),
        ("And the third?", "5148 m"),
    ],
    [
        ("What is the capital of Georgia?", "Tbilisi"),
        ("no, the US state", "Atlanta"),
        ("how many people live in the state?", "10097343"),
        ("and Florida?", "19893297"),
    ],
    [
        ("How long is the Amazon River?", "6400 km"),
        ("Is that longer than the Nile?", "no"),  # "that" is nothing that the same turn names
        ("By how much is the Nile longer?", "250"),
    ],
    [
        ("What country does Corsica belong to?", "France"),
        ("and sardinia?", "Italy"),
        ("which of these islands is larger?", "Sardinia"),
        ("its capital?", "Cagliari"),
        ("no, corsica's", "Ajaccio"),
    ],
    [
        ("How big is the Kalahari desert?", "1200000 km²"),
        ("And the Namib?", "95000 km²"),
        ("How much smaller is that?", "1105000"),
        ("Which countries is the Kalahari in?", "Zambia | South Africa | Angola | Namibia | Botswana"),
    ],
    [
        ("Is the Rhine longer than the Danube?", "no"),
        ("Which is longer, the Nile or the Volga?", "Nile"),  # both are named here
    ],
    [
        ("When was Albert Einstein born?", "1879-03-14"),
        ("And Marie Curie?", "1867-11-07"),
        ("how much older?", "11"),  # in years, as such a question asks
    ],
    [
        ("Who directed Jaws?", "Steven Spielberg"),
        ("Who directed Inception?", "Christopher Nolan"),
        ("By how much?", None),  # directors are no numbers
        ("what is the difference?", None),  # nor is that a book of this name
    ],
    [
        ("Who won the Nobel Prize in Physics in 1922?", "Niels Bohr"),
        ("In which city was he born?", "Copenhagen"),
        ("Did he die there as well?", "yes"),
    ],
    [
        ("Who won the Nobel Prize in Physics in 1921?", "Albert Einstein"),
        ("And the year after?", "Niels Bohr"),
    ],
    [
        ("Who won the Nobel Prize in Chemistry in 1935?", "Frédéric Joliot | Irène Joliot-Curie"),
        ("And who won the literature prize that year?", None),  # nobody did
    ],
    [
        ("Who won the Nobel Prize in Chemistry in 1945?", "Artturi Virtanen"),
        ("And who received the Peace Prize that year?", "Cordell Hull"),
    ],
    [
        ("Who is Barack Obama's wife?", "Michelle Obama"),
        ("Where was she born?", "Chicago"),
        ("And he?", "Honolulu"),
    ],
    [
        ("Which river does the Vltava flow into?", "Elbe"),
        ("And where does that one end?", "North Sea"),  # where the Vltava does was told
    ],
    [
        ("Which countries border Peru?", "Brazil | Chile | Bolivia | Colombia | Ecuador"),
        ("which of them has the most inhabitants?", "Brazil"),
        ("And the fewest?", "Bolivia"),
        ("Smallest of these by area?", "Ecuador"),
        ("Currency there?", "United States dollar"),
    ],
    [
        ("Which countries border Peru?", "Brazil | Chile | Bolivia | Colombia | Ecuador"),
        ("how many are larger than 1000000 km²?", "3"),
    ],
    [
        ("which cities in Finland have more than 150000 inhabitants?", "Oulu | Tampere | Turku | Helsinki | Espoo"),
        ("which is number two?", "Espoo"),
        ("And which of these have no airport?", None),
    ],
    [
        ("Which is larger, Chile or Peru?", "Peru"),
        ("And a larger population?", None),
    ],
    [
        ("where was Kant born?", "Königsberg"),
        ("who was born in Boston and died there?", "Charles Francis Adams, Sr."),
    ],
    [
        ("What is the chemical symbol of tungsten?", "W"),
        ("Atomic number?", "74"),
        ("Same for lead.", "82"),
    ],
    [
        ("Who directed Inception?", "Christopher Nolan"),
        ("and dracula, who wrote that one?", "Bram Stoker"),
        ("back to Psycho, who was the director?", "Alfred Hitchcock"),
    ],
    [
        ("What is the population of Casablanca?", "2946440"),
        ("Which country is that city in?", "Morocco"),
    ],
    [
        ("What is the highest mountain in Nepal?", "Mount Everest"),
        ("and the second?", "Kangchenjunga"),
        ("number three?", "Lhotse"),
        ("the next one?", "Makalu"),
    ],
    [
        ("Which people died in Venice?", "*"),
        ("which of them were composers?", "Antonio Sartorio | Richard Wagner | Ezra Pound"),
    ],
    [
        ("Which countries border Austria?", "*"),
        ("which of them use the euro?", "Italy | Germany | Slovakia | Slovenia"),
        ("and the ones that don't?", "Hungary | Switzerland | Czech Republic | Liechtenstein"),
    ],
    [
        ("Which films did Martin Scorsese direct?", "*"),
        ("with de niro", "Goodfellas | Taxi Driver | Raging Bull | Casino"),
        ("no, i mean the ones with DiCaprio", "Gangs of New York | The Departed | The Aviator | Shutter Island"),
    ],
    [
        ("mountains in nepal", "*"),
        ("top 3 by elevation", "Mount Everest | Kangchenjunga | Lhotse"),
        ("height of the third one", "8516 m"),
    ],
    [
        ("Which airports serve Paris?", "Charles De Gaulle Airport | Orly Airport"),
        ("And which ones serve London?", "Gatwick Airport | Heathrow Airport | Stansted Airport"),
    ],
    [
        ("Does Peru border Brazil?", "yes"),
        ("And does Ecuador?", "no"),
        ("Which of the two has more people, Peru or Ecuador?", "Peru"),
        ("How many more?", "15652376"),
        ("all right", None),
    ],
    [
        ("Who wrote Gladiator?", "Philip Wylie"),
        ("no, I mean the film. Who directed it?", "Ridley Scott"),
    ],
]


@pytest.mark.parametrize("talk", TALKS, ids=[talk[0][0] for talk in TALKS])
def test_follow_ups(pipeline: Pipeline, talk: list[tuple[str, str | None]]) -> None:
    chat = Chat(pipeline)
    told = [(line, said(chat.ask(line)), expected) for line, expected in talk]
    assert [(line, "*" if expected == "*" and text else text) for line, text, expected in told] == talk


def test_what_a_turn_was_understood_as_is_told(pipeline: Pipeline) -> None:
    chat = Chat(pipeline)
    chat.ask("Who directed Jaws?")
    turn = chat.ask("Where was he born?")
    assert turn.understood == "Where was Steven Spielberg born?" and turn.number == 2
    assert turn.to_dict()["understood"] == turn.understood and turn.to_dict()["question"] == "Where was he born?"


def test_the_answers_that_a_turn_is_about_are_told(pipeline: Pipeline) -> None:
    chat = Chat(pipeline)
    chat.ask("Which countries border Uganda?")
    turn = chat.ask("which of these is the largest by area?")
    assert turn.shown == (
        "which countries is the largest by area? (among Kenya, Tanzania, Democratic Republic of the Congo and 2 more)"
    )


def test_who_was_never_spoken_of_is_not_guessed(pipeline: Pipeline) -> None:
    chat = Chat(pipeline)
    chat.ask("What is the capital of Kenya?")
    turn = chat.ask("When was she born?")
    assert said(turn) is None and turn.answer is not None and "not spoken of" in (turn.answer.reason or "")


def test_after_a_refusal_nothing_older_is_meant(pipeline: Pipeline) -> None:
    chat = Chat(pipeline)
    for line in ("Which films did Steven Spielberg direct?", "Which of them won an Oscar for costumes?"):
        chat.ask(line)
    assert said(chat.ask("Who starred in it?")) is None


def test_he_is_not_the_woman_whose_father_is_unknown(pipeline: Pipeline) -> None:
    chat = Chat(pipeline)
    chat.ask("Who was Mary Shelley's father?")
    assert said(chat.ask("When did he die?")) is None


@pytest.mark.parametrize("line", ["and Norway?", "no, I meant Norway"])
def test_what_goes_on_from_a_refused_question_is_about_that_one(pipeline: Pipeline, line: str) -> None:
    chat = Chat(pipeline)
    for earlier in ("What currency do they use in Iceland?", "Which painters from Iceland were left-handed?"):
        chat.ask(earlier)
    assert said(chat.ask(line)) is None


def test_he_is_nobody_older_than_the_last_answer(pipeline: Pipeline) -> None:
    chat = Chat(pipeline)
    for line in ("Who directed Inception?", "Who directed Jaws?"):
        chat.ask(line)
    assert chat.ask("What is his shoe size?").understood == "What is Steven Spielberg's shoe size?"


def test_a_noun_alone_asks_nothing_of_the_whole_graph(pipeline: Pipeline) -> None:
    chat = Chat(pipeline)
    chat.ask("Which painters were left-handed?")
    assert said(chat.ask("Capital?")) is None


def test_that_year_is_one_that_was_said(pipeline: Pipeline) -> None:
    chat = Chat(pipeline)
    chat.ask("Who wrote Emma?")
    assert said(chat.ask("Who received the Nobel Peace Prize that year?")) is None


def test_its_is_not_what_a_superlative_was_asked_of(pipeline: Pipeline) -> None:
    chat = Chat(pipeline)
    for line in ("What is the population of Uruguay?", "Which film festival there is the loudest?"):
        chat.ask(line)
    assert said(chat.ask("Its capital?")) is None


def test_a_question_word_alone_asks_nothing_of_the_whole_graph(pipeline: Pipeline) -> None:
    chat = Chat(pipeline)
    chat.ask("Which painters were left-handed?")
    assert said(chat.ask("which prize exactly?")) is None


@pytest.mark.parametrize(
    "line",
    ["born in New York", "just the ones born in New York", "which of the painters died in London?", "the longest?",
     "who in that list was born in London?", "What are the others?", "which of the Norwegian ones is the oldest?"],
)  # fmt: skip
def test_what_is_about_some_of_those_is_never_asked_of_all(pipeline: Pipeline, line: str) -> None:
    """After a question that was refused nobody knows who those are."""
    chat = Chat(pipeline)
    chat.ask("Which painters were left-handed?")
    assert said(chat.ask(line)) is None


def test_of_several_together_nothing_is_answered_for_one(pipeline: Pipeline) -> None:
    chat = Chat(pipeline)
    chat.ask("Who wrote Emma?")
    assert said(chat.ask("Was there a woman among them?")) is None


@pytest.mark.parametrize("line", ["???", ".", "!!!"])
def test_what_says_nothing_is_no_turn(pipeline: Pipeline, line: str) -> None:
    with pytest.raises(UsageError, match="says nothing"):
        Chat(pipeline).ask(line)


def test_undo_and_reset(pipeline: Pipeline) -> None:
    chat = Chat(pipeline)
    chat.ask("Who directed Jaws?")
    chat.ask("What is the capital of Kenya?")
    gone = chat.undo()
    assert gone is not None and gone.line == "What is the capital of Kenya?"
    assert said(chat.ask("Where was he born?")) == "Cincinnati"
    chat.reset()
    assert chat.undo() is None


def test_in_python() -> None:
    with api.open("demo", reader=None, settings={}) as kg:
        chat = kg.chat()
        chat.ask("Who directed Jaws?")
        assert said(chat.ask("Where was he born?")) == "Cincinnati"


# --- a language model rewrites ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pieces", "understood"),
    [
        (["Where was", " Steven Spielberg", " born?"], "Where was Steven Spielberg born?"),
        (["Where was", " Zarbulon", " born?"], "Where was Steven Spielberg born?"),  # invented: by the rules then
        (["Sorry", " cannot"], "Where was Steven Spielberg born?"),
    ],
)
def test_a_language_model_may_write_the_question(
    pipeline: Pipeline, tmp_path: Path, pieces: list[str], understood: str
) -> None:
    write = writing_with(str(write_reciter(tmp_path / "writes.gguf", pieces)), "--rewriter")
    chat = Chat(pipeline, rewriter=Rewriter(write, pipeline.linker))
    chat.ask("Who directed Jaws?")
    assert chat.ask("Where was he born?").understood == understood


def test_what_cannot_write_rewrites_nothing() -> None:
    done = kgask("chat", "--rewriter", "reader", stdin="Who directed Jaws?\n")
    assert done.returncode == 2 and "it reads and cannot write" in done.stderr


# --- sessions -----------------------------------------------------------------------------------


def test_a_session_goes_on_after_a_kill(pipeline: Pipeline, tmp_path: Path) -> None:
    path, chat = tmp_path / "talk.jsonl", Chat(pipeline)
    log = Log(path, chat)
    for line in ("Who directed Jaws?", "What is the capital of Kenya?"):
        log.add(chat.ask(line))
    log.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:-10])  # the turn in progress was cut
    again = Chat(pipeline)
    other = Log(path, again)
    assert [turn.line for turn in again.turns] == ["Who directed Jaws?"]
    other.add(again.ask("Where was he born?"))
    other.close()
    assert said(again.turns[-1]) == "Cincinnati"
    assert [turn.line for turn in read(path, Chat(pipeline))] == ["Who directed Jaws?", "Where was he born?"]


def test_what_is_forgotten_stays_forgotten(pipeline: Pipeline, tmp_path: Path) -> None:
    path, chat = tmp_path / "talk.jsonl", Chat(pipeline)
    log = Log(path, chat)
    for line in ("Who directed Jaws?", "What is the capital of Kenya?"):
        log.add(chat.ask(line))
    before = path.read_bytes()
    chat.undo()
    log.rewrite()
    log.close()
    assert path.read_bytes().startswith(before)  # nothing is overwritten: a kill loses no turn
    assert [turn.line for turn in read(path, Chat(pipeline))] == ["Who directed Jaws?"]


def test_two_chats_on_one_session_do_not_mix(pipeline: Pipeline, tmp_path: Path) -> None:
    log = Log(tmp_path / "talk.jsonl", Chat(pipeline))
    with pytest.raises(UsageError, match="another chat"):
        Log(tmp_path / "talk.jsonl", Chat(pipeline))
    log.close()
    Log(tmp_path / "talk.jsonl", Chat(pipeline)).close()


@pytest.mark.parametrize("text", ["not one", '{"magic": "other"}\n', '{"magic": "kgask-chat", "pack": "another"}\n'])
def test_what_is_no_session_of_this_pack_is_refused(pipeline: Pipeline, tmp_path: Path, text: str) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError):
        Log(path, Chat(pipeline))
    assert path.read_text(encoding="utf-8") == text


def test_what_is_saved_is_read(pipeline: Pipeline, tmp_path: Path) -> None:
    chat = Chat(pipeline)
    chat.ask("Who directed Jaws?")
    save(tmp_path / "kept.jsonl", chat)
    other = Chat(pipeline)
    other.turns = [*read(tmp_path / "kept.jsonl", other)]
    assert said(other.ask("Where was he born?")) == "Cincinnati"


# --- the command --------------------------------------------------------------------------------


def test_a_line_in_a_line_out() -> None:
    done = kgask("chat", "--no-reader", stdin="Who directed Jaws?\nWhere was he born?\nthanks\n")
    assert (done.returncode, done.stdout) == (0, "Steven Spielberg\nCincinnati\n\n")
    assert kgask("chat", "--no-reader", stdin="\n???\nWho directed Jaws?\n").stdout == "\n\nSteven Spielberg\n"
    assert "understood as: Where was Steven Spielberg born?" in done.stderr


def test_json_has_turns_and_reset_is_silent() -> None:
    done = kgask("chat", "-j", "--no-reader", stdin="Who directed Jaws?\n/reset\nWhere was he born?\n")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(one["turn"], one["answer"]) for one in found] == [(1, "Steven Spielberg"), (1, None)]
    assert all("understood" in one and "hashes" in one for one in found)


def test_commands(tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    lines = [
        "Who directed Jaws?",
        "/facts",
        "/sparql",
        "/more",
        "/why",
        f"/save {kept}",
        "/undo",
        "/pack",
        "/help",
        "/quit",
        "x",
    ]
    done = kgask("chat", "--no-reader", stdin="\n".join(lines))
    assert done.returncode == 0 and kept.is_file()
    assert "Jaws\tdirector\tSteven Spielberg" in done.stdout and "SELECT" in done.stdout
    assert "forgotten: Who directed Jaws?" in done.stderr and "/load FILE" in done.stderr


def test_bad_commands_are_one_line_and_the_talk_goes_on() -> None:
    done = kgask("chat", "--no-reader", stdin="/nothing\n/why\n/save\nWho directed Jaws?\n")
    assert (done.returncode, done.stdout) == (0, "Steven Spielberg\n")
    assert done.stderr.count("\n") == 3 and "/help lists them" in done.stderr


def test_a_file_that_cannot_be_used_ends_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("", encoding="utf-8")
    lines = [f"/save {tmp_path}/no/x", f"/load {tmp_path}/empty", "/load /dev/zero", "/save a\0b", "Who directed Jaws?"]
    done = kgask("chat", "--no-reader", stdin="\n".join(lines))
    assert (done.returncode, done.stdout) == (0, "Steven Spielberg\n") and done.stderr.count("\n") == 4


def test_a_session_of_the_command(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    kgask("chat", "--no-reader", "--session", str(path), stdin="Who directed Jaws?\n")
    done = kgask("chat", "--no-reader", "--session", str(path), stdin="Where was he born?\n")
    assert done.stdout == "Cincinnati\n" and "1 turns; going on" in done.stderr


# --- sets ---------------------------------------------------------------------------------------


def test_conversations_are_judged_by_turn(pipeline: Pipeline, tmp_path: Path) -> None:
    path = tmp_path / "talks.yaml"
    path.write_text(
        """
- turns:
  - {q: "Who directed Jaws?", gold: "follow(<Q189505|Jaws>, <P57|director>)"}
  - {q: "Where was he born?", kind: pronoun, gold: "follow(<Q8877|Steven Spielberg>, <P19|place of birth>)"}
  - {q: "What is his shoe size?", kind: pronoun, gold: none}
""",
        encoding="utf-8",
    )
    outcomes = [*conversations.talk(pipeline, load_conversations(path), Chat(pipeline).options)]
    assert [one.right for one in outcomes] == [True, True, True]
    figures = conversations.figures(outcomes)
    assert (figures["follow_ups_right"], figures["pronouns_understood"]) == (1.0, 1.0)
    assert [one.names_right for one in outcomes] == [True, True, None] and outcomes[0].to_dict()["names_right"]
    path.write_text("- {turns: []}\n", encoding="utf-8")
    with pytest.raises(UsageError, match="conversation 1: expected turns"):
        load_conversations(path)


# --- what a later turn goes on from -------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (
            (
                "What is the capital of Kenya?",
                "And of Uganda?",
                "Which of the two countries is larger?",
                "By how much?",
            ),
            "338817",
        ),
        (("What is gold's melting point?", "And silver?", "Is that higher than gold's?"), "no"),
        (("Which countries border Sweden?", "Do they all use the euro?"), "no"),
        (("Which countries border Sweden?", "Do they border Russia?"), "yes"),
        (
            ("Who won the Nobel Peace Prize in 1964?", "Where was he born?", "And the year after?"),
            "United Nations Children's Fund",
        ),
        (
            (
                "Which islands belong to Italy?",
                "Which is the biggest one?",
                "What is its area?",
                "And the one after that?",
            ),
            "Sardinia",
        ),
        (("Which river flows through Vienna?", "Which countries does it cross?"), None),
        (("Who directed Titanic?", "And Jaws?", "Which films have they made together?"), None),
        (("who discovered radium", "where was she born"), "Warsaw"),
        (("john lennon", "who was he married to?"), "Yoko Ono"),
        (("When was NATO founded?", "Is Iceland a member?", "And Ireland?"), "no"),
        (("What is Africa's highest volcano?", "In which country is that one?"), "Tanzania"),
        (
            (
                "What lakes are there in Sweden?",
                "Which is the largest?",
                "How deep is it?",
                "How many was that in all?",
            ),
            "5",
        ),
        (("Who got the economics Nobel in 1994?", "Who of the three lived longest?"), "John F. Nash Jr."),
        (("Which is the newest of the countries of Africa?", "When was that?"), "2011-07-09"),
        (("where was Yoko Ono born", "who is she married to", "children of john?"), "Sean Lennon | Julian Lennon"),
        (("how high is Mont Blanc", "how much higher is everest"), "4040"),
        (
            ("what countries border switzerland", "which of them is the biggest", "which currency do they use there"),
            "Euro",
        ),
        (("what is the capital of france", "what is the official language there"), "French"),
    ],
)
def test_what_was_told_before(pipeline: Pipeline, lines: tuple[str, ...], answer: str | None) -> None:
    chat = Chat(pipeline)
    turns = [chat.ask(line) for line in lines]
    said = turns[-1].answer
    assert said is not None
    assert (said.text if said else None) == answer
