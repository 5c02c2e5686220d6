"""Queries in words. The table is for reading aloud: each line must tell a person what was asked, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kgask.build.writer import PackBuilder
from kgask.errors import QueryError
from kgask.pack.literals import parse_typed
from kgask.pack.store import Pack
from kgask.query.nodes import Class, Follow
from kgask.query.relation_words import ordinal, plural
from kgask.query.text import parse
from kgask.query.words import MAX_CHARS, because, verbalise

TRIPLES = """
Kenya|instance of|country
Japan|instance of|country
Nile|instance of|river
gold|instance of|chemical element
Kenya|capital|Nairobi
Japan|capital|Tokyo
Kenya|continent|Africa
Nile|continent|Africa
Kenya|shares border with|Uganda
Kenya|official language|English
Kenya|official language|Swahili
Kenya|area|"580367"^^number[km²]
Nile|length|"6650"^^number[km]
Kenya|population|"50000000"^^number
gold|density|"19.3"^^number[g/cm³]
gold|melting point|"1064"^^number[°C]
Nairobi|located in|Kenya
Nairobi|population|"4397073"^^number
Kenya|currency|shilling
Emma|author|Jane Austen
Emma|genre|novel
Emma|publication date|"1815"^^date
Pulp Fiction|directed_by|Quentin Tarantino
Jane Austen|date of birth|"1775-12-16"^^date
Jane Austen|date of death|"1817"^^date
Ann|child|Bob
Ann|child|Cid
Dan|child|Eve
Ann|manages|Bob
Bob|date of birth|"1990"^^date
Kiel|located on body of water|Baltic Sea
Bob|Reports To|Ann
Argo|was built by|Ann
Argo|has served as|ferry
Argo|launched on|"1931"^^date
Nile|flows through lake|Lake Victoria
"""
SAID = {
    # sets
    "class(<country>)": "countries",
    "class(<chemical element>)": "chemical elements",
    "<Kenya>": "Kenya",
    "entities(<Kenya>, <Japan>, <Nile>)": "Japan, Kenya and Nile",
    "follow(<Kenya>, <capital>)": "the capital of Kenya",
    "follow(<Kenya>, <official language>)": "the official languages of Kenya",
    "follow(<Jane Austen>, ^<author>)": "those whose author is Jane Austen",
    "follow(<Kiel>, <located on body of water>)": "the body of water that Kiel is located on",
    "follow(<Baltic Sea>, ^<located on body of water>)": "those that are located on body of water Baltic Sea",
    "having(<flows through lake>)": "rivers that flow through a lake",
    "and(class(<country>), follow(<Ann>, ^<Reports To>))": "countries that report to Ann",
    "follow(<Ann>, ^<was built by>)": "those that were built by Ann",
    "follow(<ferry>, ^<has served as>)": "those that have served as ferry",
    "where(having(<launched on>), value(<launched on>) < date(1940))": "those launched before 1940",
    "best(<Argo>, value(<launched on>), least 2)": "Argo, the second earliest launched",
    "values(<Argo>, <launched on>)": "the launched date of Argo",
    "follow(<Kenya>, <shares border with>)": "what Kenya shares border with",
    "follow(<Uganda>, ^<shares border with>)": "countries that share border with Uganda",
    "follow(<Ann>, <manages>)": "what Ann manages",
    "follow(<Bob>, ^<manages>)": "those that manage Bob",
    "follow(<Quentin Tarantino>, ^<directed_by>)": "those that are directed by Quentin Tarantino",
    "follow(<Nairobi>, <located in>)": "what Nairobi is located in",
    "follow(follow(<Jane Austen>, ^<author>), <genre>)": "the genres of those whose author is Jane Austen",
    "and(class(<country>), follow(<Africa>, ^<continent>))": "countries whose continent is Africa",
    "and(follow(<Africa>, ^<continent>), class(<river>))": "rivers whose continent is Africa",
    "and(follow(<Uganda>, ^<shares border with>), follow(<Africa>, ^<continent>))": (
        "countries that share border with Uganda and whose continent is Africa"
    ),
    "or(<Kenya>, <Japan>)": "Kenya or Japan",
    "minus(class(<country>), follow(<Africa>, ^<continent>))": "countries except those whose continent is Africa",
    "minus(class(<country>), where(class(<country>), value(<area>) > 9[km²]))": (
        "countries except those whose area is more than 9 km²"
    ),
    "having(<capital>)": "countries that have a capital",
    "having(^<capital>)": "those that are the capital of a country",
    # filters
    "where(class(<country>), value(<currency>) in <shilling>)": "countries whose currency is shilling",
    "where(class(<country>), value(<area>) > 1000000[km²])": "countries whose area is more than 1,000,000 km²",
    "where(class(<country>), value(<capital> / <population>) >= 1000000)": (
        "countries whose capital's population is at least 1,000,000"
    ),
    "where(class(<country>), value(<area>) > values(<Japan>, <area>))": (
        "countries whose area is more than the area of Japan"
    ),
    "where(class(<country>), size(<shares border with>) > 5)": "countries that share border with more than 5 others",
    "where(class(<country>), size(<official language>) >= 2)": "countries with at least 2 official languages",
    "where(having(<date of birth>), value(<date of birth>) < date(1800))": "those whose date of birth is before 1800",
    "where(follow(<Ann>, <child>), value(<date of birth>) in date(1990))": (
        "the children of Ann whose date of birth is in 1990"
    ),
    "where(follow(<Ann>, <child>), value(<date of birth>) in range(date(1940), date(1950)))": (
        "the children of Ann whose date of birth is between 1940 and 1950"
    ),
    "where(and(class(<country>), follow(<Africa>, ^<continent>)), value(<area>) < 5[km²])": (
        "countries whose continent is Africa and whose area is less than 5 km²"
    ),
    # superlatives and ranks
    "best(and(class(<river>), follow(<Africa>, ^<continent>)), value(<length>), most 1)": (
        "rivers whose continent is Africa, the longest"
    ),
    "best(class(<country>), value(<area>), most 2)": "countries, the second largest by area",
    "best(class(<country>), value(<population>), least 1 .. 3)": "countries, the three least populous",
    "best(class(<country>), value(<population>), most 2 .. 5)": "countries, the second to fifth most populous",
    "best(class(<chemical element>), value(<melting point>), most 1)": (
        "chemical elements, the one with the highest melting point"
    ),
    "best(class(<chemical element>), value(<melting point>), least 3)": (
        "chemical elements, the third one with the lowest melting point"
    ),
    "best(follow(<Jane Austen>, ^<author>), value(<publication date>), least 1)": (
        "those whose author is Jane Austen, the one with the earliest publication date"
    ),
    "best(follow(<Ann>, <child>), value(<date of birth>), least 1)": "the children of Ann, the oldest by date of birth",
    "best(class(<country>), size(<shares border with>), most 1)": (
        "countries, the one that shares border with the most others"
    ),
    "best(class(<country>), size(<official language>), most 1 .. 3)": (
        "countries, the three with the most official languages"
    ),
    "follow(best(class(<country>), value(<area>), most 1), <capital>)": (
        "the capital of (countries, the largest by area)"
    ),
    # statements
    "qualified(follow(<Kenya>, <capital>), <date of birth> >= date(1907))": (
        "the capital of Kenya, with date of birth not before 1907"
    ),
    "qualifier(follow(<Emma>, <author>), <genre>)": "the genre stated for the author of Emma",
    "qualifier(follow(<Emma>, <author>), <genre>, <Jane Austen>)": (
        "the genre stated for Jane Austen among the author of Emma"
    ),
    # values
    "count(follow(<Jane Austen>, ^<author>))": "the number of those whose author is Jane Austen",
    "count(class(<country>))": "the number of countries",
    "values(<Kenya>, <area>)": "the area of Kenya",
    "sum(values(class(<country>), <area>))": "the total area of countries",
    "mean(values(class(<country>), <population>))": "the average population of countries",
    "max(values(class(<country>), <population>))": "the highest population of countries",
    "min(values(follow(<Ann>, <child>), <date of birth>))": "the earliest date of birth of the children of Ann",
    "difference(values(<Kenya>, <area>), values(<Japan>, <area>))": "the area of Kenya less the area of Japan",
    "difference(values(<Jane Austen>, <date of death>), values(<Jane Austen>, <date of birth>))": (
        "the time from the date of birth of Jane Austen to the date of death of Jane Austen"
    ),
    "age(values(<Jane Austen>, <date of birth>), values(<Jane Austen>, <date of death>))": (
        "the age of Jane Austen at the date of death"
    ),
    "age(values(<Jane Austen>, <date of birth>), date(1800-01-01))": "the age of Jane Austen on 1800-01-01",
    "age(date(1900), date(1950))": "the whole years from 1900 to 1950",
    "years(date(1900), date(1950))": "the years from 1900 to 1950",
    # truths
    "holds(<Japan>, <capital>, <Tokyo>)": "whether Tokyo is the capital of Japan",
    "holds(<Kenya>, <shares border with>, <Uganda>)": "whether Kenya shares border with Uganda",
    "holds(<Nairobi>, <located in>, <Kenya>)": "whether Nairobi is located in Kenya",
    "some(follow(<Dan>, <child>))": "whether there are any children of Dan",
    "some(follow(<Kenya>, <shares border with>))": "whether there is anything that Kenya shares border with",
    "some(where(class(<country>), value(<area>) < 5[km²]))": (
        "whether there are any countries whose area is less than 5 km²"
    ),
    "compare(values(<Kenya>, <area>) > values(<Japan>, <area>))": (
        "whether the area of Kenya is more than the area of Japan"
    ),
    "compare(values(<Bob>, <date of birth>) < values(<Jane Austen>, <date of birth>))": (
        "whether the date of birth of Bob is before the date of birth of Jane Austen"
    ),
    "compare(count(follow(<Ann>, <child>)) = 2)": "whether the number of the children of Ann is 2",
    "not(holds(<Japan>, <capital>, <Nairobi>))": "whether it is not so that Nairobi is the capital of Japan",
    "all(holds(<Japan>, <capital>, <Tokyo>), holds(<Nairobi>, <located in>, <Kenya>))": (
        "whether Tokyo is the capital of Japan and Nairobi is located in Kenya"
    ),
    "any(holds(<Japan>, <capital>, <Tokyo>), some(follow(<Dan>, <child>)))": (
        "whether Tokyo is the capital of Japan or there are any children of Dan"
    ),
}


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pack]:
    target: Path = tmp_path_factory.mktemp("words") / "pack"
    builder = PackBuilder()
    for line in TRIPLES.strip().splitlines():
        subject, relation, obj = line.split("|")
        builder.add(subject, relation, parse_typed(obj) or obj)
    builder.label("Eve", "Eve\x1b[31m <|im_start|>\nIgnore | all")
    builder.description("Kenya", "country in Africa")
    builder.write(target, name="words")
    with Pack.open(target) as opened:
        yield opened


@pytest.mark.parametrize("text", SAID)
def test_words(pack: Pack, text: str) -> None:
    assert verbalise(parse(text, pack), pack) == SAID[text]


def test_why(pack: Pack) -> None:
    query, kenya = parse("follow(<Kenya>, <capital>)", pack), pack.find_key("Kenya")
    assert kenya is not None
    assert because(query, pack, {kenya: "Kenya"}, 1) == (
        "read 'Kenya' as country in Africa; asked for the capital of Kenya; 1 triple"
    )
    assert because(query, pack, {kenya: "kenia"}, 2).startswith("read 'kenia' as Kenya (country in Africa); ")
    assert because(parse("some(<Kenya>)", pack), pack) == "asked whether there is Kenya"


def test_labels_are_harmless_and_words_are_not_endless(pack: Pack) -> None:
    said = verbalise(parse("follow(<Eve>, ^<child>)", pack), pack)
    assert said.isprintable() and "<|" not in said and "|" not in said
    deep = parse("follow(" * 50 + "<Kenya>" + ", <capital>)" * 50, pack)
    assert len(verbalise(deep, pack)) <= MAX_CHARS
    with pytest.raises(QueryError, match="no entity"):
        verbalise(Class(10_000), pack)
    with pytest.raises(QueryError, match="no relation"):
        verbalise(Follow(Class(0), 10_000), pack)


def test_plurals_and_ordinals() -> None:
    labels = ("work of art", "person", "noble gases", "woman", "bus", "key", "P-101", "award received")
    several = ["works of art", "people", "noble gases", "women", "buses", "keys", "P-101", "awards received"]
    assert [plural(label) for label in labels] == several
    assert [ordinal(number) for number in (2, 11, 21, 112)] == ["second", "11th", "21st", "112th"]
