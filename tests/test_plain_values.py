"""What a table writes as bare text: numbers, dates, the names of its columns, its delimiter."""

from __future__ import annotations

from pathlib import Path

import pytest
from forked_cli import kgask

from kgask.build import plain_values
from kgask.build.recipe import Recipe, build
from kgask.pack.store import Pack
from kgask.query.text import parse
from kgask.retrieve.run import run

STAFF = """Subject;Relation;Object
Ann;age;35
Bob;age;41
Cid;age;unknown
Ann;hired;2019-03-02
Bob;hired;2011
Ann;room;12
Bob;room;14
Ann;desk length;120 cm
Bob;desk length;1,040 cm
Ann;badge;0071
Ann;manager;Bob
Ann;flat;3
3;owner;Bob
"""


def built(folder: Path, text: str = STAFF, **more: object) -> tuple[Path, list[str]]:
    source, told = folder / "staff.csv", list[str]()
    source.write_text(text, encoding="utf-8")
    build(Recipe((str(source),), folder / "pack", recognise=True, **more), told.append)  # type: ignore[arg-type]
    return folder / "pack", told


def test_numbers_and_dates_are_recognised_and_said(tmp_path: Path) -> None:
    folder, told = built(tmp_path, STAFF.replace("Cid;age;unknown\n", ""))
    assert told[0].endswith("the first line names the columns; --text takes it for a triple")
    assert told[1].endswith("fields end with ';'")
    assert told[2].startswith("values of age (numbers), hired (dates), desk length (numbers in cm, 1,040 cm is 1040);")
    with Pack.open(folder) as pack:
        assert pack.manifest["counts"]["literals"] == 6
        asked = {
            "best(having(<age>), value(<age>), most 1)": "Bob",
            "where(having(<hired>), value(<hired>) > date(2015))": "Ann",
            "where(having(<desk length>), value(<desk length>) < 2[m])": "Ann",
            "follow(<12>, ^<room>)": "Ann",
            "follow(<3>, <owner>)": "Bob",
            "follow(<0071>, ^<badge>)": "Ann",
        }
        for query, answer in asked.items():
            assert pack.labels(run(parse(query, pack), pack).certain.tolist()) == [answer], query


def test_one_in_ten_may_be_something_else(tmp_path: Path) -> None:
    ages = "".join(f"P{number},age,{number}\n" for number in range(20, 40))
    folder, _ = built(tmp_path, f"{ages}Cid,age,unknown\n")
    with Pack.open(folder) as pack:
        assert pack.manifest["counts"]["literals"] == 20
        assert pack.exact(["unknown"])["unknown"]


def test_a_third_of_other_words_leaves_a_relation_alone(tmp_path: Path) -> None:
    folder, told = built(tmp_path, "a,size,1\nb,size,2\nc,size,big\n")
    with Pack.open(folder) as pack:
        assert pack.manifest["counts"].get("literals", 0) == 0 and told == []


def test_what_is_no_day_and_no_number_stays_a_name(tmp_path: Path) -> None:
    days = "".join(f"P{number},hired,2019-03-{number}\n" for number in range(10, 30))
    folder, told = built(tmp_path, f"{days}Cid,hired,2019-02-30\n{'9' * 400},is,{'9' * 400}\na,size,{'9' * 5000}\n")
    with Pack.open(folder) as pack:
        assert pack.manifest["counts"]["literals"] == 20 and pack.exact(["2019 02 30"])["2019 02 30"]


def test_what_the_user_says_counts(tmp_path: Path) -> None:
    folder, told = built(tmp_path, "a,size,1\nb,size,2\n", literals={"size": ("string", "")})
    with Pack.open(folder) as pack:
        assert [one.kind for one in pack.literals(range(pack.n_entities)) if one is not None] == ["string", "string"]
    assert told == []


@pytest.mark.parametrize("first", ["from,relation,to", "person,property,what", "Source,Edge,Target,note", "s,p,o"])
def test_a_first_line_of_names(tmp_path: Path, first: str) -> None:
    more = ",x" * first.count("note")
    folder, told = built(tmp_path, f"{first}\nAnn,manager,Bob{more}\n")
    with Pack.open(folder) as pack:
        assert pack.labels(range(pack.n_entities)) == ["Ann", "Bob", *more.split(",")[1:]] and len(told) == 1
        assert pack.n_statements == bool(more)  # a further column holds qualifiers


def test_values_of_qualifiers(tmp_path: Path) -> None:
    lines = "subject,relation,object,qualifier:since\nAnn,office,mayor,1801\nBob,office,mayor,1807\n"
    folder, told = built(tmp_path, lines)
    assert told[-1].startswith("values of since (dates)")
    with Pack.open(folder) as pack:
        said = run(parse("qualified(follow(<mayor>, ^<office>), <since> > date(1805))", pack), pack)
        assert pack.labels(said.certain.tolist()) == ["Bob"]


