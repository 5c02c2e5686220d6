"""A Wikidata dump, a Neo4j export and a SQLite database: one command each, ten questions each, golds by hand."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from demo_exports import chinook, neo4j_export, wikidata_dump

import kgask

pytestmark = pytest.mark.slow
QUESTIONS = {
    "wikidata": {
        "What is the capital of Kenya?": "Nairobi",
        "How many countries border Germany?": "9",
        "What is the population of Brazil?": "202768562",
        "What is the area of Kenya?": "580367 square kilometre",
        "Which country has the largest population?": "China",
        "When was Marie Curie born?": "1867-11-07",
        "Who won the Nobel Prize in Chemistry in 1935?": "Frédéric Joliot | Irène Joliot-Curie",
        "Which country is larger, Kenya or Uganda?": "Kenya",
        "Is Nairobi the capital of Kenya?": "yes",
        "Which countries in Africa have more than 100 million inhabitants?": "Nigeria",
    },
    "neo4j": {
        "Who directed Pulp Fiction?": "Quentin Tarantino",
        "How many films did Alfred Hitchcock direct?": "9",
        "Which genre does Pulp Fiction have?": "drama | independent film | thriller film",
        "When was Marie Curie born?": "1867-11-07",
        "Which prize did Albert Einstein receive?": "Nobel Prize in Physics",
        "Who received the Nobel Prize in Chemistry in 1935?": "Frédéric Joliot | Irène Joliot-Curie",
        "Did Uma Thurman act in Pulp Fiction?": "yes",
        "Which actors acted in both Pulp Fiction and Kill Bill?": "Quentin Tarantino | Uma Thurman",
        "Who was born first, Marie Curie or Albert Einstein?": "Marie Curie",
        "Which country was Pulp Fiction made in?": "United States of America",
    },
    "sqlite": {
        "Which albums are by Queen?": "Greatest Hits I | Greatest Hits II | News Of The World",
        "Who is the artist of Let There Be Rock?": "AC/DC",
        "How many albums does Metallica have?": "10",
        "Which genre is Smells Like Teen Spirit?": "Rock",
        "Who composed Bohemian Rhapsody?": "Mercury, Freddie",
        "Which track is the longest?": "Space Truckin'",
        "Who does Jane Peacock report to?": "Nancy Edwards",
        "Which employees report to Nancy Edwards?": "Jane Peacock | Margaret Park | Steve Johnson",
        "When was Andrew Adams born?": "1962-02-18",
        "How many tracks are on Nevermind?": "12",
    },
}


@pytest.fixture(scope="module", params=QUESTIONS)
def asked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The kind of source, and the pack that one command made of it."""
    kind, folder = str(request.param), tmp_path_factory.mktemp("sources")
    if kind == "wikidata":
        sources = [folder / "dump.json.bz2"]
        assert wikidata_dump(sources[0]) > 4000
    else:
        sources = neo4j_export(folder) if kind == "neo4j" else [chinook(folder / "chinook.sqlite")]
    command = [sys.executable, "-m", "kgask", "pack", "build", *map(str, sources), "-o", str(folder / "pack")]
    subprocess.run(command, check=True, capture_output=True)
    yield kind, folder / "pack"


def test_ten_questions_are_answered(asked: tuple[str, Path]) -> None:
    kind, path = asked
    expected = QUESTIONS[kind]
    assert len(expected) == 10
    with kgask.open(str(path), reader=None, settings={}) as kg:
        answers = [kg.ask(question) for question in expected]
    said = {one.question: sorted((one.text or one.reason or "").split(" | ")) for one in answers}
    assert said == {question: sorted(text.split(" | ")) for question, text in expected.items()}
    assert all(one.text and one.support for one in answers)
