"""Sources that are made to fool a build: endless, deep, or larger than they look; each is a line that says where."""

from __future__ import annotations

import bz2
import os
import random
from pathlib import Path

import pytest

from kgask.build import rdf, settle, source, terms, writer
from kgask.build.recipe import Recipe, build
from kgask.build.writer import PackBuilder
from kgask.errors import BuildError
from kgask.pack.literals import parse_literal

_RDF = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e.org/">'
_ABOUT = '<rdf:Description rdf:about="http://e.org/a{0}"><e:p>'
_BOMB = "".join(f'<!ENTITY l{at} "{f"&l{at - 1};" * 10}">' for at in range(1, 9))
_LONG = "x" * (17 << 20)
_NAMESPACES = "<e:a " + " ".join(f'xmlns:m{at}="http://e.org/m"' for at in range(996)) + "/>"
_ATTRIBUTES = " ".join(f"e:p{at}='1'" for at in range(1001))
REFUSED = {
    "entities.rdf": (
        f'<!DOCTYPE r [<!ENTITY l0 "lol">{_BOMB}]>{_RDF}<e:a e:p="&l8;"/></rdf:RDF>',
        r"entities.rdf:1: the entity 'l1' refers to another one",
    ),
    "nested.rdf": (
        _RDF + "\n" + "".join(map(_ABOUT.format, range(60))) + "</e:p></rdf:Description>" * 60 + "</rdf:RDF>",
        r"nested.rdf:2: elements nested more than 100 deep",
    ),
    "nested.jsonld": (
        '{"@context": {"p": "http://e.org/p"},\n"p": "\\"[[", "p": ' + '{"p": ' * 100 + '"x"' + "}" * 101,
        r"nested.jsonld:2: nested more than 100 deep",
    ),
    "attributes.rdf": (
        f"{_RDF}\n<e:a {_ATTRIBUTES}/></rdf:RDF>",
        r"attributes.rdf:2: more than 1000 attributes",
    ),
    "namespaces.rdf": (
        _RDF + "".join(f'<e:a xmlns:n{at}="http://e.org/{at}"><e:p>' for at in range(3)) + _NAMESPACES,
        r"namespaces.rdf:1: more than 1000 attributes or namespaces",
    ),
    "much.jsonl": (
        f'{{"subject": "a", "relation": "b", "object": {list(range(400))}, "qualifiers": {{"q": {list(range(300))}}}}}',
        r"much.jsonl:1: 400 objects with 300 qualifiers each; at most 100,000 in all",
    ),
    "long.ttl": (f'<http://e/a> <http://e/b> """\n\n{_LONG}""" .', r"long.ttl:3: a statement or literal is too long"),
    "long.nt": (f'<http://e/a> <http://e/b> "{_LONG[: (1 << 20) + 1]}" .\n', r"a literal longer than 1,048,576"),
    "relations.tsv": ("".join(f"a\tr{at}\tb\n" for at in range(40)), r"40 relations, of which a pack holds at most 30"),
}


def built(path: Path, format: str | None = None) -> list[str]:
    """What is told while a source becomes a pack."""
    told: list[str] = []
    build(Recipe(sources=(str(path),), target=path.with_name("pack"), format=format, force=True), told.append)
    return told


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_with_a_line(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settle, "MOST_RELATIONS", 30)
    content, why = REFUSED[name]
    (tmp_path / name).write_text(content)
    with pytest.raises(BuildError, match=why):
        built(tmp_path / name)
    assert not (tmp_path / "pack").exists()


def test_contexts_that_cost_more_than_their_size_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rdf, "_FREE_SECONDS", 0.0)
    monkeypatch.setattr(rdf, "_SECONDS_A_BYTE", 0.0)
    objects = ", ".join(f'{{"@context": {{"x": "http://e.org/{at}"}}, "x": "y"}}' for at in range(2000))
    terms = ", ".join(f'"t{at}": "http://e.org/t{at}"' for at in range(300))
    path = tmp_path / "contexts.jsonld"
    path.write_text(f'{{"@context": {{{terms}}}, "@graph": [\n{objects}]}}')
    with pytest.raises(BuildError, match=r"contexts.jsonld:\d: \d s for [\d,]+ bytes: its contexts or prefixes cost"):
        built(path)


def test_what_unpacks_to_very_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "_FREE_BYTES", 1 << 20)
    path = tmp_path / "zeros.nt.bz2"
    path.write_bytes(bz2.compress(b"\n" * (3 << 20)))
    with pytest.raises(BuildError, match=r"zeros.nt.bz2: unpacks to more than 500 times its size"):
        built(path)


def test_a_last_line_without_an_end_is_told(tmp_path: Path) -> None:
    path = tmp_path / "cut.tsv"
    path.write_text("Ann\tlives in\tLondon\nBob\tlives in\tLon")
    assert built(path) == [f"{path}:2: the file ends within this line; if it is cut short, so is the last field"]
    path.write_text("Ann\tlives in\tLondon\n")
    assert built(path) == []


@pytest.mark.parametrize("name", ["pipe", "zero"])
def test_a_pipe_or_device_is_no_source(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    with pytest.raises(BuildError, match="a pipe or a device, not a file; what a pipe gives is read as -"):
        built(tmp_path / name, format="tsv")


def said(rng_seed: int, path: Path, repeats_at: int) -> tuple[object, ...]:
    """A pack of random triples and statements, many of them said again; repetitions are dropped now and then."""
    builder, random_ = PackBuilder(), random.Random(rng_seed)
    builder._repeats_at = repeats_at

    def key() -> str:
        return f"e{random_.randrange(4)}"

    for _ in range(random_.choice([30, 200])):
        number = parse_literal("number", str(random_.randrange(3)))
        pairs = [(f"q{random_.randrange(2)}", random_.choice([key(), number])) for _ in range(random_.randrange(4))]
        kind = random_.random()
        if kind < 0.7:
            builder.add(key(), f"r{random_.randrange(3)}", key(), pairs)
        elif kind < 0.85:
            builder.add(key(), f"r{random_.randrange(3)}", key(), node=f"n{random_.randrange(4)}")
        else:
            builder.add(f"n{random_.randrange(4)}", f"q{random_.randrange(2)}", key())
    report = builder.write(path, force=True)
    return report.manifest["content_sha256"], report.manifest["counts"], report.nested


def test_a_pack_is_the_same_with_repetitions_dropped_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "_REPEATS_FROM", 3)
    for rng_seed in range(12):
        whole = said(rng_seed, tmp_path / "pack", 1 << 20)
        assert said(rng_seed, tmp_path / "pack", 3) == whole
        assert said(rng_seed, tmp_path / "pack", 40) == whole


def test_memory_follows_what_is_distinct(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "_REPEATS_FROM", 1000)
    builder, most = PackBuilder(), 0
    builder.add("Ann", "child", "Bob")
    for at in range(20_000):
        builder.add("Ann", "child", "Bob", [("in", f"{at % 50}")] if at % 2 else ())
        most = max(most, builder.n_added)
    report = builder.write(tmp_path / "pack")
    assert (report.duplicates, report.manifest["counts"]["triples"]) == (10_000, 1)
    assert most <= 1000


def test_a_key_has_a_longest_length() -> None:
    with pytest.raises(BuildError, match="a key longer than 1,048,576 characters"):
        terms.Terms().entity("k" * (terms.MOST_CHARS + 1))
