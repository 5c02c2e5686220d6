"""``kgask bench reading|recheck|constrain|read``: what the reader adds, what holds, what constraint costs."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from kgask.cli.render import note, steps_bar, table
from kgask.errors import EXIT_NO_ANSWER

if TYPE_CHECKING:
    from kgask.pack.store import Pack

FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
READER_OPTION = click.option(
    "--reader", metavar="GGUF", help="Reader name, folder or GGUF file; by default as for ask."
)
MODEL_OPTION = click.option("--model", help="Planner name or path.")
PACK_OPTION = click.option("--pack", help="Pack name or path; by default as for ask.")
JSON_OPTION = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def _print_rows(rows: list[dict[str, Any]], as_json: bool) -> None:
    """One object, or one column, a row."""
    if as_json:
        print(json.dumps(rows))
        return
    names = list(rows[0])
    table(("figure", *[""] * len(rows)), [(name, *(row[name] for row in rows)) for name in names])


@click.command("reading", short_help="The reader against the plan alone, side by side.")
@click.option("--data", required=True, type=FOLDER, metavar="DATA", help="Folder with the public sets.")
@click.option(
    "--packs", required=True, type=FOLDER, metavar="DIR", help="Packs metaqa, entityquestions (kgask bench prepare)."
)
@READER_OPTION
@MODEL_OPTION
@click.option("--limit", type=click.IntRange(1), default=500, show_default=True, help="Questions of each set.")
@click.option("--changed", is_flag=True, help="Print the questions that the reader repaired or spoiled to stderr.")
@JSON_OPTION
def reading(
    data: Path, packs: Path, reader: str | None, model: str | None, limit: int, changed: bool, as_json: bool
) -> int:
    """MetaQA dev and EntityQuestions dev with the reader and without it.

    Hits@1 and the F1 of the answer set count every question, without a
    threshold; "answered" is at each way's default threshold. It holds where the
    reader loses at most 0.5 points of both; exit code 3 where it does not.
    """
    from kgask.answer.pipeline import Pipeline
    from kgask.eval.reading import compare, public_sets

    rows: list[dict[str, Any]] = []
    for name, pack, load in public_sets(data, limit):
        questions = load()
        with (
            Pipeline.open(str(packs / pack), model=model, reader=reader or "", must_read=True) as pipeline,
            steps_bar(name, len(questions)) as show,
        ):
            found = compare(pipeline, questions, lambda done, show=show: show(done, ""))
        rows.append({"set": name, **found.figures()})
        if changed:
            for line in found.repaired:
                note(f"repaired: {line}")
            for line in found.spoiled:
                note(f"spoiled: {line}")
    _print_rows(rows, as_json)
    return 0 if all(row["holds"] for row in rows) else EXIT_NO_ANSWER


@click.command("recheck", short_help="Every printed answer and citation, checked again in the pack.")
@PACK_OPTION
@MODEL_OPTION
@READER_OPTION
@click.option(
    "--random", "architectures", multiple=True, metavar="ARCH",
    help="Read with random weights of this architecture too: gpt2, qwen2, falcon, llama. May be repeated.",
)  # fmt: skip
@click.option(
    "--questions", type=click.Path(exists=True, path_type=Path),
    help="MetaQA's form, or EntityQuestions' folder; by default made from the pack.",
)  # fmt: skip
@click.option("--number", type=click.IntRange(1), default=2000, show_default=True, help="How many questions.")
@click.option(
    "--min-confidence", type=click.FloatRange(0, 1), default=0.0, show_default=True,
    help="Print from this confidence on.",
)  # fmt: skip
@JSON_OPTION
def recheck(
    pack: str | None, model: str | None, reader: str | None, architectures: tuple[str, ...],
    questions: Path | None, number: int, min_confidence: float, as_json: bool,
) -> int:  # fmt: skip
    """Ask NUMBER questions and check every printed answer and triple by SQL.

    The check reads the pack's files itself, apart from the code that answered:
    labels and keys by SQL, triples by row, and that the triples lead from the
    question's topic to every answer. What does not hold goes to stderr; exit
    code 3 when there is any.
    """
    from kgask.answer.pipeline import Pipeline
    from kgask.bench.random_gguf import ARCHITECTURES
    from kgask.eval import recheck as checking

    unknown = [name for name in architectures if name not in ARCHITECTURES]
    if unknown:
        raise click.UsageError(f"--random {unknown[0]}: known are {', '.join(ARCHITECTURES)}")
    rows: list[dict[str, Any]] = []
    with TemporaryDirectory() as folder:
        for name in ("", *architectures):
            chosen = str(_random(Path(folder), name, pack)) if name else reader or ""
            with (
                Pipeline.open(pack, model=model, reader=chosen, must_read=True) as pipeline,
                steps_bar("ask", number) as show,
            ):
                asked = _questions(questions, number) or checking.pack_questions(pipeline, number)
                found = checking.run(pipeline, asked, min_confidence, lambda done, show=show: show(done, ""))
            rows.append({"reader": f"random {name}" if name else reader or "shipped", **found.figures()})
            for line in found.failures:
                note(line)
    _print_rows(rows, as_json)
    return 0 if all(row["broken_answers"] == 0 for row in rows) else EXIT_NO_ANSWER


def _questions(path: Path | None, number: int) -> list[str]:
    from kgask.eval.datasets import bracketed, entity_questions

    if path is None:
        return []
    golds = entity_questions(path, number) if path.is_dir() else bracketed(path, number)
    return [gold.text for gold in golds]


def _opened(pack: str | None) -> Pack:
    from kgask import config
    from kgask.pack.store import Pack

    name = pack or str(config.load_settings().get("pack", config.DEFAULT_PACK))
    return Pack.open(config.find("pack", name).path)


def _random(folder: Path, architecture: str, pack: str | None) -> Path:
    from kgask.bench.random_gguf import write_random

    with _opened(pack) as opened:
        labels = opened.labels(range(min(4000, opened.n_entities)))
        texts = [*labels, *opened.relation_labels()]
        # What it replies is noise at any size: a small one asks thousands of questions in minutes.
        return write_random(folder / f"{architecture}.gguf", architecture, texts, width=32, layers=2, n_vocab=2048)


@click.command("constrain", short_help="What constraint costs, three ways, by number of candidates.")
@PACK_OPTION
@click.option(
    "--reader", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="GGUF",
    help="A GGUF that writes replies; by default one with random weights.",
)  # fmt: skip
@click.option("--candidates", multiple=True, type=click.IntRange(1, 250), default=(10, 50, 200), show_default=True)
@click.option("--facts", type=click.IntRange(1, 60), default=30, show_default=True, help="Facts in the prompt.")
@click.option("--runs", type=click.IntRange(1), default=9, show_default=True, help="Counted runs.")
@click.option("--threads", type=click.IntRange(1), help="CPU threads.  [default: all usable cores]")
@JSON_OPTION
def constrain(
    pack: str | None, reader: Path | None, candidates: tuple[int, ...], facts: int, runs: int,
    threads: int | None, as_json: bool,
) -> None:  # fmt: skip
    """One candidate's name as the reply, constrained and unconstrained, same prompt and length.

    \b
    trie       what kgask does: the candidates' tokens, probabilities renormalised
    grammar    llama.cpp's grammar sampler
    sequences  every candidate scored beside the prompt's cache, in one batch
    """
    from kgask.bench.constrain import WAYS, measure, random_reader

    with _opened(pack) as opened, TemporaryDirectory() as folder:
        path = reader or random_reader(Path(folder), opened)
        costs = measure(path, opened, candidates, facts, runs, threads)
    rows = []
    for cost in costs:
        row: dict[str, Any] = {"candidates": cost.candidates, "prompt_tokens": cost.prompt_tokens}
        row |= {f"{way}_ms": round(cost.ms[way], 2) for way in WAYS}
        rows.append(row | {f"{way}_ratio": round(cost.ratio(way), 2) for way in WAYS[1:]})
    _print_rows(rows, as_json)


@click.command("read", short_help="A warm read of so many facts.")
@PACK_OPTION
@MODEL_OPTION
@READER_OPTION
@click.option("--facts", type=click.IntRange(1, 60), default=30, show_default=True, help="Facts to read.")
@click.option("--runs", type=click.IntRange(1), default=30, show_default=True, help="Counted reads.")
@JSON_OPTION
def read(pack: str | None, model: str | None, reader: str | None, facts: int, runs: int, as_json: bool) -> None:
    """Milliseconds of a warm read, from triples to verdict: labels, prompt, tokens, model.

    The memory of a whole run is what "kgask bench cold" shows.
    """
    from kgask.answer.pipeline import Pipeline
    from kgask.bench.warm_read import measure

    with Pipeline.open(pack, model=model, reader=reader or "", must_read=True) as pipeline:
        _print_rows([measure(pipeline, facts, runs)], as_json)
