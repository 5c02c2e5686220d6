"""Packs with other names and packs with fewer triples: what stays the same, and what must not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from kgask.build.writer import PackBuilder
from kgask.cli.eval_make import half, rename
from kgask.errors import BuildError, UsageError
from kgask.eval.half import draw_triples, write_half
from kgask.eval.make_names import InventedNames
from kgask.eval.rename import invent_names, rename_questions, write_renamed
from kgask.pack.check import check_pack
from kgask.pack.literals import parse_literal
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.sets import registry
from kgask.sets.gold import Gold, GoldAnswer, GoldTopic
from kgask.sets.own import write_jsonl


@pytest.fixture(scope="module")
def films(films_path: Path) -> Path:
    return films_path


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Wikidata ids, two people of one name, an alias, a description."""
    builder = PackBuilder()
    builder.add("Q1", "P57", "Q10")
    builder.add("Q2", "P57", "Q10")
    builder.add("Q3", "P57", "Q11")
    builder.add("Q1", "P577", parse_literal("date", "1999"))
    for key, label in (("Q1", "North Road"), ("Q2", "North"), ("Q3", "comedy"), ("Q10", "Ann Ray"), ("Q11", "Ann Ray")):
        builder.label(key, label)
    builder.alias("Q10", "Annie")
    builder.description("Q10", "the director of North Road")
    builder.relation("P57", "director", aliases=["filmmaker"], inverse_label="directed")
    target = tmp_path_factory.mktemp("keyed") / "keyed"
    builder.write(target, licences=["CC0-1.0"])
    return target


def triples_by_key(pack: Pack) -> set[tuple[str, str, str]]:
    s, r, o = pack.triples(range(pack.n_triples))
    relations = [relation.key for relation in pack.relations()]
    return {(a, relations[b], c) for a, b, c in zip(pack.keys(s), r.tolist(), pack.keys(o), strict=True)}


def all_names(pack: Pack) -> set[str]:
    aliases = [name for _, name in pack.names.aliases_between(0, pack.n_entities - 1)]
    return {normalise(name) for name in [*pack.labels(range(pack.n_entities - pack.n_literals)), *aliases]}


# --- renamed packs ----------------------------------------------------------------------------


def test_the_renamed_pack_is_the_same_graph_under_other_names(films: Path, tmp_path: Path) -> None:
    with Pack.open(films) as old:
        naming = invent_names(old, 7)
        write_renamed(old, tmp_path / "new", naming, 7)
        assert check_pack(tmp_path / "new") == []
        with Pack.open(tmp_path / "new") as new:
            named = range(old.n_entities - old.n_literals)
            key = dict(zip(old.keys(named), naming.keys, strict=True))
            assert triples_by_key(new) == {(key[s], r, key.get(o, o)) for s, r, o in triples_by_key(old)}
            assert new.relation_labels() == old.relation_labels() and new.n_literals == old.n_literals
            words = {word for name in all_names(old) for word in name.split()}
            assert not words & {word for name in all_names(new) for word in name.split()}
            assert len(all_names(new)) == len(named)


def test_ids_that_tell_nothing_are_kept_and_texts_that_tell_names_dropped(keyed: Path, tmp_path: Path) -> None:
    with Pack.open(keyed) as old:
        naming = invent_names(old, 0)
        write_renamed(old, tmp_path / "new", naming, 0)
        with Pack.open(tmp_path / "new") as new:
            assert triples_by_key(new) == triples_by_key(old)
            assert not all_names(old) & all_names(new)
            assert set(new.descriptions(range(new.n_entities))) == {""}
            assert new.relations()[0].aliases == ("filmmaker",) and new.relations()[0].inverse_label == "directed"
            assert new.manifest["licences"] == ["CC0-1.0"]
            assert "invented names, seed 0" in new.manifest["sources"][-1]
            assert new.labels([new.find_key("Q3")])[0].islower() and not new.labels([new.find_key("Q1")])[0].islower()


def test_the_same_seed_invents_the_same_names(films: Path) -> None:
    with Pack.open(films) as pack:
        assert invent_names(pack, 3) == invent_names(pack, 3)
        assert invent_names(pack, 3).labels != invent_names(pack, 4).labels


