"""Wikidata's JSON as a source."""

from __future__ import annotations

import bz2
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wikidata_dump import claim, dump, entity, item, quantity, snak, time

from kgask.answer.pipeline import Pipeline
from kgask.build.changes import patched
from kgask.build.outofcore.engine import build as build_out_of_core
from kgask.build.recipe import Recipe, build
from kgask.errors import BuildError, UsageError
from kgask.pack.check import check_pack
from kgask.pack.store import Pack

ENTITIES = [
    entity("Q142", "France", claim("P31", item("Q6256")), claim("P36", item("Q90")),
           claim("P2046", quantity("+543940", "Q712226")),
           claim("P1082", quantity("+66000000"), snak("P585", time("+2015-01-01"))),
           claim("P1082", quantity("+68000000"), snak("P585", time("+2023-01-01")), rank="preferred"),
           claim("P1082", quantity("+1"), rank="deprecated")),
    entity("Q183", "Germany", claim("P31", item("Q6256")), claim("P36", item("Q64")),
           claim("P2046", quantity("+357588", "Q712226"))),
    entity("Q90", "Paris", claim("P31", item("Q515")), claim("P625", {"type": "globecoordinate", "value": {
           "latitude": 48.8566, "longitude": 2.3522}}), claim("P227", "4044660-8", kind="external-id"),
           claim("P18", "Paris.jpg", kind="commonsMedia"), claim("P571", None),
           aliases={"en": [{"language": "en", "value": "City of Light"}]},
           descriptions={"en": {"language": "en", "value": "capital of France"}}),
    entity("Q64", "Berlin", claim("P31", item("Q515"))),
    entity("Q712226", "square kilometre"),
    entity("Q6256", "country"),
    entity("Q515", "city"),
    entity("Q1048", "Julius Caesar", claim("P570", time("-0044-03-15")), claim("P569", time("-0100-00-00", 9)),
           claim("P1317", time("-0050-01-01", 8)),
           claim("P1477", {"type": "monolingualtext", "value": {"text": "Gaius Iulius", "language": "la"}})),
    entity("P36", "capital", claim("P1696", {"type": "wikibase-entityid", "value": {"id": "P1376"}}),
           aliases={"en": [{"language": "en", "value": "seat of government"}]}),
    entity("P1376", "capital of"),
    entity("P31", "instance of"),
    entity("P2046", "area"),
    entity("P1082", "population"),
    entity("P585", "point in time"),
    entity("P570", "date of death"),
]  # fmt: skip


def _built(source: Path, told: list[str] | None = None, **options: Any) -> Pack:
    target = source.parent / "pack"
    build(Recipe((str(source),), target, force=True, **options), (told if told is not None else []).append)
    return Pack.open(target)


def _facts(pack: Pack) -> set[tuple[str, str, str]]:
    subjects, relations, objects = pack.triples(range(pack.n_triples))
    words = [text.key for text in pack.relations()]
    rows = zip(pack.keys(subjects), relations.tolist(), pack.keys(objects), strict=True)
    return {(subject, words[relation], obj) for subject, relation, obj in rows}


def test_sitelinks_say_which_of_a_name_is_meant(tmp_path: Path) -> None:
    said = [claim(f"P{number}", item("Q142")) for number in (17, 131, 190, 1365, 1366)]
    texas = entity("Q830149", "Paris", claim("P31", item("Q515")), *said)
    known = {"sitelinks": {f"s{number}wiki": {} for number in range(40)}}
    pages = [one | known if one["id"] == "Q90" else one for one in ENTITIES]
    source = dump(tmp_path / "d.json", [*pages, texas | {"sitelinks": {"enwiki": {}}}])
    with _built(dump(tmp_path / "plain.json", [*ENTITIES, texas])) as plain:
        assert plain.sitelinks is None
        assert plain.keys([hit.entity for hit in plain.search("Paris")])[0] == "Q830149"  # more is said of it
        content = plain.content_hash
    build_out_of_core(Recipe((str(source),), tmp_path / "other"), 10**9, lambda _: None)
    with _built(source) as pack, Pack.open(tmp_path / "other") as other:
        assert pack.content_hash == other.content_hash == content
        assert np.array_equal(pack.sitelinks, other.sitelinks)  # type: ignore[arg-type]
        assert pack.keys([hit.entity for hit in pack.search("Paris")])[:2] == ["Q90", "Q830149"]
        builder, _ = patched(pack, set(), [("triple", "Q90", "P31", "Q6256")])
        builder.write(tmp_path / "patched")
    with Pack.open(tmp_path / "patched") as changed:
        assert changed.prior([changed.find_key("Q90")])[0] > 40  # type: ignore[list-item]
        assert changed.sitelinks is not None
        assert changed.sitelinks.sum() == 41
    assert check_pack(tmp_path / "patched") == check_pack(tmp_path / "other") == []


