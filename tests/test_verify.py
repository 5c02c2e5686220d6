"""Claims: their form, what silence says in the open world, and verdicts of ``kgask verify`` on the shipped pack."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from forked_cli import kgask

import kgask as api
from kgask.answer.pipeline import Pipeline
from kgask.build.recipe import Recipe, build
from kgask.errors import UsageError
from kgask.link.statements import as_question
from kgask.methods.events import unmet_event
from kgask.methods.signs import is_other_way
from kgask.pack.store import Pack
from kgask.query.base import TruthNode
from kgask.query.text import parse
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner
from kgask.sets.claims import load_claims
from kgask.types import Seed
from kgask.verify.dated import Dated
from kgask.verify.form import bare, said
from kgask.verify.sense import is_sensible, mixes_kinds
from kgask.verify.split import sub_claims
from kgask.verify.verifier import Verifier, VerifyOptions
from kgask.verify.world import World

NAMES = ["Poe", "Boston", "Baltimore", "Kenya", "Uganda", "Peru", "Chile", "Africa", "Laos", "Vientiane", "Hanoi"]

# --- form ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "text", "denies"),
    [
        ("Poe was not born in Boston.", "Poe was born in Boston", True),
        ("Poe never lived in Boston", "Poe lived in Boston", True),
        ("It isn't true that Poe was born in Boston.", "Poe was born in Boston", True),
        ("It is not true that Poe wasn't born in Boston", "Poe was born in Boston", False),
        ("It was Poe who lived in Boston.", "Poe lived in Boston", False),
        ("Kenya has no border with Chile", "Kenya has border with Chile", True),
        ("Contrary to popular belief, Poe died in Boston", "Poe died in Boston", False),
        ("There is no river in Peru", "There is a river in Peru", True),
        ("Peru has only two neighbours", "Peru has exactly two neighbours", False),
        ("Laos is no island", "Laos is a island", True),
        ("Laos is no longer an island", "Laos is no longer an island", False),
        ("The house comes without a balcony", "The house has balcony", True),
        ("Nearly 3.3 million live in Boston", "about 3.3 million live in Boston", False),
        ("The lake is more than a mile deep", "The lake is more than 1 mile deep", False),
        ("Poe not only died in Boston", "Poe not only died in Boston", False),
    ],
)
def test_a_claim_without_its_denial(claim: str, text: str, denies: bool) -> None:
    found = said(claim, NAMES)
    assert (found.text, found.denies) == (text, denies)


def test_what_is_said_around_a_claim_is_left_out() -> None:
    assert bare("  As far as I know, indeed Poe died.  ") == "Poe died"
    assert bare("Poe died") == "Poe died"


def test_a_name_with_a_denial_in_it_is_left_alone() -> None:
    assert said("Never Let Me Go was written by Poe", ["Never Let Me Go", "Poe"]).denies is False


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Poe was born in Boston", "Was Poe born in Boston?"),
        ("The man who was king died in Boston", "Did the man who was king died in Boston?"),
        ("Poe has children", "Does Poe have children?"),
        ("Poe has been married", "Has Poe been married?"),
        ("There's a river in Africa", "Is there a river in Africa?"),
    ],
)
def test_a_claim_as_a_question(text: str, asked: str) -> None:
    assert as_question(text, NAMES) == asked


@pytest.mark.parametrize(
    ("claim", "parts"),
    [
        ("Poe was born in Boston and died in Baltimore", ["Poe was born in Boston", "Poe died in Baltimore"]),
        ("Kenya borders Uganda, and its capital is Boston", ["Kenya borders Uganda", "Kenya's capital is Boston"]),
        ("Poe, who was born in Boston, died in Baltimore", ["Poe was born in Boston", "Poe died in Baltimore"]),
        ("Peru and Chile are in Africa", ["Peru is in Africa", "Chile is in Africa"]),
        ("Neither Peru nor Chile lies in Africa",
         ["it is not true that Peru lies in Africa", "it is not true that Chile lies in Africa"]),
        ("Vientiane is the capital of Laos and Hanoi that of Peru",
         ["Vientiane is the capital of Laos", "Hanoi is the capital of Peru"]),
        ("Laos's capital is Vientiane, while Peru's is Hanoi",
         ["Laos's capital is Vientiane", "Peru's capital is Hanoi"]),
        ("Peru and Chile share a border", ["Peru and Chile share a border"]),
        ("Some country borders Peru and Chile", ["Some country borders Peru and Chile"]),
        ("Poe was born in Boston", ["Poe was born in Boston"]),
    ],
)  # fmt: skip
def test_sub_claims(claim: str, parts: list[str]) -> None:
    assert sub_claims(claim, NAMES) == parts


# --- the open world -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "parts"),
    [
        ("Ada was born in London, and in London she died", ["Ada was born in London", "in London Ada died"]),
        (
            "Ada and Bo are neighbours, and both live in Rome",
            ["Ada and Bo are neighbours", "Ada live in Rome", "Bo live in Rome"],
        ),
        ("Ada runs the lab, speaks for Rome and finally won", ["Ada runs the lab", "Ada speaks for Rome", "Ada won"]),
        ("Ada, a doctor, lives in Rome", ["Ada is a doctor", "Ada lives in Rome"]),
        ("Ada, born in London, lives in Rome", ["Ada was born in London", "Ada lives in Rome"]),
        ("London, England, is a city", ["London, England, is a city"]),
        ("Rome belongs partly to Ada and partly to Bo", ["Rome belongs partly to Ada", "Rome belongs partly to Bo"]),
    ],
)
def test_sub_claims_of_other_forms(claim: str, parts: list[str]) -> None:
    assert sub_claims(claim, ["Ada", "Bo", "London", "Rome", "England"]) == parts


@pytest.mark.parametrize(
    ("claim", "query", "is_so"),
    [
        ("Peru is bigger than Chile", "compare(values(<Q419>, <P2046>) < values(<Q298>, <P2046>))", True),
        ("Peru is bigger than Chile", "compare(values(<Q298>, <P2046>) < values(<Q419>, <P2046>))", False),
        ("Peru has fewer people than Chile", "compare(values(<Q419>, <P1082>) > values(<Q298>, <P1082>))", True),
        ("Peru is nicer than Chile", "compare(values(<Q419>, <P2046>) < values(<Q298>, <P2046>))", False),
        ("Peru has no more than 100 cities", "compare(values(<Q419>, <P2046>) > 100)", True),
        ("Peru has over 100 cities", "compare(values(<Q419>, <P2046>) > 100)", False),
    ],
)
def test_what_compares_the_other_way_round_is_no_reading(demo: Pack, claim: str, query: str, is_so: bool) -> None:
    seeds = tuple(
        Seed(demo.find_key(key) or 0, (claim.index(name), 0), 1.0)
        for key, name in (("Q419", "Peru"), ("Q298", "Chile"))
        if name in claim
    )
    parsed = parse(query, demo)
    assert isinstance(parsed, TruthNode) and is_other_way(parsed, claim, seeds, demo) is is_so


@pytest.fixture(scope="module")
def demo(opened: Callable[..., Pipeline]) -> Iterator[Pack]:
    return opened("demo", None).pack


JAPAN, KENYA, AUSTRIA, CURIE = "<Q17|Japan>", "<Q114|Kenya>", "<Q40|Austria>", "<nobel-6|Marie Curie>"
BORDERS, CAPITAL, BIRTHPLACE, CHILD = "<P47>", "<P36>", "<P19>", "<P40>"
STATE = "class(<class-U.S.-state>)"
DECIDED = [
    (f"some(and(<Q1439|Texas>, best({STATE}, value(<P2046>), most 2)))", True, "stated"),
    (f"some(and(<Q1439|Texas>, best({STATE}, value(<P2046>), most 1)))", False, "complete"),
    ("some(and(<lake-723385165091>, best(class(<class-lake>), value(<P4511>), most 1)))", None, "silent"),
    ("some(and(<gutenberg-author-705|Homer>, best(class(<class-person>), value(<P569>), least 1)))", None, "silent"),
    (f"holds({JAPAN}, {CAPITAL}, <Q1490|Tokyo>)", True, "stated"),
    (f"holds({JAPAN}, {CAPITAL}, <Q35765|Osaka>)", False, "complete"),
    (f"holds(<Q35765|Osaka>, ^{CAPITAL}, {JAPAN})", False, "complete"),
    (f"not(holds({JAPAN}, {CAPITAL}, <Q35765|Osaka>))", True, "complete"),
    (f"holds({KENYA}, {BORDERS}, {JAPAN})", False, "complete"),
    (f"holds({CURIE}, {BIRTHPLACE}, <Q90|Paris>)", False, "single"),
    (f"holds({CURIE}, {BIRTHPLACE}, <Q36|Poland>)", True, "within"),
    # who was born in Paris may be others than the graph knows, the author of Emma is one
    (f"holds(follow(<gutenberg-158|Emma>, <P50>), {BIRTHPLACE}, <Q90|Paris>)", None, "silent"),
    (f"holds(follow(<Q90|Paris>, ^{BIRTHPLACE}), <P26>, {CURIE})", None, "silent"),
    (f"holds(follow(<Q65|Los Angeles>, ^{BIRTHPLACE}), ^<P57>, <Q79503|Juno>)", False, "single"),
    (f"holds(follow(<Q79503|Juno>, <P57>), {BIRTHPLACE}, <Q65|Los Angeles>)", False, "single"),
    (f"holds({CURIE}, {CHILD}, <Q937|Albert Einstein>)", None, "silent"),  # a list that no graph has whole
    (f"some(follow({JAPAN}, {CHILD}))", None, "silent"),
    (f"some(follow({JAPAN}, {BORDERS}))", False, "complete"),  # an island
    (f"compare(count(follow({AUSTRIA}, {BORDERS})) = 8)", True, "count"),
    (f"compare(count(follow({AUSTRIA}, {BORDERS})) = 7)", False, "count"),
    (f"compare(count(follow({CURIE}, {CHILD})) > 5)", None, "silent"),
    (f"compare(values({CURIE}, <P569>) < date(1900))", True, "value"),
    (f"compare(values({CURIE}, <P569>) > date(1900))", False, "value"),
    ("compare(values(<element-Au|Gold>, <P2054>) = 19.3[g/cm³])", True, "value"),  # as exact as it is said
    ("compare(values(<element-Au|Gold>, <P2054>) = 19.1[g/cm³])", False, "value"),
    (f"all(holds({JAPAN}, {CAPITAL}, <Q1490|Tokyo>), holds({CURIE}, {CHILD}, <Q937|Albert Einstein>))", None, "silent"),
    (f"all(holds({JAPAN}, {CAPITAL}, <Q35765|Osaka>), holds({CURIE}, {CHILD}, <Q937>))", False, "complete"),
]  # fmt: skip


def decided(pack: Pack, text: str, **world: object) -> tuple[bool | None, str]:
    query = parse(text, pack)
    assert isinstance(query, TruthNode)
    found = World(Runner(pack, Budget()), **world).decide(query)  # type: ignore[arg-type]
    return found.truth, found.rule


@pytest.mark.parametrize(("text", "truth", "rule"), DECIDED)
def test_what_is_said_and_what_silence_says(demo: Pack, text: str, truth: bool | None, rule: str) -> None:
    assert decided(demo, text) == (truth, rule)


def test_a_closed_world_refutes_what_is_not_said(demo: Pack) -> None:
    assert decided(demo, f"holds({CURIE}, {CHILD}, <Q937|Albert Einstein>)", is_closed=True) == (False, "closed world")
    assert decided(demo, f"some(follow({JAPAN}, {CHILD}))", is_closed=True) == (False, "closed world")


def test_a_closed_world_has_no_other_names(opened: Callable[..., Pipeline]) -> None:
    claim = "The Moons of Zarbulon Seven was written by Jane Austen."
    closed = Verifier(opened("demo", None), VerifyOptions(closed_world=True))
    refuted = closed.verify(claim)
    assert (refuted.verdict, refuted.rule) == ("refuted", "closed world") and "Zarbulon" in refuted.said
    assert closed.verify("Jane Austen did not write The Moons of Zarbulon Seven.").verdict == "not enough information"


@pytest.mark.parametrize(("year", "truth"), [("in 1911", True), ("in 1912", False), ("often", None)])
def test_when_two_things_were_in_a_relation(demo: Pack, year: str, truth: bool | None) -> None:
    query, runner = parse(f"holds({CURIE}, <P166>, <nobel-chemistry>)", demo), Runner(demo, Budget())
    assert isinstance(query, TruthNode)
    dated = Dated(demo).of(query, f"Marie Curie won the Nobel Prize in Chemistry {year}.", runner)
    assert (None if dated is None else World(runner).decide(dated).truth) is truth


def test_who_knows_that_a_relation_is_complete_may_say_so(demo: Pack) -> None:
    child = demo.relation_labels().index("child")
    text = f"holds({CURIE}, {CHILD}, <Q937|Albert Einstein>)"
    assert decided(demo, text, complete=frozenset({child})) == (False, "complete")


@pytest.mark.parametrize(
    "text",
    [
        "holds(<gutenberg-158|Emma>, <P50|author>, <Q100|Boston>)",  # a city is no author
        f"holds({KENYA}, {BORDERS}, follow({JAPAN}, {BORDERS}))",
        f"compare(values({CURIE}, <P569>) < values({CURIE}, <P569>))",
        f"some(and(follow({KENYA}, {CAPITAL}), <element-Au|Gold>))",
        f"compare(values({KENYA}, <P1082>) > values({JAPAN}, <P2046>))",  # its people with another's area
        f"compare(values({KENYA}, <P1082>) = 9000000000000)",
        f"all(holds({CURIE}, {BIRTHPLACE}, <Q90>), holds({CURIE}, {BIRTHPLACE}, <Q270>))",
        f"compare(age(values({CURIE}, <P569>), values({CURIE}, <P569>)) > 50)",
    ],
)
def test_what_no_claim_says(demo: Pack, text: str) -> None:
    query = parse(text, demo)
    assert isinstance(query, TruthNode) and not is_sensible(Runner(demo, Budget()), query)


def test_things_of_a_class_are_looked_for_where_there_may_be_some(demo: Pack) -> None:
    strange, usual = (
        parse(f"some(and(class(<class-{kind}>), follow(<Q837|Nepal>, ^<kgask:source-country>)))", demo)
        for kind in ("mountain", "river")
    )
    assert isinstance(strange, TruthNode) and mixes_kinds(Runner(demo, Budget()), strange)
    assert isinstance(usual, TruthNode) and not mixes_kinds(Runner(demo, Budget()), usual)


# --- verdicts -----------------------------------------------------------------------------------

VERDICTS = {
    "Tokyo is the capital of Japan.": "supported",
    "Osaka is the capital of Japan": "refuted",
    "Osaka is not the capital of Japan": "supported",
    "Jane Austen wrote Lady Susan": "supported",
    "Eight countries border Austria.": "supported",
    "Austria borders seven countries.": "refuted",
    "Peru is bigger than Chile": "supported",
    "Marie Curie was born before 1900": "supported",
    "Marie Curie was born in Warsaw and died in London": "refuted",
    "Kenya's food is delicious": "not enough information",
    "All countries border Germany.": "refuted",
    "Every country in Europe uses the euro": "refuted",
    "Austria is the only country that borders Liechtenstein": "refuted",
    "Mont Blanc doesn't even reach 4000 metres": "refuted",
    "Neither John Lennon nor Paul McCartney was born in London.": "supported",  # Great Britain is not "in" London
    "John Lennon was born in England": "not enough information",  # in which the graph knows no Liverpool
    "Ernest Hemingway died in Idaho": "not enough information",
    "Ernest Hemingway died in Havana": "refuted",
    "Nelson Mandela and Barack Obama received the peace prize in the same year": "not enough information",
    "Mont Blanc is the highest mountain in Africa.": "refuted",
    "The second-largest city in Germany is Hamburg.": "supported",
    "Mont Blanc is the steepest mountain in Italy.": "not enough information",
    "Germany borders only France.": "not enough information",
    "Austria borders neither Italy nor Germany.": "refuted",
    "Germany borders Germany.": "not enough information",
    "Albert Einstein is still alive.": "not enough information",
    "Milan may be the capital of Italy.": "not enough information",
    "Mount Everest is 8848 m high.": "supported",
    "Albert Einstein was born in Ulm or Munich.": "not enough information",
    "The Moons of Zarbulon Seven was written by Jane Austen": "not enough information",
}


@pytest.fixture(scope="module")
def verifier(opened: Callable[..., Pipeline]) -> Verifier:
    return Verifier(opened("demo", None))


@pytest.mark.slow
def test_what_is_said_the_other_way_round_is_not_supported(verifier: Verifier) -> None:
    claims = load_claims(Path(__file__).parent / "data" / "claims" / "turned.yaml")
    found = {one.claim: one.verdict for one in verifier.verify_many([claim.text for claim in claims])}
    supported = {claim.text for claim in claims if found[claim.text] == "supported"}
    of_these = {claim.text for claim in claims if claim.verdict == "supported"} & supported
    assert supported - of_these == {"Moby-Dick wrote Herman Melville."}  # which is a notable work of his
    assert len(of_these) >= 9


def test_verdicts(verifier: Verifier) -> None:
    found = verifier.verify_many([*VERDICTS])
    assert {one.claim: one.verdict for one in found} == VERDICTS
    assert [bool(one) for one in found] == [verdict == "supported" for verdict in VERDICTS.values()]


def test_a_verdict_has_what_decides(verifier: Verifier) -> None:
    refuted = verifier.verify("Osaka is the capital of Japan")
    assert [(one.subject, one.relation, one.object) for one in refuted.counter] == [("Japan", "capital", "Tokyo")]
    assert not refuted.support and refuted.rule == "complete" and "capital" in refuted.said
    supported = verifier.verify("Tokyo is the capital of Japan")
    assert supported.support and not supported.counter and supported.rule == "stated"


def test_sub_claims_have_verdicts_of_their_own(verifier: Verifier) -> None:
    found = verifier.verify("Marie Curie was born in Warsaw and died in London")
    assert [one.verdict for one in found.parts] == ["supported", "refuted"]
    assert found.verdict == "refuted" and found.counter == found.parts[1].counter


def test_nothing_is_decided_below_the_confidence_asked_for(opened: Callable[..., Pipeline]) -> None:
    strict = Verifier(opened("demo", None), VerifyOptions(min_confidence=1.0)).verify("Tokyo is the capital of Japan")
    assert strict.verdict == "not enough information" and "confidence" in (strict.reason or "")


def test_what_is_no_claim_is_refused(verifier: Verifier) -> None:
    with pytest.raises(UsageError, match="the claim is empty"):
        verifier.verify("  ")
    lines = verifier.verify_lines(["", "Tokyo is the capital of Japan", ".", '"', "M\ufffdnchen is a city", "?!"])
    assert [one.verdict for one in lines] == ["not enough information", "supported", *["not enough information"] * 4]
    assert lines[0].reason == "the claim is empty"


# --- the command --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "word", "code"),
    [
        ("Tokyo is the capital of Japan", "supported", 0),
        ("Osaka is the capital of Japan", "refuted", 5),
        ("Kenya's food is delicious", "not enough information", 3),
    ],
)
def test_the_verdict_alone_is_on_stdout(claim: str, word: str, code: int) -> None:
    done = kgask("verify", claim)
    assert (done.stdout, done.returncode) == (f"{word}\n", code)
    assert all(line.startswith("kgask: ") for line in done.stderr.splitlines()) and done.stderr


def test_claims_of_a_file_one_a_line(tmp_path: Path) -> None:
    claims = tmp_path / "claims.txt"
    claims.write_text("Tokyo is the capital of Japan\n\nOsaka is the capital of Japan\n", encoding="utf-8")
    done = kgask("verify", "--claims", str(claims), "--json")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert [one["verdict"] for one in found] == ["supported", "not enough information", "refuted"]
    assert found[2]["counter"][0]["object"] == "Tokyo" and set(found[0]["hashes"]) >= {"pack", "model", "judge"}
    piped = kgask("verify", stdin="Tokyo is the capital of Japan\n")
    assert (piped.stdout, piped.returncode) == ("supported\n", 0)


def test_the_user_may_say_more_of_a_relation() -> None:
    claim = "Albert Einstein is a child of Marie Curie"
    assert kgask("verify", claim).returncode == 3
    assert kgask("verify", claim, "--complete", "child").returncode == 5
    assert kgask("verify", claim, "--closed-world").returncode == 5
    done = kgask("verify", claim, "--complete", "nothing such")
    assert done.returncode == 2 and "no relation 'nothing such'" in done.stderr


def test_bad_usage_is_one_line(tmp_path: Path) -> None:
    claims = tmp_path / "claims.txt"
    claims.write_text("x\n", encoding="utf-8")
    done = kgask("verify", "some claim", "--claims", str(claims))
    assert done.returncode == 2 and done.stderr.count("\n") == 1


def test_in_python() -> None:
    with api.open("demo", reader=None, settings={}) as kg:
        assert kg.verify("Tokyo is the capital of Japan").verdict == "supported"


@pytest.mark.parametrize(
    ("claim", "called", "unmet"),
    [
        ("Moira was born in Wexmouth", "coxswain", "born"),
        ("Moira lives in Wexmouth", "resid in home", None),
        ("Elsa wrote King of Crumbs", "directed", "wrote"),
        ("Tern is faster than Spindrift", "length m", "faster"),
        ("Tern is longer than Spindrift", "length m", None),
        ("Tern was bought in 2019", "", None),  # a query without relations says it otherwise
    ],
)
def test_a_word_that_no_relation_says(claim: str, called: str, unmet: str | None) -> None:
    assert unmet_event(claim, called) == unmet


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("Albert Camus was born in 1913", "supported"),  # the graph has the day
        ("Albert Camus was born in 1914", "refuted"),
        ("Madagascar is not located in Europe", "supported"),
        ("Max Mallowan divorced Agatha Christie", "not enough information"),
    ],
)
def test_what_a_claim_says_beside_its_names_counts(verifier: Verifier, claim: str, verdict: str) -> None:
    assert verifier.verify(claim).verdict == verdict


def test_what_leads_to_one_person_leads_to_no_other_though_nobody_says_what_they_are(tmp_path: Path) -> None:
    teams = [f"Team {name},led by,Lead {name}" for name in "ABCDE"]
    teams += ["Ann Lee,member of,Team A", "Lead A,member of,Team A"]
    (tmp_path / "teams.csv").write_text("\n".join(["subject,predicate,object", *teams]))
    build(Recipe((str(tmp_path / "teams.csv"),), tmp_path / "pack", recognise=True), tell=lambda line: None)
    with api.open(str(tmp_path / "pack"), reader=None) as opened:
        assert opened.verify("Team A is led by Ann Lee.").verdict == "refuted"
        assert opened.verify("Team A is led by Lead A.").verdict == "supported"