def test_text_prevents_it(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_text("subject,relation,object\nAnn,age,35\n", encoding="utf-8")
    done = kgask("pack", "build", str(source), "-o", str(tmp_path / "a"), "--text")
    assert done.returncode == 0 and "2 relations" in done.stderr and "(0 literals)" in done.stderr
    done = kgask("pack", "build", str(source), "-o", str(tmp_path / "b"))
    assert "values of age (numbers)" in done.stderr and "1 relation" in done.stderr


def test_dates_in_words_per_cent_and_money_are_values(tmp_path: Path) -> None:
    dogs = [
        ("Rex", "5 March 2015", "$120.50", "80.5%"), ("Bella", '"June 1, 2017"', "$99", "65 %"),
        ("Max", "Sept 2012", '"$1,300"', "12%"),
    ]  # fmt: skip
    lines = [f"{name},{relation},{value}" for name, *values in dogs
             for relation, value in zip(("arrived", "price", "score"), values, strict=True)]  # fmt: skip
    folder, told = built(tmp_path, "\n".join((*lines, "")))
    assert told[0].startswith("values of arrived (dates), price (numbers in $), score (numbers in %);")
    with Pack.open(folder) as pack:
        asked = {
            "best(having(<arrived>), value(<arrived>), least 1)": ["Max"],
            "where(having(<arrived>), value(<arrived>) > date(2017-05))": ["Bella"],
            "where(having(<price>), value(<price>) > 100[$])": ["Max", "Rex"],
            "where(having(<score>), value(<score>) < 50[%])": ["Max"],
        }
        for query, answers in asked.items():
            assert sorted(pack.labels(run(parse(query, pack), pack).certain.tolist())) == answers, query


def test_a_date_without_its_year_stays_a_name(tmp_path: Path) -> None:
    _, told = built(tmp_path, "a,played,July 1\nb,played,July 8\nc,played,5/3/1995\n")
    assert told == []


def test_which_number_is_the_day_other_dates_tell(tmp_path: Path) -> None:
    lines = "a,joined,5/3/1995\nb,joined,6/3/1995\n"
    assert built(tmp_path, lines)[1] == []  # nobody knows
    for number, (other, told_so, day) in enumerate(
        [("25/3/1995", "day", "1995-03-05"), ("3/25/1995", "month", "1995-05-03")]
    ):
        (folder := tmp_path / str(number)).mkdir()
        pack_folder, told = built(folder, f"{lines}c,left,{other}\n")
        assert f"joined (dates, {told_so} first), left (dates, {told_so} first)" in told[0]
        with Pack.open(pack_folder) as pack:
            found = run(parse(f"where(having(<joined>), value(<joined>) = date({day}))", pack), pack)
            assert pack.labels(found.certain.tolist()) == ["a"]


DOGS = """Name;Gewicht;Preis;Geboren;Chip
Rex;"3,5 kg";1.234,56 €;31.12.2015;004
Bella;12,25 kg;99,00 €;1.6.2017;017
Max;7 kg;1.100,00 €;5.3.2012;100
"""


def test_decimal_commas_are_those_of_a_whole_column(tmp_path: Path) -> None:
    folder, told = built(tmp_path, DOGS)
    assert told[-1].startswith(
        "values of gewicht (numbers in kg with decimal commas), preis (numbers in € with decimal commas), "
        "geboren (dates);"
    )
    with Pack.open(folder) as pack:
        asked = {
            "where(having(<gewicht>), value(<gewicht>) > 4[kg])": ["Bella", "Max"],
            "where(having(<preis>), value(<preis>) > 1200[€])": ["Rex"],
            "best(having(<geboren>), value(<geboren>), most 1)": ["Bella"],
            "follow(<004>, ^<chip>)": ["Rex"],
        }
        for query, answers in asked.items():
            assert sorted(pack.labels(run(parse(query, pack), pack).certain.tolist())) == answers, query


@pytest.mark.parametrize(
    ("others", "expected", "said"),
    [
        ("1,5 2,25 3,5", 1234.0, "size (numbers with decimal commas, 1.234 is 1234)"),
        ("1.5 2.25 3.5", 1.234, "size (numbers)"),
        ("1 2 3", 1.234, "size (numbers)"),
    ],
)
def test_what_a_column_does_not_tell_the_others_tell(tmp_path: Path, others: str, expected: float, said: str) -> None:
    """A thousand or one and a bit: the columns that tell decide, and what was decided is said."""
    lines = [f"t{at};length;{one}" for at, one in enumerate(others.split())] + ["a;size;1.234", "b;size;2.500"]
    folder, told = built(tmp_path, "\n".join(lines) + "\n")
    assert said in told[-1]
    with Pack.open(folder) as pack:
        result = run(parse("min(values(having(<size>), <size>))", pack), pack)
        assert result.quantity is not None and result.quantity.low == expected


def test_mostly_one_convention(tmp_path: Path) -> None:
    """What is no number in the convention of nearly all stays a name."""
    lines = [f"t{at},size,{at}.5" for at in range(20)] + ['t20,size,"3,5"', 't21,size,"1,234.5"']
    folder, told = built(tmp_path, "\n".join(lines) + "\n")
    assert "size (numbers);" in told[-1]
    with Pack.open(folder) as pack:
        assert pack.exact(["3 5"])["3 5"] and pack.manifest["counts"]["literals"] == 21
        result = run(parse("max(values(having(<size>), <size>))", pack), pack)
        assert result.quantity is not None and result.quantity.low == 1234.5


@pytest.mark.parametrize(
    ("column", "is_code"),
    [("room", True), ("zip_code", True), ("port", True), ("serial number", True), ("rooms", False),
     ("number of rooms", False), ("room count", False), ("num_ports", False), ("lines_of_code", False)],
)  # fmt: skip
def test_what_is_counted_is_no_code(column: str, is_code: bool) -> None:
    assert plain_values.is_code(column) is is_code
