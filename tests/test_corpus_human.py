"""People's wordings as queries: what of a question is pointed at, and the steps that its gold query becomes."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from kgask.corpus import sparql_questions
from kgask.corpus.drafts import Draft, value_kind, values_in
from kgask.corpus.examples import PathExample
from kgask.corpus.fact_questions import kqapro_questions
from kgask.corpus.mentions import name_spans
from kgask.corpus.path_queries import mintaka_kinds, path_example
from kgask.corpus.query_examples import QueryExample, check
from kgask.corpus.table_answers import answered_questions
from kgask.corpus.table_questions import wikisql_questions
from kgask.errors import UsageError
from kgask.sets import kqapro, kqapro_gold, mintaka, wikidata, wikisql, wikitablequestions, wikiwebquestions


def write(path: Path, lines: list[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
    return path


def shown(example: QueryExample) -> str:
    """The steps with operands in words."""
    words = [example.text[operand.start : operand.end] for operand in example.operands]

    def one(step: str | tuple[str, bool] | int) -> str:
        if isinstance(step, tuple):
            return f"{'^' if step[1] else ''}<{step[0]}>"
        return f"'{words[step]}'" if isinstance(step, int) else step

    return " ".join(map(one, example.steps))


# --- drafts -------------------------------------------------------------------------------------


def test_numbers_and_dates_are_found_but_not_in_codes() -> None:
    found = [(text[start:end], kind) for text in ["over 12,500 km² on 4 May 1911, in 1950 or P-101, 1.2.3 and 7-5"]
             for start, end, kind in values_in(text)]  # fmt: skip
    assert found == [("12,500 km²", "number"), ("4 May 1911", "date"), ("1950", "date")]
    assert (value_kind("3.5"), value_kind("July 2009"), value_kind("ring 3")) == ("number", "date", None)


def test_a_draft_masks_names_keeps_other_operands_and_counts_in_the_order_of_the_text() -> None:
    draft = Draft("Which  Clubs did Ann Lee's team beat by 5?")
    later, first = draft.name("Ann Lee", "entity"), draft.name("Clubs", "class")
    assert later is not None and first is not None
    assert draft.name("Lee", "entity") is None
    draft.distract([(17, 20, "class"), *values_in(draft.question)])
    made = draft.example([first, later, ("beat", False), "AND", "END"], "intersection", "x")
    assert made is not None
    assert made.text == "which clubs did [MASK]'s team beat by 5?"
    assert [made.text[o.start : o.end] for o in made.operands] == ["clubs", "[MASK]", "5"]
    assert made.steps == (0, 1, ("beat", False), "AND", "END")


# --- WikiSQL ------------------------------------------------------------------------------------

TABLE = [
    "What position did the player from Bath play?\tSELECT POSITION_FIELD FROM TABLE WHERE SCHOOL/CLUB_FIELD = bath\tt1",
    "How many laps records did Ann Lee set?\tSELECT COUNT RECORD_FIELD FROM TABLE WHERE RIDER_FIELD = \"Ann Lee\"\tt1",
    "What is the most wins with laps over 40 for Bath?"
    "\tSELECT MAX WINS_FIELD FROM TABLE WHERE LAPS_FIELD > 40 AND SCHOOL/CLUB_FIELD = Bath\tt1",
    "When did Ann Lee race for Bath?"
    "\tSELECT DATE_FIELD FROM TABLE WHERE RIDER_FIELD = \"ann lee\" AND SCHOOL/CLUB_FIELD = bath\tt1",
    "What is the average of wins?\tSELECT AVG WINS_FIELD FROM TABLE\tt1",
    "What is the position of Bath?\tSELECT SUM POSITION_FIELD FROM TABLE WHERE SCHOOL/CLUB_FIELD = Bath\tt1",
    "What is above 40 laps?\tSELECT WINS_FIELD FROM TABLE WHERE LAPS_FIELD < 40\tt1",
    "Who is the tall one?\tSELECT RIDER_FIELD FROM TABLE WHERE HEIGHT_FIELD = \"2 m\"\tt1",
    "Who lost?\tSELECT RIDER_FIELD FROM TABLE WHERE LOST_FIELD = var1\tt1",
]  # fmt: skip


def test_sql_over_a_table_becomes_steps(tmp_path: Path) -> None:
    write(tmp_path / wikisql.TRAINING, TABLE)
    made = list(wikisql_questions(tmp_path))
    assert [(one.source, shown(one)) for one in made] == [
        ("wikisql_path", "'[MASK]' ^<school/club> <position> END"),
        ("wikisql_count", "'[MASK]' ^<rider> COUNT END"),
        ("wikisql_value", "'[MASK]' ^<school/club> BY <laps> '40' GT <wins> MAX END"),
        ("wikisql_both", "'[MASK]' ^<rider> '[MASK]' ^<school/club> AND <date> END"),
        ("wikisql_value", "THING ^<wins> <wins> MEAN END"),
    ]
    assert made[2].text == "what is the most wins with laps over 40 for [MASK]?"
    assert made[0].others == ("record", "rider", "wins", "laps", "date", "height")
    for one in made:
        check(one)
        assert one.vocabulary == "table"


def test_what_a_row_is_may_be_a_class(tmp_path: Path) -> None:
    line = "Which player{} has more than {} goals?\tSELECT PLAYER_FIELD FROM TABLE WHERE GOALS_FIELD > {}\tt{}"
    write(tmp_path / wikisql.TRAINING, [line.format("", n, n, n) for n in range(20, 40)])
    made = {shown(one).replace(shown(one).split("'")[-2], "n") for one in wikisql_questions(tmp_path)}
    assert made == {"'player' BY <goals> 'n' GT END", "THING ^<goals> BY <goals> 'n' GT <player> END"}


def test_a_line_of_another_form_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "x.tsv.gz", ["question only"])
    with pytest.raises(UsageError, match=r"x\.tsv\.gz:1: 1 fields"):
        list(wikisql.questions(path))


# --- KQA Pro ------------------------------------------------------------------------------------

FACTS = [
    "kb\tRed Tide\tcast member\tAnn Lee\tcharacter role\tThe Captain",
    "kb\tAnn Lee\taward received\tSilver Oar, Large\tpoint in time\t1935",
    "kb\tAnn Lee\tbirth name\tAnna Lehmann",
    "kb\tAnn Lee\tISNI\t0000 0001",
    "q\tRed Tide\tinstance of\tfilm",
]
ASKED = [
    ("qualifier", "?qpv", "Whom did Ann Lee play in Red Tide?", ["Red Tide,cast member,Ann Lee,character role,?qpv"]),
    ("qualifier", "?e", "Which person got the Silver Oar (Large) in 1935?",
     ["?e,instance of,human", "?e,award received,Silver Oar, Large,point in time,1935"]),
    ("verify", "bool", "Was Ann Lee of Red Tide born as Anna Lehmann?",
     ["Red Tide,cast member,Ann Lee", "Ann Lee,birth name,Anna Lehmann"]),
    ("multihop", "?e", "Which movies star the person born Anna Lehmann?",
     ["?e,instance of,film", "?e,cast member,?e_1", "?e_1,instance of,human", "?e_1,birth name,Anna Lehmann"]),
    ("verify", "bool", "Did Ann Lee win it?", ["Ann Lee,award received,Golden Oar"]),
    ("verify", "bool", "Is Ann Lee the same as Anna Lehmann?", ["Ann Lee,birth name,Anna Lehmann"]),
    ("verify", "bool", "Is annlee what Ann Leigh got?", ["Ann Lee,award received,annlee"]),  # one place for two names
    ("verify", "bool", "Did Ann Lee fly?", ["Ann Lee,unheard of,Anna Lehmann"]),
]  # fmt: skip
PROPERTIES = {"P161": "cast member", "P453": "character role", "P166": "award received", "P585": "point in time",
              "P1477": "birth name"}  # fmt: skip


def test_gold_facts_become_steps_from_what_is_named_to_what_is_asked(tmp_path: Path) -> None:
    write(tmp_path / kqapro.FACTS, FACTS)
    (tmp_path / "wikidata_props").mkdir()
    (tmp_path / "wikidata_props/en1.json").write_text(json.dumps(PROPERTIES))
    names = ("kind", "target", "question", "facts")
    rows = [dict(zip(names, one, strict=True)) | {"answer": "x", "in_graph": True} for one in ASKED]
    write(tmp_path / kqapro_gold.TRAINING, [json.dumps(row) for row in rows])
    made = list(kqapro_questions(tmp_path))
    for one in made:
        check(one)
    assert [(one.text, one.kind, shown(one)) for one in made] == [
        ("whom did [MASK] play in [MASK]?", "qualifier", "'[MASK]' <P161> '[MASK]' OF <P453> END"),
        ("which person got the [MASK] in 1935?", "qualifier", "'[MASK]' ^<P166> QUAL <P585> '1935' IN END"),
        ("was [MASK] of [MASK] born as [MASK]?", "yesno", "'[MASK]' '[MASK]' <P161> AND <P1477> '[MASK]' HOLDS END"),
        ("which movies star the person born [MASK]?", "intersection", "'movies' '[MASK]' ^<P1477> ^<P161> AND END"),
    ]
    assert [made[1].text[one.start : one.end] for one in made[1].operands] == ["person", "[MASK]", "1935"]


def test_names_hold_commas_and_relations_tell_where_they_end() -> None:
    known = {"languages spoken, written or signed", "award received", "received"}
    assert kqapro_gold.gold_fact("Ann, the Tall,languages spoken, written or signed,Old, Old English", known, ()) == (
        kqapro_gold.GoldFact("Ann, the Tall", "languages spoken, written or signed", "Old, Old English")
    )
    assert kqapro_gold.gold_fact("Ann,award received,Oar,for work,?qpv", known, {"for work"}) == (
        kqapro_gold.GoldFact("Ann", "award received", "Oar", "for work", "?qpv")
    )
    assert kqapro_gold.gold_fact("Ann,eats,cake", known, ()) is None


def test_names_are_found_with_other_punctuation_and_a_slip() -> None:
    question = "Who wrote J.K. Rowlings Tales and Catherine Denueve's diary?"
    assert [question[start:end] for start, end in name_spans(question, "Catherine Deneuve")] == ["Catherine Denueve"]
    assert [question[start:end] for start, end in name_spans(question, "J. K. Rowlings (film)")][0] == "J.K. Rowlings"
    assert not list(name_spans(question, "Karl Marx the Elder"))


# --- paths, and kinds alone ---------------------------------------------------------------------


def test_a_path_keeps_class_words_as_distractors_and_says_no_less_than_the_question() -> None:
    asked = PathExample("what was the first movie of [MASK]?", (("P57", True),), "simple")
    made = path_example(asked)
    assert made is not None
    check(made)
    assert shown(made) == "'[MASK]' ^<P57> END"
    assert {(made.text[o.start : o.end], o.kind) for o in made.operands} >= {("first", "rank"), ("[MASK]", "entity")}
    assert path_example(replace(asked, text="what team had [MASK] in 2010?")) is None
    assert path_example(replace(asked, constrained=True)) is None
    assert path_example(replace(asked, path=None)) is None
    nothing = path_example(PathExample("how do i boil an egg", (), "off_topic"))
    assert nothing is not None
    assert nothing.steps == ("NONE",)


def test_mintaka_says_of_which_kind_a_question_is(tmp_path: Path) -> None:
    question = "Is Ann Lee older than Bo Li?"
    entities = [{"name": "Q1", "entityType": "entity", "mention": name, "span": [at, at + len(name)]}
                for name, at in (("Ann Lee", 3), ("Bo Li", 22))]  # fmt: skip
    row = {"id": "1", "question": question, "complexityType": "comparative", "questionEntity": entities,
           "answer": {"answerType": "boolean", "answer": [True]}}  # fmt: skip
    (tmp_path / mintaka.FOLDER).mkdir()
    (tmp_path / mintaka.TRAINING).write_text(json.dumps([row]))
    assert mintaka_kinds(tmp_path) == [("is [MASK] older than [MASK]?", "comparison")]


# --- SPARQL -------------------------------------------------------------------------------------

DBO = "http://dbpedia.org/ontology/"
QALD = [
    ("Which book by Ann Lee has more than 300 pages?",
     f"SELECT ?u WHERE {{ ?u a <{DBO}Book> ; <{DBO}author> <http://dbpedia.org/resource/Ann_Lee_(writer)> ; "
     f"<{DBO}numberOfPages> ?n FILTER (?n > 300) }}",
     "filter", "'book' '[MASK]' ^<author> AND BY <number of pages> '300' GT END"),
    ("What was the first film of Ann Lee?",
     f"SELECT ?u WHERE {{ ?u a <{DBO}Film> ; <{DBO}starring> <http://dbpedia.org/resource/Ann_Lee> ; "
     f"<{DBO}releaseDate> ?d }} ORDER BY ?d LIMIT 1",
     "ordinal", "'film' '[MASK]' ^<starring> AND BY <release date> 'first' LEAST END"),
    ("Which country has the most official languages?",
     f"SELECT ?u WHERE {{ ?u a <{DBO}Country> . ?u <{DBO}officialLanguage> ?l }} GROUP BY ?u "
     "ORDER BY DESC(COUNT(?l)) LIMIT 1",
     "superlative", "'country' BY <official language> SIZE MOST END"),
    ("Which mountains are higher than the Nanga Parbat?",
     f"SELECT ?u WHERE {{ <http://dbpedia.org/resource/Nanga_Parbat> <{DBO}elevation> ?e . ?u a <{DBO}Mountain> ; "
     f"<{DBO}elevation> ?o FILTER ( ?e < ?o ) }}",
     "filter", "'mountains' BY <elevation> '[MASK]' GT END"),
    ("How often did Ann Lee marry?",
     f"SELECT (COUNT(DISTINCT ?u) AS ?c) WHERE {{ <http://dbpedia.org/resource/Ann_Lee> <{DBO}spouse> ?u }}",
     "count", "'[MASK]' <spouse> COUNT END"),
    ("Was Ann Lee born in Peru?",
     f"ASK WHERE {{ <http://dbpedia.org/resource/Ann_Lee> <{DBO}birthPlace> ?c . ?c <{DBO}country> "
     "<http://dbpedia.org/resource/Peru> }",
     "yesno", "'[MASK]' <birth place> <country> '[MASK]' HOLDS END"),
    ("Is Ann Lee married?",
     f"ASK WHERE {{ <http://dbpedia.org/resource/Ann_Lee> <{DBO}spouse> ?u }}",
     "yesno", "'[MASK]' <spouse> SOME END"),
    ("Who led Peru in 1945?",
     "SELECT ?x WHERE { wd:Q419 p:P6 ?p. ?p ps:P6 ?x; pq:P580 ?y; pq:P582 ?z. FILTER((?y < "
     '"1946-01-01T00:00:00Z"^^xsd:dateTime) && (?z >= "1945-01-01T00:00:00Z"^^xsd:dateTime)) }',
     "qualifier", "'[MASK]' <P6> QUAL <P580> '1945' LE QUAL <P582> '1945' GE END"),
    ("When did Ann Lee win the Silver Oar?",
     "SELECT ?x WHERE { wd:Q7 p:P166 ?y. ?y ps:P166 wd:Q8; pq:P585 ?x. }",
     "qualifier", "'[MASK]' <P166> '[MASK]' OF <P585> END"),
    ("Who has the highest tax in Peru?",  # the query says the other way round
     f"SELECT ?u WHERE {{ ?u <{DBO}country> <http://dbpedia.org/resource/Peru> ; <{DBO}tax> ?n }} ORDER BY ?n LIMIT 1",
     "", ""),
    ("Who does not live in Peru?", "SELECT ?u WHERE { ?u wdt:P31 wd:Q5 MINUS { ?u wdt:P551 wd:Q419 } }", "", ""),
    ("Who lives at the lake?", f"SELECT ?u WHERE {{ ?u <{DBO}home> <http://dbpedia.org/resource/Lac_Rond> }}", "", ""),
]  # fmt: skip


def test_sparql_of_published_questions_becomes_steps(tmp_path: Path) -> None:
    names = {"Q419": "Peru", "Q7": "Ann Lee", "Q8": "Silver Oar"}
    keys = {"P6": "head of government", "P580": "start", "P582": "end", "P166": "award", "P585": "point in time"}
    for file, content in ((wikidata.PROPERTIES, keys), (wikidata.ENTITIES, names), (wikidata.PREFERRED, {})):
        write(tmp_path / file, [json.dumps(content)])
    write(tmp_path / sparql_questions.QALD, [json.dumps({"question": q, "sparql": s}) for q, s, _, _ in QALD])
    write(tmp_path / sparql_questions.TEMPQA, [])
    write(tmp_path / wikiwebquestions.TRAINING, ["[]"])
    made = list(sparql_questions.sparql_questions(tmp_path))
    for one in made:
        check(one)
    assert [(one.kind, shown(one)) for one in made] == [(kind, steps) for _, _, kind, steps in QALD if kind]
    assert [one.vocabulary for one in made] == ["table"] * 7 + ["wikidata"] * 2


# --- tables with answers ------------------------------------------------------------------------

GAMES = [["Nation", "Gold", "Capital"], ["Peru", "3", "Lima"], ["Chile", "12", "Santiago"], ["Fiji", "1", "Suva"]]
ANSWERED = [
    ("Which nation won the most gold medals?", "Chile", "wtq_superlative", "'nation' BY <gold> MOST END"),
    ("Who won the fewest gold medals?", "Suva", "wtq_superlative", "THING ^<gold> BY <gold> LEAST <capital> END"),
    ("Who had more gold medals, Peru or Fiji?", "Peru", "wtq_comparison", "'[MASK]' '[MASK]' OR BY <gold> MOST END"),
    ("How many more golds has Chile than Peru?", "9", "wtq_difference", "'[MASK]' <gold> '[MASK]' <gold> DIFF END"),
    ("How many fewer golds has Peru than Chile?", "9", "wtq_difference", "'[MASK]' <gold> '[MASK]' <gold> DIFF END"),
    ("How many nations won at least 3 gold medals?", "2", "wtq_count", "'nations' BY <gold> '3' GE COUNT END"),
    ("What is the total number of gold medals?", "16", "wtq_value", "THING ^<gold> <gold> SUM END"),
    ("Which nation won the most gold medals in rowing and sailing at sea?", "Chile", "", ""),
    ("Which nation won the most gold medals?", "Fiji", "", ""),
    ("Which nation won the first gold medal?", "Peru", "", ""),
]


def test_a_query_over_a_table_is_taken_where_it_gives_the_answer_and_says_the_question(tmp_path: Path) -> None:
    write(tmp_path / wikitablequestions.TABLES, [json.dumps({"table": "t", "rows": GAMES})])
    rows = [{"question": question, "table": "t", "answers": [answer]} for question, answer, _, _ in ANSWERED]
    write(tmp_path / wikitablequestions.TRAINING, [json.dumps(row) for row in rows])
    made = list(answered_questions(tmp_path))
    for one in made:
        check(one)
    assert [(one.source, shown(one)) for one in made] == [row[2:] for row in ANSWERED if row[2]]
    assert [one.steps[0] for one in made if one.source == "wtq_difference"] == [0, 1]
