"""``kgask eval relations``, ``off-topic``, ``recheck``, ``parity``, ``oracle``: parts of an answer, one by one."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from kgask.cli.figures import (
    FILE,
    FOLDER,
    READER_OPTION,
    asking,
    counted,
    opened_pack,
    printing,
    show_figures,
    show_rows,
)
from kgask.cli.options import MODEL_OPTION, PACK_OPTION
from kgask.cli.render import note, steps_bar
from kgask.errors import EXIT_NO_ANSWER

if TYPE_CHECKING:
    from kgask.pack.store import Pack


@printing("relations")
@click.argument("questions", type=FILE)
@click.option("--data", type=FOLDER, metavar="DATA", help="Folder with the sets; by default two above QUESTIONS.")
@MODEL_OPTION
def relations(questions: Path, data: Path | None, model: str | None, as_json: bool) -> None:
    """The planner alone on SimpleQuestions over Wikidata: which directed relation is asked for?

    \b
    QUESTIONS has lines of "subject<TAB>P or R id<TAB>object<TAB>question"; the
    relations of all annotated files beside it compete, by their Wikidata labels.
      kgask eval relations DATA/simplequestions_wikidata/annotated_wd_data_valid.txt.gz
    """
    show_figures(measured_relations(questions, data or questions.resolve().parent.parent, model), as_json)


def measured_relations(questions: Path, data: Path, model: str | None) -> dict[str, Any]:
    from kgask import config
    from kgask.eval.relations import measure, simple_questions
    from kgask.plan.rigel_onnx import RigelPlanner

    asked = simple_questions(questions, data)
    planner = RigelPlanner.load(config.chosen("model", model).path)
    with steps_bar("plan", len(asked.questions)) as show:
        return measure(planner, asked, lambda done: show(done, ""))


@printing("off-topic")
@PACK_OPTION
@MODEL_OPTION
@counted("--questions", 10_000, "How many.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed draws the same questions.")
@click.option("--wrong", type=click.IntRange(0), default=0, metavar="N", help="N answers to stderr.")
def off_topic(pack: str | None, model: str | None, questions: int, seed: int, wrong: int, as_json: bool) -> None:
    """Random and off-topic questions: none may crash, nearly all should be refused.

    Noise, words without a name, talk, and names of the pack in questions that
    no graph answers; the reader is not asked.
    """
    figures, lines = measured_off_topic(pack, model, questions, seed)
    for line in lines[:wrong]:
        note(line)
    show_figures(figures, as_json)


def measured_off_topic(pack: str | None, model: str | None, n: int, rng_seed: int) -> tuple[dict[str, Any], list[str]]:
    from kgask.eval import off_topic as asked

    with asking("ask", n, pack, model=model, reader=None) as (pipeline, done):
        drawn = asked.questions(n, rng_seed, asked.sampled_names(pipeline, 2000, rng_seed))
        found, lines = asked.run(pipeline, drawn, done)
    return asked.figures(found), lines


@printing("recheck")
@PACK_OPTION
@MODEL_OPTION
@READER_OPTION
@click.option(
    "--random", "architectures", multiple=True, metavar="ARCH",
    help="Read with random weights of this architecture too: gpt2, qwen2, falcon, llama. May be repeated.",
)  # fmt: skip
@click.option(
    "--questions", type=click.Path(exists=True, path_type=Path),
    help="MetaQA's form, or EntityQuestions' folder; by default made from the pack, with operators and without.",
)  # fmt: skip
@counted("--number", 2000, "How many questions.")
@click.option(
    "--min-confidence", type=click.FloatRange(0, 1), default=0.0, show_default=True,
    help="Print from this confidence on.",
)  # fmt: skip
@click.option(
    "--seconds", type=click.FloatRange(0, min_open=True), default=20.0, show_default=True,
    help="Of the SPARQL of one answer; what takes longer is counted apart.",
)  # fmt: skip
def recheck(
    pack: str | None, model: str | None, reader: str | None, architectures: tuple[str, ...],
    questions: Path | None, number: int, min_confidence: float, seconds: float, as_json: bool,
) -> int:  # fmt: skip
    """Ask NUMBER questions and check every printed answer by SQL and by SPARQL.

    By SQL and array look-ups, apart from the code that answered: labels and
    keys, triples by row with what their statements say, and that the triples
    lead to every answer. By SPARQL: that the answer's own query says the same
    in pyoxigraph, over the pack as RDF. What does not hold goes to stderr; exit
    code 3 when there is any.
    """
    from kgask.bench.random_gguf import ARCHITECTURES
    from kgask.eval import recheck as checking

    unknown = [name for name in architectures if name not in ARCHITECTURES]
    if unknown:
        raise click.UsageError(f"--random {unknown[0]}: known are {', '.join(ARCHITECTURES)}")
    rows: list[dict[str, Any]] = []
    with TemporaryDirectory() as folder:
        for name in ("", *architectures):
            chosen = str(_random(Path(folder), name, pack)) if name else reader or ""
            with asking("ask", number, pack, model=model, reader=chosen) as (pipeline, done):
                asked = _texts(questions, number) or _composed(pipeline.pack, number)
                found = checking.run(pipeline, asked, min_confidence, seconds, done)
            rows.append({"reader": f"random {name}" if name else reader or "shipped", **found.figures()})
            for line in found.failures:
                note(line)
    show_rows(rows, as_json)
    return 0 if all(row["broken_answers"] == row["sparql_differs"] == 0 for row in rows) else EXIT_NO_ANSWER


def _composed(pack: Pack, number: int) -> list[str]:
    """Questions about a pack: three quarters with operators, as far as they fit it, the others along paths."""
    from kgask.corpus.pack_operators import PackOperators
    from kgask.corpus.query_sources import templates
    from kgask.sets.of_pack import pack_questions

    operators = [one.text for one in PackOperators(pack, templates(held=False), 0).draw(number * 3 // 4)]
    return operators + pack_questions(pack, number - len(operators))


def _texts(path: Path | None, number: int) -> list[str]:
    from kgask.sets import registry
    from kgask.sets.gold import sample

    if path is None:
        return []
    golds = registry.load("entityquestions" if path.is_dir() else "metaqa", path)
    return [gold.text for gold in sample(golds, number)]


def _random(folder: Path, architecture: str, pack: str | None) -> Path:
    from kgask.bench.random_gguf import write_random

    with opened_pack(pack) as opened:
        texts = [*opened.labels(range(min(4000, opened.n_entities))), *opened.relation_labels()]
        # What it replies is noise at any size: a small one asks thousands of questions in minutes.
        return write_random(folder / f"{architecture}.gguf", architecture, texts, width=32, layers=2, n_vocab=2048)


@printing("parity")
@click.argument("files", nargs=-1, required=True, type=FILE)
@PACK_OPTION
@MODEL_OPTION
@click.option("--limit", type=click.IntRange(1), help="Only the first so many questions of each file.")
def parity(files: tuple[Path, ...], pack: str | None, model: str | None, limit: int | None, as_json: bool) -> None:
    """Whether the planner's graph for CUDA decides as its graph for the CPU does.

    \b
    FILES have a question a line, in the first column, the topic in [brackets]
    where it is not to be linked (MetaQA's form; .gz is fine):
      kgask eval parity DATA/metaqa/1-hop/qa_dev.txt.gz --pack metaqa --limit 2000
    The graph for CUDA runs on a GPU where one is found, on the CPU otherwise.
    """
    from kgask.eval.parity import measure, read_questions

    questions = read_questions(files, limit)
    with steps_bar("ask", len(questions)) as show:
        figures = measure(pack, model, questions, lambda done: show(done, ""))
    show_figures(figures, as_json)


@printing("oracle")
@click.argument("data", type=FOLDER)
def oracle(data: Path, as_json: bool) -> None:
    """What kgask eval run webquestions-fb15k237 DATA asks, and what the best single path could reach there.

    Of WebQuestions val and devtest those are asked whose topic (by Freebase key) and at least one answer, one or two
    hops away, are in FB15k-237. oracle_hits_at_1: the ends of the best path of each question, taken in any order.
    """
    from kgask.sets.webquestions import answerable

    found = answerable(data, ("val", "devtest"))
    figures = {
        "questions_read": found.n_read,
        "topic_in_graph": found.n_topic,
        "questions": len(found.questions),
        "oracle_hits_at_1": round(found.oracle_hits_at_1, 4),
        "oracle_f1": round(found.oracle_f1, 4),
    }
    show_figures(figures, as_json)