@given(st.lists(st.text(max_size=30), max_size=60), st.integers(0, 1000))
@settings(deadline=None)
def test_invented_names_are_unique_and_of_as_many_words(labels: list[str], rng_seed: int) -> None:
    taken = {"ba", "bada", "north"}
    names = InventedNames(rng_seed, taken)
    made = [names.like(label) for label in labels]
    assert len({name.lower() for name in made}) == len(made)
    for label, name in zip(labels, made, strict=True):
        assert len(name.split()) == max(1, min(4, len(label.split())))
        assert not taken & set(name.lower().split())


# --- renamed questions ------------------------------------------------------------------------

WHO = Gold("a", "Who directed North Road?", (GoldAnswer(("Carl Moss",)),), (GoldTopic("North Road"),), ("director",))


def renamed_of(path: Path, *golds: Gold) -> tuple[dict[str, str], list[Gold], dict[str, str]]:
    """(old label -> new label, renamed questions, id -> why it is left out)"""
    with Pack.open(path) as pack:
        naming = invent_names(pack, 1)
        found = rename_questions(pack, naming, golds)
        labels = dict(zip(pack.labels(range(len(naming.labels))), naming.labels, strict=True))
        assert [gold.id for gold in found.originals] == [gold.id for gold in found.renamed]
        assert len(found.renamed) + len(found.left_out) == len(golds)
        return labels, list(found.renamed), {each.id: each.reason for each in found.left_out}


def test_topic_answer_and_triples_are_renamed_alike(films: Path) -> None:
    triples = (("North Road", "director", "Carl Moss"), ("North Road", "publication year", '"1999"^^date'))
    name, (new,), _ = renamed_of(films, replace(WHO, triples=triples))
    road, moss = name["North Road"], name["Carl Moss"]
    assert new.text == f"Who directed {road}?" and new.topics == (GoldTopic(road),)
    assert new.answers == (GoldAnswer((moss,)),)
    assert new.triples == ((road, "director", moss), (road, "publication year", '"1999"^^date'))
    assert new.relations == WHO.relations


def test_literals_numbers_and_yes_stay(films: Path) -> None:
    answers = tuple(GoldAnswer((text,)) for text in ("1999", "yes", "3"))
    _, (new,), _ = renamed_of(films, replace(WHO, answers=answers))
    assert new.answers == answers


def test_the_history_is_renamed_too(films: Path) -> None:
    turns = (("What did Ann Ray direct?", "Stone Garden, The Long Wait"), ("And then?", ""))
    gold = replace(WHO, text="Where was Ann Ray born?", topics=(GoldTopic("Ann Ray"),), history=turns)
    name, (new,), _ = renamed_of(films, gold)
    ray, garden, wait = name["Ann Ray"], name["Stone Garden"], name["The Long Wait"]
    assert new.history == ((f"What did {ray} direct?", f"{garden}, {wait}"), ("And then?", ""))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"topics": ()}, "no topic is given"),
        ({"topics": (GoldTopic("Nobody"),)}, "topic not in the pack"),
        ({"topics": (GoldTopic("", "Q1"),)}, "topic not in the pack"),
        ({"text": "Who directed it?"}, "topic not found in the text"),
        ({"text": "Who directed the North Roads?"}, "topic not found in the text"),
        ({"text": "Is North Road not North Road?"}, "topic stands more than once in the text"),
        ({"answers": (GoldAnswer(("Some Body",)),)}, "answer not in the pack"),
        ({"triples": (("North Road", "director", "Some Body"),)}, "end of a reference triple not in the pack"),
        ({"history": (("Who?", "Some Body"),)}, "answer not in the pack"),
    ],
)
def test_what_is_not_sure_is_left_out_with_its_reason(films: Path, change: dict, reason: str) -> None:
    _, renamed, left_out = renamed_of(films, replace(WHO, **change), replace(WHO, id="fine"))
    assert left_out == {"a": reason} and [gold.id for gold in renamed] == ["fine"]


