"""Whatever goes into a pack comes out of it, from both directions."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgask.build.writer import PackBuilder
from kgask.errors import BuildError
from kgask.pack.check import check_pack
from kgask.pack.header import ARRAYS
from kgask.pack.literals import literal_key, literal_label, parse_literal
from kgask.pack.normalise import normalise
from kgask.pack.records import Literal
from kgask.pack.schema import split_key
from kgask.pack.store import Pack

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12)
FREE_KEYS = TEXT.filter(lambda text: not text.isspace() and not text.startswith('"'))
IRIS = st.sampled_from(["http://e/a#", "http://e/", "Q", "P", "/m/"]).flatmap(
    lambda prefix: (st.integers(0, 2000).map(str) | st.just("007")).map(lambda rest: prefix + rest)
)
KEYS = FREE_KEYS | IRIS
LITERALS = st.one_of(
    st.integers(-3000, 3000).map(lambda n: parse_literal("number", str(n), "km²" if n % 2 else "")),
    st.dates().map(lambda day: parse_literal("date", str(day))),
    st.integers(1, 3000).map(lambda n: parse_literal("date", f"{n} BCE")),
    TEXT.filter(lambda text: not text.isspace()).map(lambda text: parse_literal("string", text)),
)
TRIPLES = st.lists(st.tuples(KEYS, KEYS, KEYS | LITERALS), min_size=1, max_size=25)
LABELS = st.dictionaries(KEYS, TEXT.filter(lambda text: not text.isspace()), max_size=5)
Triple = tuple[str, str, "str | Literal"]


def _write(folder: Path, triples: list[Triple], labels: dict[str, str]) -> Pack:
    builder = PackBuilder()
    for triple in triples:
        builder.add(*triple)
    for key, label in labels.items():
        builder.label(key, label)
        builder.alias(key, f"also {label}")
    builder.write(folder)
    return Pack.open(folder)


def _key(term: str | Literal) -> str:
    return term if isinstance(term, str) else literal_key(term)


def _keyed(pack: Pack, subjects: np.ndarray, relations: np.ndarray, objects: np.ndarray) -> set[tuple[str, str, str]]:
    words = [relation.key for relation in pack.relations()]
    return set(zip(pack.keys(subjects), (words[r] for r in relations), pack.keys(objects), strict=True))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(TRIPLES, LABELS)
def test_the_same_triples_and_names_come_back(triples: list[Triple], labels: dict[str, str]) -> None:
    expected = {(s, r, _key(o)) for s, r, o in triples}
    with tempfile.TemporaryDirectory() as folder, _write(Path(folder) / "p", triples, labels) as pack:
        assert _keyed(pack, *pack.triples(np.arange(pack.n_triples))) == expected
        owners = np.repeat(np.arange(pack.n_entities), np.diff(pack.in_indptr))
        assert _keyed(pack, pack.in_subject, pack.in_relation, owners) == expected
        assert pack.n_triples == len(expected)
        for term in {x for s, _, o in triples for x in (s, o)}:
            entity = pack.find_key(_key(term))
            assert entity is not None
            label = labels.get(term) if isinstance(term, str) else literal_label(term)
            assert label is None or pack.labels([entity]) == [label]
            found = pack.exact([normalise(pack.labels([entity])[0])])
            assert entity in {hit.entity for hits in found.values() for hit in hits}
        assert check_pack(pack.path) == []


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(TRIPLES, LABELS, st.randoms(use_true_random=False))
def test_the_order_of_sources_does_not_matter(
    triples: list[Triple], labels: dict[str, str], random: random.Random
) -> None:
    shuffled, items = [*triples, *triples[:3]], list(labels.items())
    random.shuffle(shuffled)
    random.shuffle(items)
    with (
        tempfile.TemporaryDirectory() as folder,
        _write(Path(folder) / "a", triples, labels) as a,
        _write(Path(folder) / "b", shuffled, dict(items)) as b,
    ):
        assert a.content_hash == b.content_hash
        assert a.relation_hash == b.relation_hash
        for name in ARRAYS:
            assert (a.path / f"{name}.npy").read_bytes() == (b.path / f"{name}.npy").read_bytes()


@given(st.text())
def test_split_keys_come_together(key: str) -> None:
    prefix, rest = split_key(key)
    assert f"{prefix}{rest}" == key


def test_the_content_hash_is_of_the_content(tmp_path: Path) -> None:
    hashes = set()
    for number, (obj, label) in enumerate([("b", "B"), ("c", "B"), ("b", "C")]):
        with _write(tmp_path / str(number), [("a", "r", obj)], {"a": label}) as pack:
            hashes.add(pack.content_hash)
    assert len(hashes) == 3


def test_labels_of_equal_rank(tmp_path: Path) -> None:
    """The lowest rank wins; others of that rank are aliases, unless they differ in case only."""
    builder = PackBuilder()
    builder.add("Q1", "P1", "Q2")
    for text, rank in [("Zed", 1), ("Bee", 0), ("Ay", 0), ("AY", 0)]:
        builder.label("Q1", text, rank)
    builder.label("Q9", "nobody")
    report = builder.write(tmp_path / "p")
    assert report.unused_texts == 1
    with Pack.open(tmp_path / "p") as pack:
        assert pack.labels([0]) == ["AY"]
        assert [hit.is_alias for hit in pack.exact(["bee"])["bee"]] == [True]
        assert not pack.exact(["zed", "nobody"])


@pytest.mark.parametrize(
    ("triple", "reason"),
    [
        (("", "r", "o"), "empty key"),
        (("s", " ", "o"), "empty relation"),
        (("s", "r", "a\0b"), "NUL"),
        (("s", "r", "\ud800"), "not Unicode"),
        (('"1811"^^date', "r", "o"), "right of a triple"),
        (("s", "r", Literal("number", "many")), "not a number"),
    ],
)
def test_what_a_pack_cannot_hold(triple: Triple, reason: str) -> None:
    with pytest.raises(BuildError, match=reason):
        PackBuilder().add(*triple)


def test_hostile_labels_are_stored_as_they_are(tmp_path: Path) -> None:
    labels = [
        "[bold red]x[/]",
        "a\nb\tc\r",
        "\x1b]0;title\x07\x1b[31m",
        "\u202egnp.exe",
        "x" * 100_000,
        "'; DROP TABLE--",
    ]
    triples = [(f"Q{number}", "P1", "Q0") for number in range(len(labels))]
    with _write(tmp_path / "p", triples, {f"Q{n}": label for n, label in enumerate(labels)}) as pack:  # type: ignore[arg-type]
        assert pack.labels(range(len(labels))) == labels
        for number, label in enumerate(labels):
            assert number in {hit.entity for hit in pack.exact([normalise(label)])[normalise(label)]}


def test_an_empty_pack_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="no triples"):
        PackBuilder().write(tmp_path / "p")
    assert list(tmp_path.iterdir()) == []
