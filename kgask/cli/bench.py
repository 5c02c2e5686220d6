"""``kgask bench``: figures that anyone can reproduce, from data at a path."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgask.cli.bench_busy import busy
from kgask.cli.bench_prefix import prefix
from kgask.cli.bench_reader import constrain, read, reading, recheck
from kgask.cli.bench_similarity import similarity
from kgask.cli.render import note, steps_bar, table

if TYPE_CHECKING:
    from kgask.eval.ask_set import Report
    from kgask.eval.datasets import GoldQuestion


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def bench() -> None:
    """Measure kgask: cold start, warm questions, answers on question sets.

    DATA is the folder with the public sets, one folder a set.
    """


def _together(*options: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Options that several commands share, in the order given."""

    def decorate(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


MODEL_OPTION = click.option("--model", help="Planner name or path.")
PACK_OPTION = click.option("--pack", help="Pack name or path; by default as for ask.")
LIMIT_OPTION = click.option(
    "--limit", type=click.IntRange(1), help="Only this many questions, drawn with a fixed seed."
)
MISSES_OPTION = click.option(
    "--misses", type=click.IntRange(0), default=0, help="Print this many wrong answers to stderr."
)
JSON_OPTION = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
GIVEN_OPTION = click.option("--given", is_flag=True, help="Give the topic instead of linking it.")
BATCH_OPTION = click.option(
    "--batch", type=click.IntRange(1), default=1, show_default=True, help="Questions asked together (linked ones)."
)
ASK_OPTIONS = _together(MODEL_OPTION, GIVEN_OPTION, LIMIT_OPTION, BATCH_OPTION, MISSES_OPTION, JSON_OPTION)
EXISTING_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
EXISTING_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
EXISTING = click.Path(exists=True, path_type=Path)
DATA_OPTION = click.option(
    "--data", required=True, type=EXISTING_FOLDER, metavar="DATA", help="Folder with the public sets."
)


def _print_figures(figures: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(figures))
    else:
        table(("figure", "value"), [(name, "-" if value is None else value) for name, value in figures.items()])


def _ask_all(
    questions: list[GoldQuestion], pack: str | None, options: dict[str, Any], reader: str | None = None
) -> Report:
    """Ask a set over a pack; wrong answers to stderr as far as wanted."""
    from kgask.answer.pipeline import Pipeline
    from kgask.eval.ask_set import run

    with (
        Pipeline.open(pack, model=options["model"], reader=reader, must_read=True) as pipeline,
        steps_bar("ask", len(questions)) as show,
    ):
        report = run(pipeline, questions, options["given"], lambda done: show(done, ""), options["batch"])
    for miss in report.misses[: options["misses"]]:
        note(miss)
    return report


@bench.command("cold", short_help="A whole process against a bare script.")
@click.option("--runs", type=click.IntRange(1), default=7, show_default=True, help="Counted runs of each command.")
def cold(runs: int) -> None:
    """A whole kgask process against a bare script that loads the same models, in turn."""
    from kgask.bench.cold_start import measure

    found = measure(runs)
    rows = [
        ("kgask", f"{found.kgask.wall_s:.3f}", f"{found.kgask.peak_mib:.0f}"),
        ("bare script", f"{found.bare.wall_s:.3f}", f"{found.bare.peak_mib:.0f}"),
        ("ratio, difference", f"{found.time_ratio:.2f}", f"{found.more_mib:+.0f}"),
    ]
    table(("command", "wall s (median)", "peak MiB"), rows)


@bench.command("warm")
@PACK_OPTION
@click.option("--runs", type=click.IntRange(1), default=50, show_default=True, help="Counted questions.")
def warm(pack: str | None, runs: int) -> None:
    """A second question in the same process, reader included."""
    from kgask.bench.warm import measure

    found = measure(pack, runs)
    rows = [(stage, f"{ms:.2f}") for stage, ms in found.items()]
    table(("stage", "ms (median)"), rows)


@bench.command("planning", short_help="The planner alone: speed, and what int8 costs.")
@PACK_OPTION
@MODEL_OPTION
@click.option("--questions", type=click.IntRange(1), default=512, show_default=True, help="Questions of each run.")
@click.option("--runs", type=click.IntRange(1), default=3, show_default=True, help="Counted runs.")
@click.option("--full", type=EXISTING_FILE, metavar="ONNX", help="A float32 graph of the same planner to compare with.")
@JSON_OPTION
def planning(pack: str | None, model: str | None, questions: int, runs: int, full: Path | None, as_json: bool) -> None:
    """The planner alone: ms a question, questions a second in batches of 64, what int8 costs.

    Questions of one to three hops are made from the pack's relation labels.
    """
    from kgask.bench.planning import measure

    _print_figures(measure(pack, model, full, questions, runs), as_json)


@bench.command("parity", short_help="The planner's graph for CUDA against the one for the CPU.")
@click.argument("files", nargs=-1, required=True, type=EXISTING_FILE)
@PACK_OPTION
@MODEL_OPTION
@click.option("--limit", type=click.IntRange(1), help="Only the first so many questions of each file.")
@JSON_OPTION
def parity(files: tuple[Path, ...], pack: str | None, model: str | None, limit: int | None, as_json: bool) -> None:
    """Whether the planner's graph for CUDA decides as its graph for the CPU does.

    \b
    FILES have a question a line, in the first column, the topic in [brackets]
    where it is not to be linked (MetaQA's form; .gz is fine):
      kgask bench parity DATA/metaqa/1-hop/qa_dev.txt.gz --pack metaqa --limit 2000
    The graph for CUDA runs on a GPU where one is found, on the CPU otherwise.
    """
    from kgask.eval.parity import measure, read_questions

    questions = read_questions(files, limit)
    with steps_bar("ask", len(questions)) as show:
        figures = measure(pack, model, questions, lambda done: show(done, ""))
    _print_figures(figures, as_json)


@bench.command("prepare")
@click.argument("name", type=click.Choice(["metaqa", "entityquestions", "fb15k237"]))
@click.argument("data", type=EXISTING_FOLDER)
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Pack folder.")
def prepare(name: str, data: Path, output: Path) -> None:
    """Build the pack that a question set is asked over.

    \b
    metaqa, entityquestions: what these do, from the sets' own files
      kgask pack build DATA/metaqa/kb.txt.gz -o metaqa
      kgask pack build DATA/entityquestions/triples_named.tsv.gz \\
        --columns subject,relation_label,object,relation,_ -o entityquestions
    fb15k237: Freebase mids as keys, names, aliases and descriptions beside them,
    and every relation name as words.
    """
    from kgask.sets.packs import build_pack

    outcome = build_pack(name, data, output, note)
    counts = outcome.report.manifest["counts"]
    note(f"{output}: {counts['triples']:,} triples, {counts['entities']:,} entities, {counts['relations']} relations")


@bench.command("paths", short_help="Hits@1 on a file in MetaQA's form.")
@click.argument("questions", type=EXISTING_FILE)
@PACK_OPTION
@ASK_OPTIONS
@click.option("--with-reader", is_flag=True, help="Read with the reader; by default the plan alone answers.")
def paths(questions: Path, pack: str | None, with_reader: bool, as_json: bool, **options: Any) -> None:
    """Hits@1 on QUESTIONS: lines of "text with [topic]<TAB>answer|answer" (MetaQA's form; .gz is fine).

    Brackets are removed before asking, so the topic is linked, unless --given.
    """
    from kgask.eval.datasets import bracketed

    report = _ask_all(bracketed(questions, options["limit"]), pack, options, "" if with_reader else None)
    _print_figures(report.figures(), as_json)


@bench.command("linked")
@click.argument("questions", type=EXISTING, required=False)
@click.option("--reworded", is_flag=True, help="Ask the 200 questions that ship, EntityQuestions in other words.")
@PACK_OPTION
@ASK_OPTIONS
def linked(questions: Path | None, reworded: bool, pack: str | None, as_json: bool, **options: Any) -> None:
    """Hits@1 on EntityQuestions: any of the golds on top.

    \b
    QUESTIONS is the folder of its P*.dev.json files, or a file with lines of
    "text<TAB>topic<TAB>answer|answer". The pack is that of its triples:
      kgask bench prepare entityquestions DATA -o entityquestions
      kgask bench linked DATA/entityquestions/dev --pack entityquestions
      kgask bench linked --reworded --pack entityquestions
    """
    from kgask.eval import datasets

    if reworded == (questions is not None):
        raise click.UsageError("give QUESTIONS or --reworded")
    asked = datasets.reworded(options["limit"]) if reworded else datasets.entity_questions(questions, options["limit"])
    _print_figures(_ask_all(asked, pack, options).figures(), as_json)


@bench.command("webquestions")
@DATA_OPTION
@click.option("--pack", required=True, help="FB15k-237: kgask bench prepare fb15k237 DATA -o fb15k237")
@ASK_OPTIONS
def webquestions(data: Path, pack: str, as_json: bool, **options: Any) -> None:
    """Hits@1 on WebQuestions val and devtest over FB15k-237.

    Asked are the questions whose topic (by Freebase key) and at least one
    answer, one or two hops away, are in the graph. oracle_hits_at_1 is what the
    best single path of a question could reach, its ends taken in any order.
    """
    from kgask.eval.datasets import _of
    from kgask.eval.datasets import webquestions as load
    from kgask.sets.gold import sample

    asked = load(data, ("val", "devtest"))
    questions = [_of(gold) for gold in sample(asked.questions, options["limit"])]
    figures = {
        "questions_read": asked.n_read,
        "topic_in_graph": asked.n_topic,
        "oracle_hits_at_1": round(asked.oracle_hits_at_1, 4),
        "oracle_f1": round(asked.oracle_f1, 4),
    }
    _print_figures(figures | _ask_all(questions, pack, options).figures(), as_json)


@bench.command("relations", short_help="The planner alone on SimpleQuestions.")
@click.argument("questions", type=EXISTING_FILE)
@click.option(
    "--data", type=EXISTING_FOLDER, metavar="DATA", help="Folder with the public sets; by default two above QUESTIONS."
)
@MODEL_OPTION
@JSON_OPTION
def relations(questions: Path, data: Path | None, model: str | None, as_json: bool) -> None:
    """The planner alone on SimpleQuestions over Wikidata: which directed relation is asked for?

    \b
    QUESTIONS has lines of "subject<TAB>P or R id<TAB>object<TAB>question"; the
    relations of all annotated files beside it compete, by their Wikidata labels.
      kgask bench relations DATA/simplequestions_wikidata/annotated_wd_data_valid.txt.gz
    """
    from kgask import config
    from kgask.eval.relations import measure, simple_questions
    from kgask.plan.rigel_onnx import RigelPlanner

    asked = simple_questions(questions, data or questions.resolve().parent.parent)
    name = model or str(config.load_settings().get("model", config.DEFAULT_MODEL))
    planner = RigelPlanner.load(config.find("model", name).path)
    with steps_bar("plan", len(asked.questions)) as show:
        figures = measure(planner, asked, lambda done: show(done, ""))
    _print_figures(figures, as_json)


@bench.command("abstain", short_help="Off-topic questions: none may crash, few be answered.")
@PACK_OPTION
@MODEL_OPTION
@click.option("--questions", "count", type=click.IntRange(1), default=10_000, show_default=True, help="How many.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed draws the same questions.")
@MISSES_OPTION
@JSON_OPTION
def abstain(pack: str | None, model: str | None, count: int, seed: int, misses: int, as_json: bool) -> None:
    """Random and off-topic questions: none may crash, nearly all should be refused.

    Noise, words without a name, talk, and names of the pack in questions that
    no graph answers; the reader is not asked.
    """
    from kgask.answer.pipeline import Pipeline
    from kgask.eval import off_topic

    with Pipeline.open(pack, model=model, reader=None) as pipeline, steps_bar("ask", count) as show:
        asked = off_topic.questions(count, seed, off_topic.sampled_names(pipeline, 2000, seed))
        found, lines = off_topic.run(pipeline, asked, lambda done: show(done, ""))
    for line in lines[:misses]:
        note(line)
    _print_figures(off_topic.figures(found), as_json)


@bench.command("all", short_help="Every figure of the planner, one line each.")
@DATA_OPTION
@click.option(
    "--packs",
    required=True,
    type=EXISTING_FOLDER,
    metavar="DIR",
    help="Folder with the packs metaqa, entityquestions and fb15k237 (kgask bench prepare).",
)
@MODEL_OPTION
@LIMIT_OPTION
@JSON_OPTION
def everything(data: Path, packs: Path, model: str | None, limit: int | None, as_json: bool) -> None:
    """Every figure of the planner that has a set here, one line each.

    \b
    Columns: set, questions, what is measured, its value, exact answer sets,
    topics linked, AUROC of the confidence, share answered at the default
    threshold, right of those, median milliseconds.
    """
    from kgask.eval.suite import COLUMNS, Suite

    suite = Suite(data, packs, model, limit)
    rows: list[dict[str, Any]] = []
    with steps_bar("measure", len(suite.names())) as show:
        for done, name in enumerate(suite.names(), 1):
            rows.append({"set": name, **suite.measure(name)})
            show(done, name)
    if as_json:
        print(json.dumps(rows))
        return
    columns = ["set", *COLUMNS]
    table(columns, [["-" if row[column] is None else row[column] for column in columns] for row in rows])


@bench.command("few")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("-o", "--out", required=True, type=click.Path(path_type=Path), help="Folder to write to.")
@click.option("--seed", "rng_seed", type=int, default=0, show_default=True, help="Seed of the choice.")
@click.option("--force", is_flag=True, help="Replace files that are there.")
def few(files: tuple[Path, ...], out: Path, rng_seed: int, force: bool) -> None:
    """One question of every type in FILES, and the questions of all other wordings.

    few.txt is for "kgask train adapt PACK --questions few.txt"; rest-1.txt,
    rest-2.txt, ... are for "kgask bench paths". FILES are MetaQA's, with their
    files of types beside them.
    """
    from kgask.eval.few import write_few

    for name, n in write_few(files, out, rng_seed, force).items():
        note(f"{out / name}: {n} questions")


for command in (busy, reading, recheck, constrain, read, prefix, similarity):
    bench.add_command(command)