def test_a_name_of_two_entities_is_not_sure_but_a_key_is(keyed: Path) -> None:
    by_name = Gold("name", "What did Ann Ray direct?", topics=(GoldTopic("Ann Ray"),))
    by_key = Gold("key", "What did ann ray direct?", (GoldAnswer((), "Q2"),), (GoldTopic("Ann Ray", "Q10"),))
    by_id_only = Gold("id", "Who made North Road?", topics=(GoldTopic("", "Q1"),))
    both = Gold("both", "North Road or North?", topics=(GoldTopic("North Road", "Q1"), GoldTopic("North", "Q2")))
    _, renamed, left_out = renamed_of(keyed, by_name, by_key, by_id_only, both)
    assert left_out == {"name": "topic names more than one entity", "both": "topic stands more than once in the text"}
    with Pack.open(keyed) as pack:
        naming = invent_names(pack, 1)
        new = {key: naming.labels[pack.find_key(key)] for key in ("Q1", "Q2", "Q10")}
    assert renamed[0].text == f"What did {new['Q10'].lower()} direct?"
    assert renamed[0].answers == (GoldAnswer((new["Q2"],), "Q2"),) and renamed[0].topics[0].key == "Q10"
    assert renamed[1].text == f"Who made {new['Q1']}?"


# --- half a pack ------------------------------------------------------------------------------


@given(st.integers(1, 500), st.floats(0.01, 1), st.floats(0.01, 1), st.integers(0, 50))
@settings(deadline=None)
def test_a_smaller_share_is_part_of_a_larger_one(n_triples: int, one: float, other: float, rng_seed: int) -> None:
    small, large = (draw_triples(n_triples, share, rng_seed) for share in sorted((one, other)))
    assert set(small.tolist()) <= set(large.tolist()) <= set(range(n_triples))
    assert len(large) == len(set(large.tolist())) == max(1, round(max(one, other) * n_triples))


def test_half_of_a_pack_keeps_names_and_half_of_the_triples(family: Pack, tmp_path: Path) -> None:
    write_half(family, tmp_path / "half", 0.5, 2)
    assert check_pack(tmp_path / "half") == []
    with Pack.open(tmp_path / "half") as small:
        assert small.n_triples == round(family.n_triples / 2)
        assert triples_by_key(small) < triples_by_key(family)
        for key in small.keys(range(small.n_entities - small.n_literals)):
            old, new = family.find_key(key), small.find_key(key)
            assert family.labels([old]) == small.labels([new])
            assert family.descriptions([old]) == small.descriptions([new])


def test_all_of_a_pack_is_the_pack(family: Pack, tmp_path: Path) -> None:
    write_half(family, tmp_path / "all", 1.0, 0)
    with Pack.open(tmp_path / "all") as same:
        assert same.content_hash == family.content_hash
        for name in ("out_object", "in_subject", "out_relation"):
            assert np.array_equal(getattr(same, name), getattr(family, name))


@pytest.mark.parametrize("share", [0.0, -1.0, 1.01, float("nan")])
def test_a_share_that_is_none_is_refused(share: float) -> None:
    with pytest.raises(UsageError, match="share"):
        draw_triples(10, share, 0)


# --- commands ---------------------------------------------------------------------------------


def test_the_commands_write_packs_and_both_halves_of_the_questions(films: Path, tmp_path: Path) -> None:
    asked = tmp_path / "asked.jsonl"
    write_jsonl(asked, [WHO, replace(WHO, id="b", text="Who made it?")])
    out = tmp_path / "renamed.jsonl"
    files = ["-o", str(tmp_path / "new"), "--questions", str(asked), "--questions-out", str(out)]
    done = CliRunner().invoke(rename, [str(films), *files, "--seed", "1"], catch_exceptions=False)
    assert done.exit_code == 0 and "1 questions of 2" in done.stderr
    assert "left out: 1 questions, topic not found in the text (the first: b)" in done.stderr
    assert registry.load("jsonl", tmp_path / "renamed.original.jsonl") == [WHO]
    (new,) = registry.load("jsonl", out)
    with Pack.open(tmp_path / "new") as pack:
        assert pack.find_key(new.topics[0].name) is not None
    done = CliRunner().invoke(half, [str(films), "-o", str(tmp_path / "h"), "--share", "0.4"], catch_exceptions=False)
    assert done.exit_code == 0 and "6 triples" in done.stderr


def test_the_commands_refuse_before_they_work(films: Path, tmp_path: Path) -> None:
    only_in = CliRunner().invoke(rename, [str(films), "-o", str(tmp_path / "n"), "--questions", str(tmp_path)])
    assert only_in.exit_code == 2 and "go together" in only_in.stderr
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text(json.dumps("mine"))
    with pytest.raises(BuildError, match="not a pack"):
        CliRunner().invoke(half, [str(films), "-o", str(tmp_path / "full")], catch_exceptions=False)
    assert (tmp_path / "full" / "letter.txt").read_text() == '"mine"'
