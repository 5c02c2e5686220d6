"""Packs of public sets, from tiny files in their published forms: types, units, qualifiers, classes and ids."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from kgask.errors import UsageError
from kgask.pack.store import Pack
from kgask.query.text import parse
from kgask.retrieve.run import run
from kgask.sets import everyday, registry
from kgask.sets.packs import build_pack


def put(data: Path, name: str, content: list[str] | dict[str, Any]) -> None:
    """A table or a JSON file where the set has it, gzipped as its name says."""
    path = data / name
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(content) if isinstance(content, dict) else "".join(f"{line}\n" for line in content)
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())


def prepared(name: str, data: Path, target: Path) -> Pack:
    build_pack(name, data, target, lambda _: None)
    return Pack.open(target)


def answers(pack: Pack, query: str) -> list[str]:
    return sorted(pack.labels(run(parse(query, pack), pack).certain))


GEOGRAPHY = [
    "country/Arda\tarea\t4000\tquantity\tsquare kilometre\t",
    "country/Arda\tGDP\t20.5\tquantity\tmillion US dollar\t",
    "country/Arda\tpopulation\t900\tquantity\t\t",
    "country/Arda\tpopulation\t900\tquantity\t\tyear=2011",
    "country/Arda\tpopulation\t500\tquantity\t\tyear=1950",
    "country/Arda\tcapital\tcity/Tirion, Valinor, Arda\tentity\t\t",
    "country/Arda\tborders\tcountry/Rhun\tentity\t\tlength=76 kilometre",
    "country/Arda\tmember of\torganization/League\tentity\t\ttype=observer",
    "country/Arda\tindependence date\t1919-08-19\tdate\t\tfrom=Rhun",
    "city/Tirion, Valinor, Arda\tother name\tKôr\tstring\t\t",
    "mountain/Taniquetil\tkind\tvolcano\tstring\t\t",
    "mountain/Taniquetil\televation\t9000\tquantity\tmetre\t",
    "mountain/Taniquetil\tlocated in\tcountry/Arda\tentity\t\tprovince=Valinor",
    "province/Valinor, Arda\tcountry\tcountry/Arda\tentity\t\t",
]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("class(<class/country>)", ["Arda", "Rhun"]),
        ("where(class(<class/country>), value(<GDP>) = 20500000[US dollars])", ["Arda"]),
        ("where(class(<class/country>), value(<area>) > 3.9e9[m²])", ["Arda"]),
        ("follow(<country/Arda>, <capital>)", ["Tirion"]),
        ("follow(<country/Arda>, <population>)", ["900"]),
        ("qualified(follow(<country/Arda>, <population>), <point in time> = date(2011))", ["900"]),
        ("qualified(follow(<country/Arda>, <population by year>), <point in time> = date(1950))", ["500"]),
        ("qualified(follow(<country/Arda>, <borders>), <border length> < 80[km])", ["Rhun"]),
        ("qualified(follow(<country/Arda>, <member of>), <kind of membership> in <membership/observer>)", ["League"]),
        (
            "qualified(follow(<country/Arda>, <independence date>), <independent from> in <country/Rhun>)",
            ["1919-08-19"],
        ),
        ("follow(<kind/volcano>, ^<kind>)", ["Taniquetil"]),
        ("qualified(follow(<country/Arda>, ^<located in>), <province> in <province/Valinor, Arda>)", ["Taniquetil"]),
    ],
)
def test_geography_has_units_classes_and_qualifiers(tmp_path: Path, query: str, expected: list[str]) -> None:
    put(tmp_path, "mondial/facts.tsv.gz", GEOGRAPHY)
    with prepared("mondial", tmp_path, tmp_path / "pack") as pack:
        assert answers(pack, query) == expected


def test_names_beside_the_label_are_aliases_and_namesakes_are_described(tmp_path: Path) -> None:
    put(tmp_path, "mondial/facts.tsv.gz", GEOGRAPHY)
    with prepared("mondial", tmp_path, tmp_path / "pack") as pack:
        (city,) = (hit.entity for hit in pack.exact(["kor"])["kor"])
        assert pack.labels([city]) == ["Tirion"] and pack.descriptions([city]) == ["city in Valinor, Arda"]
        assert "other name" not in pack.relation_labels()


def test_races_say_who_came_where_in_which_car(tmp_path: Path) -> None:
    rows = [
        "race/1950 Moss Grand Prix\tparticipant\tdriver/Ann Ray\tentity\t\tposition=1|constructor=Fast|points=9|grid=2",
        "race/1950 Moss Grand Prix\tparticipant\tdriver/Bo Low\tentity\t\tposition=DNF|constructor=Slow",
        "race/1950 Moss Grand Prix\tseason\tseason/1950\tentity\t\t",
        "driver/Ann Ray\tfull name\tAnn Mary Ray\tstring\t\t",
        "constructor/Fast\tfull name\tFast\tstring\t\t",
        "circuit/Moss\tkind\tstreet\tstring\t\t",
    ]
    put(tmp_path, "f1db/facts.tsv.gz", rows)
    with prepared("f1", tmp_path, tmp_path / "pack") as pack:
        race = "follow(<race/1950 Moss Grand Prix>, <participant>)"
        assert answers(pack, f"qualified({race}, <position> = 1)") == ["Ann Ray"]
        assert answers(pack, f"qualified({race}, <constructor> in <constructor/Fast>)") == ["Ann Ray"]
        assert answers(pack, "follow(<race/1950 Moss Grand Prix>, <season>)") == ["1950 season"]
        assert answers(pack, "follow(<circuit/Moss>, <kind>)") == ["street circuit"]
        assert [hit.is_alias for hit in pack.exact(["1950"])["1950"]] == [True]


def test_a_shop_and_flights_have_kinds_names_and_units(tmp_path: Path) -> None:
    rows = ["track/Moss\tduration\t200\tquantity\tsecond", "track/Moss\tcomposer\tAnn Ray\tstring\t"]
    put(tmp_path, "chinook/facts.tsv.gz", rows)
    with prepared("chinook", tmp_path, tmp_path / "shop") as pack:
        assert answers(pack, "follow(follow(<class/track>, ^<instance of>), <composer>)") == ["Ann Ray"]
    rows = [
        "airport/Moss Airport (MOS)\tIATA code\tMOS\tstring\t",
        "airport/Moss Airport (MOS)\taltitude\t9\tquantity\tfoot",
    ]
    put(tmp_path, "openflights/facts.tsv.gz", rows)
    with prepared("openflights", tmp_path, tmp_path / "flights") as pack:
        assert "Moss Airport" in pack.labels([hit.entity for hit in pack.exact(["mos"])["mos"]])


def test_a_line_with_another_number_of_fields_is_named(tmp_path: Path) -> None:
    put(tmp_path, "mondial/facts.tsv.gz", [*GEOGRAPHY, "country/Arda\tarea"])
    with pytest.raises(UsageError, match=f"facts.tsv.gz:{len(GEOGRAPHY) + 1}: 2 fields, 5 or 6 expected"):
        build_pack("mondial", tmp_path, tmp_path / "pack", lambda _: None)


def test_kqapro_tells_dates_and_numbers_from_codes_and_entities(tmp_path: Path) -> None:
    rows = [
        "kb\tAnn Ray\tISNI\t0000 0001",
        "q\tAnn Ray\tspouse\tBo Low\tstart time\t1990-01-08",
        "kb\tAnn Ray\tspouse\tBo Low\tstart time\t1990-01-08\tplace\tMoss",
        "q\tAnn Ray\tspouse\tBo Low",
        "kb\tBo Low\tTwitter username\tbolow\tnumber of subscribers\t12000",
        "kb\tAnn Ray\ttitle\tBo Low",
        "q\tHill\tsignificant event\tquake\televation above sea level\t30 metre",
    ]
    put(tmp_path, "kqapro_parts/facts.tsv.gz", rows)
    with prepared("kqapro", tmp_path, tmp_path / "pack") as pack:
        spouse = "follow(<Ann Ray>, <spouse>)"
        assert answers(pack, f"qualified({spouse}, <start time> in range(date(1990), date(1991)))") == ["Bo Low"]
        assert answers(pack, 'follow(<"0000 0001"^^string>, ^<ISNI>)') == ["Ann Ray"]
        assert pack.n_statements == 3  # what another row says with more is none of its own
        account = "qualified(follow(<Bo Low>, <Twitter username>), <number of subscribers> > 11000)"
        assert answers(pack, account) == ["bolow"]
        every = range(pack.n_entities)
        kinds = dict(zip(pack.labels(every), pack.kinds(every), strict=True))
        assert kinds["30 metre"] == "number" and kinds["1990-01-08"] == "date"


def test_kqapro_asks_what_its_facts_answer(tmp_path: Path) -> None:
    row = {"id": 7, "kind": "verify", "question": "Is it?", "answer": "yes", "in_graph": True, "facts": []}
    path = tmp_path / "questions_dev.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in (row, row | {"id": 8, "in_graph": False})), "utf-8")
    (gold,) = registry.load("kqapro", path)
    assert (gold.id, gold.kind, gold.answers[0].names, gold.answer_type) == ("7", "verify", ("yes",), "yesno")


def test_wikidata_graphs_meet_at_ids(tmp_path: Path) -> None:
    put(tmp_path, "codex/codex_m_train.txt.gz", ["Q1\tP50\tQ2", "Q1\tP50\tQ99"])
    for split in ("valid", "test"):
        put(tmp_path, f"codex/codex_m_{split}.txt.gz", [])
    put(tmp_path, "codex/codex_m_labelled.tsv.gz", ["Q1\tThe Hill\tP50\tauthor\tQ2\tAnn Ray\ttrain"])
    put(tmp_path, "codex/relations_en.json", {"P50": {"label": "author"}})
    put(tmp_path, "wd50k/statements.tsv.gz", ["Q2\tP166\tQ3\tP1686\tQ1"])
    put(tmp_path, "wd50k/entity_labels.tsv.gz", ["Q3\tMoss Prize\tcodex"])
    put(tmp_path, "entityquestions/triples_named.tsv.gz", ["Ann Ray\tplace of birth\tBrook\tP19\ttrain"])
    rows = ["mid\twikidata_id\tlabel\tdescription\taliases", "/m/2\tQ2\tAnn Ray\twriter\tAnn R.", "/m/4\t\tNobody\t\t"]
    put(tmp_path, "fb15k237/entities_named.tsv.gz", rows)
    put(
        tmp_path,
        "fb15k237/triples_mid.tsv.gz",
        ["/m/2\t/people/person/friend\t/m/2\ttrain", "/m/4\t/a/b/c\t/m/2\ttrain"],
    )
    numbers = ["people.person.height_meters\t1.7", "people.person.date_of_birth\t1953.83333333"]
    more = ["people.deceased_person.date_of_death\t1991.0", "music.artist.active_start\t1970.0"]
    put(tmp_path, "fb15k237/numeric.tsv.gz", [f"/m/2\tAnn Ray\t{line}" for line in numbers + more])
    put(tmp_path, "wikidata_props/en1.json", {"P19": "place of birth", "P166": "award received"})
    put(tmp_path, "wikidata_labels_union.json.gz", {"Q1": "The Hill"})
    put(tmp_path, "kgconv/preferred_labels.json.gz", {})
    with prepared("wikidata-union", tmp_path, tmp_path / "pack") as pack:
        assert answers(pack, "follow(<Q1>, <P50>)") == ["Ann Ray"]  # Q99 has no label
        assert answers(pack, "follow(<Q2>, <P19>)") == ["Brook"]
        assert answers(pack, "qualified(follow(<Q2>, <P166>), <P1686> in <Q1>)") == ["Moss Prize"]
        assert answers(pack, "where(<Q2>, value(<P2048>) = 170[cm])") == ["Ann Ray"]
        dates = [answers(pack, f"follow(<Q2>, <{name}>)") for name in ("P569", "P570", "P2031")]
        assert dates == [["1953-10"], ["1990-12"], ["1970"]]
        assert "/a/b/c" not in {relation.key for relation in pack.relations()}


@pytest.mark.parametrize("name", ["mondial", "f1"])
def test_questions_over_them_are_of_every_kind_and_a_tenth_has_no_answer(name: str) -> None:
    questions = everyday.load(Path(__file__).parent / "data" / "everyday" / f"{name}.yaml")
    assert len({one.text for one in questions}) == len(questions) == 100
    assert sum(not one.golds for one in questions) == sum(one.kind == "unanswerable" for one in questions) == 10
    kinds = {"direct", "count", "yesno", "superlative", "ordinal", "comparison", "filter", "qualifier", "intersection"}
    assert kinds | {"union", "difference", "arithmetic", "list", "unanswerable"} == {one.kind for one in questions}
