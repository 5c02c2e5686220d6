"""Things that a graph calls otherwise than a question does: classes, addresses, texts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from piped import opened, piped

from kgask.answer.unsaid import unsaid
from kgask.methods.mended import lacks_a_value, loosened, namesakes, plainly, renamed, widened
from kgask.methods.mixed import compares_unlisted
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.text import parse, to_text
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner
from kgask.types import Seed

TOWNS = """
Groningen | type | municipality
Groningen | website | https://www.groningen.nl/
Groningen | subreddit | GRONINGEN
Groningen | demonym | Stadjer
Haren | type | town
Haren | demonym | Harener
Leiden | type | town
Leiden | demonym | Leidenaar
Leiden | twin | Oxford
Leiden | twin | Torun
Ann | type | woman
Ann | born in | Haren
Bob | lived in | Haren
Bob | lived in | Leiden
"""


@pytest.fixture(scope="module")
def towns(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pack]:
    with opened(piped(TOWNS, set()), tmp_path_factory.mktemp("towns")) as pack:
        yield pack


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        (
            "holds(and(class(<town>), follow(<Stadjer>, ^<demonym>)), <website>, <Haren>)",
            "holds(follow(<Stadjer>, ^<demonym>), <website>, <Haren>)",
        ),
        ("holds(and(class(<town>), follow(<Harener>, ^<demonym>)), <website>, <Haren>)", None),  # it is one
        # Which of several: a class chooses among them, and nothing is chosen.
        ("holds(and(class(<woman>), follow(<Bob>, <lived in>)), <website>, <Haren>)", None),
        ("and(class(<town>), follow(<Stadjer>, ^<demonym>))", None),  # what is asked for
        ("some(and(class(<woman>), follow(<Haren>, ^<lived in>)))", None),
    ],
)
def test_what_is_described_may_be_classed_otherwise(towns: Pack, text: str, changed: str | None) -> None:
    found = loosened(Runner(towns, Budget(5.0)), parse(text, towns))
    assert to_text(found, towns) == to_text(parse(changed or text, towns), towns)


def _id(pack: Pack, name: str) -> int:
    found = pack.find_key(name)
    assert found is not None
    return found


def _seed(pack: Pack, name: str, said: str) -> Seed:
    return Seed(_id(pack, name), (0, len(said)), 0.9, said, name)


@pytest.mark.parametrize(
    ("text", "named", "said", "found"),
    [
        ("holds(<Groningen>, <subreddit>, <Groningen>)", "Groningen", "Groningen", ["GRONINGEN"]),
        ("holds(<Groningen>, <website>, <Leiden>)", "Leiden", "www.groningen.nl", ["www.groningen.nl"]),
        ("holds(<Leiden>, <twin>, <Haren>)", "Haren", "Haren", []),
    ],
)
def test_an_end_is_known_by_its_text(towns: Pack, text: str, named: str, said: str, found: list[str]) -> None:
    runner, seed = Runner(towns, Budget(5.0)), _seed(towns, named, said)
    others = [*renamed(runner, parse(text, towns), seed, [])]
    assert [other.name for _, other in others] == found
    assert all(runner.result(query).truth for query, _ in others)


def test_a_namesake_is_known_by_its_relation(towns: Pack) -> None:
    runner, seed = Runner(towns, Budget(5.0)), _seed(towns, "Haren", "Oxford")
    namesake = _seed(towns, "Oxford", "Oxford")
    ((query, other),) = renamed(runner, parse("holds(<Leiden>, <twin>, <Haren>)", towns), seed, [namesake])
    assert other is namesake
    assert runner.result(query).truth


def test_nothing_is_said_of_what_is_not_there(towns: Pack) -> None:
    runner = Runner(towns, Budget(5.0))
    of_nothing = parse("holds(follow(<Bob>, <born in>), <twin>, <Oxford>)", towns)
    with_nothing = parse("holds(<Ann>, <born in>, follow(<Bob>, <born in>))", towns)
    assert unsaid(runner.result(of_nothing))
    assert unsaid(runner.result(with_nothing))
    assert unsaid(runner.result(parse("holds(<Haren>, <demonym>, <Stadjer>)", towns))) is None


PLACES = """
Bonn | type | city
Ulm | type | city
Trier | type | city
Rhine | type | river
Bonn | located in | Germany
Bonn | country | Germany
Ulm | country | Germany
Trier | located in | Palatinate
Rhine | country | Germany
Ann | spouse | Bob
Bob | spouse | Ann
Ann | spouse | Cid
Cid | born in | Ulm
"""


@pytest.mark.parametrize(
    ("text", "widened_to"),
    [
        ("and(class(<city>), follow(<Germany>, ^<located in>))", "and(class(<city>), follow(<Germany>, ^<country>))"),
        ("count(and(follow(<Germany>, ^<located in>), class(<city>)))",
         "count(and(class(<city>), follow(<Germany>, ^<country>)))"),
        ("and(class(<city>), follow(<Palatinate>, ^<located in>))", None),
        ("follow(<Germany>, ^<located in>)", None),  # of whatever is there
        ("count(follow(<Ann>, ^<spouse>))", "count(follow(<Ann>, <spouse>))"),  # both husbands
        ("follow(<Cid>, ^<spouse>)", None),  # the graph says it one way only
    ],
)  # fmt: skip
def test_a_place_has_all_that_the_graph_says_is_in_it(tmp_path: Path, text: str, widened_to: str | None) -> None:
    with opened(piped(PLACES, set()), tmp_path) as pack:
        found = widened(Runner(pack, Budget(5.0)), parse(text, pack))
        assert found == parse(widened_to or text, pack)


def test_an_address_is_one_with_or_without_its_scheme() -> None:
    assert plainly("http://www.example.org/") == plainly("example.org") == plainly("https://example.org")
    assert plainly("www.example.org/a") != plainly("www.example.org/b")


def test_what_has_no_value_is_no_rival(tmp_path: Path) -> None:
    """Of two of one name the one is compared that has the value; where none has, nothing is compared."""
    told = """
    Kibo (mountain) | height | 5895
    Mont Clair | height | 4810
    Kibo (region) | region of | Tana
    Lone Rock | region of | Tana
    """
    with opened(piped(told, {"height"}), tmp_path) as pack:
        runner = Runner(pack, Budget(5.0))
        query = parse("best(entities(<Kibo (region)>, <Mont Clair>), value(<height>), most 1)", pack)
        region, mountain = (pack.find_key(f"Kibo ({kind})") or 0 for kind in ("region", "mountain"))
        seed, other = (Seed(one, (0, 4), 0.9, "Kibo", "Kibo", "alias") for one in (region, mountain))
        assert lacks_a_value(runner, query)
        ((changed, chosen),) = namesakes(seed, [other], query, runner)
        assert chosen is other and not lacks_a_value(runner, changed)
        assert runner.result(changed).certain.tolist() == [mountain]
        assert lacks_a_value(runner, parse("best(entities(<Lone Rock>, <Mont Clair>), value(<height>), most 1)", pack))


@pytest.mark.parametrize(
    ("text", "is_unlisted"),
    [
        ("Which twin is the most common in Leiden?", True),
        ("Which is larger, Common or Leiden?", False),
        ("Common vs. Leiden: which is older?", False),
        ("Of Common and of Leiden, which has more people?", False),
    ],
)
def test_names_that_are_not_put_side_by_side_are_no_rivals(text: str, is_unlisted: bool) -> None:
    query = nodes.Best(nodes.Entities((1, 2)), nodes.SizeOf((0,)))
    at = text.lower().index("common"), text.index("Leiden")
    spans = {one: (start, start + 6) for one, start in zip((1, 2), at, strict=True)}
    assert compares_unlisted(query, text, spans) is is_unlisted
