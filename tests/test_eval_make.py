"""Made questions: who is asked about, what is asked, and whether the pack proves the answers."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from reciter import write_reciter

from kgask.build.writer import PackBuilder
from kgask.cli.eval_make import make as make_command
from kgask.cli.main import cli
from kgask.errors import UsageError
from kgask.eval.make import CONVERSATION, MAX_ANSWERS, Made, Settings, make
from kgask.eval.make_sample import (
    DEGREE_BANDS,
    VIEW_BANDS,
    Rules,
    informative,
    parse_bands,
    read_rules,
    read_views,
    sample,
)  # fmt: skip
from kgask.eval.make_wording import MAX_WRITTEN
from kgask.pack.literals import parse_literal
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.sets import registry

BANDS = "busy=8,rare=5"
FIRST = ("Amber", "Birch", "Coral", "Dusk", "Ember", "Fern")
SECOND = ("Harbour", "Lantern", "Orchard", "Quarry")


def build(target: Path) -> Path:
    """24 films with a director, two actors, a genre, a year and an identifier; all of them are instances of film."""
    builder, rng = PackBuilder(), random.Random(5)
    people = [f"{name} {family}" for name in ("Ann", "Bob", "Carl", "Dora") for family in ("Ray", "Moss", "Quill")]
    for number, title in enumerate(f"{one} {two}" for one in FIRST for two in SECOND):
        cast = rng.sample(people, 3)
        builder.add(title, "director", cast[0])
        builder.add(title, "cast member", cast[1])
        builder.add(title, "cast member", cast[2])
        builder.add(title, "genre", ("drama", "comedy", "western")[number % 3])
        builder.add(title, "publication year", parse_literal("date", str(1980 + number % 7)))
        builder.add(title, "catalogue number", parse_literal("string", f"FX-{number}"))
        builder.add(title, "instance of", "film")
        builder.add(title, "shown in", "everywhere" if number else "nowhere")
    for number, person in enumerate(people):
        builder.add(person, "place of birth", ("Limerick", "Cork")[number % 2])
    builder.label("Fern Quarry", "AMBER harbour")  # another film of the name
    builder.write(target)
    return target


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("made") / "films")


def settings(number: int = 20, conversations: int = 4, rng_seed: int = 0) -> Settings:
    return Settings(number, conversations, rng_seed, parse_bands(BANDS), read_rules(None))


@pytest.fixture(scope="module")
def made(path: Path) -> tuple[list[Made], dict]:
    with Pack.open(path) as pack:
        return make(pack, settings())


# --- sampling ---------------------------------------------------------------------------------


def test_relations_that_say_little_are_dropped(path: Path) -> None:
    with Pack.open(path) as pack:
        kept = informative(pack, read_rules(None))
        labels = [label for label, keep in zip(pack.relation_labels(), kept, strict=True) if keep]
        assert labels == ["cast member", "director", "genre", "place of birth", "publication year"]
        assert informative(pack, Rules((), ())).all()


def test_entities_have_5_to_100_informative_triples_and_a_name_of_their_own(path: Path) -> None:
    with Pack.open(path) as pack:
        rules = read_rules(None)
        found = sample(pack, parse_bands(BANDS), rules, random.Random(0), None)
        kept = informative(pack, rules)
        for name, entities in found.by_band.items():
            for entity in entities:
                rows = [*pack.out_relation[pack.out_indptr[entity] : pack.out_indptr[entity + 1]],
                        *pack.in_relation[pack.in_indptr[entity] : pack.in_indptr[entity + 1]]]  # fmt: skip
                n_triples = int(kept[rows].sum())
                assert 5 <= n_triples <= 100 and name == ("busy" if n_triples >= 8 else "rare")
        labels = pack.labels(entity for entities in found.by_band.values() for entity in entities)
        assert "Birch Harbour" in labels and "Limerick" in labels
        assert "film" not in labels, "it stands in uninformative triples only"
        assert found.ambiguous == 2 and "Amber Harbour" not in labels and "AMBER harbour" not in labels


def test_views_take_the_place_of_degree(path: Path, tmp_path: Path) -> None:
    views = tmp_path / "views.tsv"
    views.write_text("Birch Harbour\t25000\nCoral Quarry\t40\nunknown\t7\nDusk Lantern\t3\n")
    with Pack.open(path) as pack:
        found = sample(pack, parse_bands(VIEW_BANDS), read_rules(None), random.Random(0), read_views(pack, views))
        named = {name: pack.labels(entities) for name, entities in found.by_band.items()}
    assert named == {"I": ["Birch Harbour"], "II": [], "III": [], "IV": ["Coral Quarry"]}


@pytest.mark.parametrize("line", ["Birch Harbour", "Birch Harbour\tmany", "Birch Harbour\t-1", "Birch Harbour\tnan"])
def test_views_that_are_none_name_their_line(path: Path, tmp_path: Path, line: str) -> None:
    views = tmp_path / "views.tsv"
    views.write_text(f"Coral Quarry\t1\n{line}\n")
    with Pack.open(path) as pack, pytest.raises(UsageError, match=r"views.tsv:2: expected"):
        read_views(pack, views)


@pytest.mark.parametrize("text", ["", "a", "a=b", "=3", "a=1,b=2", "a=2,a=1", "a=nan", "a=1,,b=0"])
def test_bands_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="bands"):
        parse_bands(text)
    assert [band.name for band in parse_bands(DEGREE_BANDS)] == ["head", "torso", "tail"]


@pytest.mark.parametrize("line", ["label (", "colour red", "most-common-object many", "one-use-text 2"])
def test_broken_rules_name_their_line(tmp_path: Path, line: str) -> None:
    rules = tmp_path / "rules.txt"
    rules.write_text(f"# mine\nlabel director\n{line}\n")
    with pytest.raises(UsageError, match=r"rules.txt:3: "):
        read_rules(rules)


# --- questions --------------------------------------------------------------------------------


def test_every_question_is_proved_by_its_triples_and_by_all_of_them(path: Path, made: tuple[list[Made], dict]) -> None:
    with Pack.open(path) as pack:
        relations = {relation.key: number for number, relation in enumerate(pack.relations())}
        for each in made[0]:
            gold = each.gold
            topic, relation = pack.find_key(gold.topics[0].key), relations[gold.relations[0].removeprefix("^")]
            inverse = gold.relations[0].startswith("^")
            s, r, o = pack.triples(range(pack.n_triples))
            ends = (s if inverse else o)[(r == relation) & ((o if inverse else s) == topic)]
            assert {answer.key for answer in gold.answers} == set(pack.keys(ends))
            assert [answer.names[0] for answer in gold.answers] == pack.labels(
                pack.find_key(answer.key) for answer in gold.answers
            )
            assert len(gold.triples) == len(gold.answers) <= MAX_ANSWERS
            assert all(gold.topics[0].key in (triple[0], triple[2]) for triple in gold.triples)


def test_questions_name_their_topic_and_no_two_are_alike(made: tuple[list[Made], dict]) -> None:
    questions = [each.gold for each in made[0] if each.gold.kind == "question"]
    assert len(questions) == 20
    assert all(normalise(gold.topics[0].name) in normalise(gold.text) for gold in questions)
    assert len({normalise(gold.text) for gold in questions}) == len(questions)
    assert max(Counter(gold.topics[0].key for gold in questions).values()) <= 3
    assert {gold.band for gold in questions} == {"busy", "rare"}


def test_conversations_go_on_without_names(made: tuple[list[Made], dict]) -> None:
    talks: dict[str, list] = {}
    for each in made[0]:
        if each.gold.kind == CONVERSATION:
            talks.setdefault(each.gold.id.partition("/")[0], []).append(each.gold)
    assert len(talks) == 4
    for turns in talks.values():
        assert 3 <= len(turns) <= 5
        assert turns[0].topics[0].name in turns[0].text
        for before, turn in zip(turns, turns[1:], strict=False):
            said = (before.text, ", ".join(answer.names[0] for answer in before.answers))
            assert turn.history == (*before.history, said)
            assert turn.topics[0].name not in turn.text
            about_first = turn.topics == turns[0].topics
            assert about_first or [turn.topics[0].key] == [answer.key for answer in before.answers]
    assert any(turn.topics != turns[0].topics for turns in talks.values() for turn in turns), "none about an answer"


def test_the_same_seed_makes_the_same_and_another_does_not(path: Path, made: tuple[list[Made], dict]) -> None:
    with Pack.open(path) as pack:
        assert make(pack, settings()) == made
        assert make(pack, settings(rng_seed=1))[0] != made[0]


def test_the_report_counts_what_was_made(made: tuple[list[Made], dict]) -> None:
    golds, report = [each.gold for each in made[0]], made[1]
    assert report["questions"] == 20 and report["conversations"] == 4
    assert report["turns"] == len(golds) - 20 == sum(report["by_band"].values()) - 20
    assert report["relations_left_out"] == ["catalogue number", "instance of", "shown in"]
    assert sum(report["answers"].values()) == len(golds)
    assert report["holds"] == 1.0 and report["entities_left_out_for_a_shared_name"] == 2


def test_the_recheck_finds_a_triple_that_is_not_there(path: Path, made: tuple[list[Made], dict]) -> None:
    from kgask.eval.make import recheck

    good, other = made[0][0], made[0][1]
    with Pack.open(path) as pack:
        assert recheck(pack, [good]) == 1.0
        assert recheck(pack, [good, Made(good.gold, other.rows)]) == 0.5
        assert recheck(pack, [Made(good.gold, (pack.n_triples,))]) == 0.0


def test_a_writer_words_the_question_and_is_refused_where_it_tells(path: Path) -> None:
    prompts: list[str] = []

    def write(prompt: str) -> str:
        prompts.append(prompt)
        topic = prompt.partition(" about ")[2].partition(". It asks")[0]
        return [f"  What of\n{topic}? ", "What?", f"{topic} " * MAX_WRITTEN][len(prompts) % 3]

    with Pack.open(path) as pack:
        found, report = make(pack, settings(number=9, conversations=0), write=write)
    written = sum(each.gold.text.startswith("What of ") for each in found)
    assert report["refused_of_the_writer"] + written == len(prompts)
    assert 0 < report["refused_of_the_writer"] < len(prompts)
    assert all(each.gold.topics[0].name in each.gold.text and len(each.gold.text) <= MAX_WRITTEN for each in found)


# --- the command ------------------------------------------------------------------------------


def test_the_command_writes_what_the_registry_reads(path: Path, tmp_path: Path, made: tuple[list[Made], dict]) -> None:
    out = tmp_path / "made.jsonl"
    words = [str(path), "-o", str(out), "--number", "20", "--conversations", "4", "--bands", BANDS, "--json"]
    done = CliRunner().invoke(make_command, words, catch_exceptions=False)
    assert done.exit_code == 0
    assert registry.load("jsonl", out) == [each.gold for each in made[0]]
    assert json.loads(done.stdout) == made[1]


def test_the_command_says_when_there_is_nobody_to_ask_about(path: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="other --bands"):
        words = [str(path), "-o", str(tmp_path / "x"), "--bands", "a=99"]
        CliRunner().invoke(make_command, words, catch_exceptions=False)
    assert not (tmp_path / "x").exists()


def test_views_of_a_pack_are_zero_where_none_is_given(path: Path, tmp_path: Path) -> None:
    (tmp_path / "v.tsv").write_text("Coral Quarry\t12\n")
    with Pack.open(path) as pack:
        views = read_views(pack, tmp_path / "v.tsv")
        assert views[pack.find_key("Coral Quarry")] == 12 and np.count_nonzero(views) == 1


def test_a_language_model_words_the_questions_and_a_template_where_it_cannot(tmp_path: Path) -> None:
    """It always writes the same: that is a question about Ann Ray, and none about anything else."""
    builder = PackBuilder()
    for topic in ("Ann Ray", "Carl Moss"):
        for n in range(6):
            builder.add(f"{topic} film {n}", "director", topic)
            builder.add(topic, f"relation {n}", f"{topic} thing {n}")
    builder.write(tmp_path / "pack")
    model = write_reciter(tmp_path / "writer.gguf", ["What is", " there to say", " about", " Ann Ray?", "\nMore"])
    out = tmp_path / "made.jsonl"
    given = ["eval", "make", str(tmp_path / "pack"), "-o", str(out), "--number", "30", "--writer", str(model), "--json"]
    done = CliRunner().invoke(cli, given)
    assert done.exit_code == 0, done.output
    texts = {gold.text for gold in registry.load("jsonl", out)}
    assert "What is there to say about Ann Ray?" in texts and any("Carl Moss" in text for text in texts)
    assert json.loads(done.stdout)["refused_of_the_writer"] > 0
    told = CliRunner().invoke(cli, [*given[:-2], "reader", "--force"])
    assert isinstance(told.exception, UsageError) and "--writer FILE.gguf" in str(told.exception)