def test_statements_of_the_best_rank_become_triples(tmp_path: Path) -> None:
    told: list[str] = []
    with _built(dump(tmp_path / "d.json", ENTITIES), told) as pack:
        facts = _facts(pack)
        assert {
            ("Q142", "P36", "Q90"),
            ("Q142", "P2046", '"543940"^^number[square kilometre]'),
            ("Q142", "P1082", '"68000000"^^number'),
            ("Q1048", "P570", '"-0043-03-15"^^date'),  # 44 BCE
            ("Q1048", "P569", '"-0099"^^date'),
            ("Q1048", "P1317", '"50s BCE"^^string'),
            ("Q1048", "P1477", '"Gaius Iulius"^^string'),
            ("Q90", "P625", '"48.8566, 2.3522"^^string'),
        } <= facts
        assert len([fact for fact in facts if fact[1] == "P1082"]) == 1
        assert not {"P227", "P18", "P571", "P1696"} & {relation for _, relation, _ in facts}
        said = pack.statements(range(pack.n_triples))
        (statement,) = [one for found in said.values() for one in found]
        assert pack.keys([statement[0][1]]) == ['"2023-01-01"^^date']
    assert [line.partition(": ")[2] for line in told] == [
        "1 external ids (--external-ids keeps them) left out",
        "1 files and addresses left out",
        "1 values that are unknown or none left out",
        "4 properties have no label here and are called by their ids; --relations FILE names them",
    ]


def test_texts_are_in_the_languages_asked_for(tmp_path: Path) -> None:
    source = dump(tmp_path / "d.json", [*ENTITIES, entity("Q1", "only", claim("P31", item("Q2")), labels={})])
    with _built(source) as pack:
        paris, unnamed = (pack.find_key(key) or 0 for key in ("Q90", "Q1"))
        assert pack.labels([paris, unnamed]) == ["Paris", "Q1"]
        assert pack.descriptions([paris]) == ["capital of France"]
        assert [hit.entity for hit in pack.exact(["city of light"])["city of light"]] == [paris]
        capital = next(text for text in pack.relations() if text.key == "P36")
        assert (capital.label, capital.aliases, capital.inverse_label) == (
            "capital", ("seat of government",), "capital of",
        )  # fmt: skip
    with _built(source, languages=("nds", "de")) as pack:
        assert pack.labels([pack.find_key("Q90") or 0]) == ["Paris (de)"]


def test_all_ranks_and_external_ids_are_kept_when_asked_for(tmp_path: Path) -> None:
    with _built(dump(tmp_path / "d.json", ENTITIES), all_ranks=True, external_ids=True) as pack:
        facts = _facts(pack)
    populations = sorted(obj for _, relation, obj in facts if relation == "P1082")
    assert populations == ['"66000000"^^number', '"68000000"^^number']
    assert ("Q90", "P227", '"4044660-8"^^string') in facts


@pytest.mark.parametrize("form", ["dump", "packed", "lines", "entities", "backwards"])
def test_every_form_of_the_file_says_the_same(tmp_path: Path, form: str) -> None:
    with _built(dump(tmp_path / "d.json", ENTITIES)) as pack:
        expected = pack.content_hash
    source = tmp_path / ("x.json.bz2" if form == "packed" else "x.json")
    if form == "dump":
        dump(source, ENTITIES)
    elif form == "backwards":  # units and inverses are named after what uses them
        dump(source, ENTITIES[::-1])
    elif form == "packed":
        source.write_bytes(bz2.compress((tmp_path / "d.json").read_bytes()))
    elif form == "lines":
        source.write_text("\n".join(map(json.dumps, ENTITIES)))
    else:
        source.write_text(json.dumps({"entities": {one["id"]: one for one in ENTITIES}}))
    with _built(source) as pack:
        assert pack.content_hash == expected


@pytest.mark.parametrize(
    ("question", "answer"),
    [("What is the capital of France?", "Paris"), ("Which country is larger, France or Germany?", "France")],
)
def test_a_dump_is_asked(tmp_path: Path, question: str, answer: str) -> None:
    _built(dump(tmp_path / "d.json", ENTITIES)).close()
    with Pipeline.open(str(tmp_path / "pack"), reader=None) as kg:
        assert kg.ask(question).text == answer


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"type": "item", "id": "Q1", "claims": {"P1": [{"rank": "normal"}]}}', "not as Wikidata writes an entity"),
        ('{"type": "item", "id": "Q1", "claims": [3]}', "claims that are no object"),
        ('{"type": "item", "id": "x y"}', "no id of Wikidata's: 'x y'"),
        ('{"type": "item", "id": "Q1", ', "not JSON"),
        (json.dumps(entity("Q1", "a", claim("P1", time("soon")))), "not a time of Wikidata's: 'soonT"),
        (json.dumps(entity("Q1", "a", claim("P1", quantity("many")))), "not a number"),
        (json.dumps(entity("Q1", "a", claim("P1", time("+2001-13-40")))), "no such date"),
    ],
)
def test_broken_entities_are_told_by_line_and_can_be_skipped(tmp_path: Path, line: str, reason: str) -> None:
    source = dump(tmp_path / "d.json", ENTITIES)
    with _built(source) as pack:
        expected = pack.content_hash
    source.write_text(source.read_text().replace("[\n", f"[\n{line},\n", 1))
    with pytest.raises(BuildError) as caught:
        _built(source)
    assert f"d.json:2: {reason}" in str(caught.value)
    with _built(source, skip_errors=True) as pack:
        assert pack.content_hash == expected


def test_other_json_is_refused_with_what_to_type(tmp_path: Path) -> None:
    (tmp_path / "d.json").write_text("[1, 2]")
    with pytest.raises(UsageError, match="--format jsonl"):
        _built(tmp_path / "d.json")
