"""``kgask bench``: speed and memory, figures that anyone can reproduce. How right answers are: ``kgask eval``."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from kgask.cli.figures import (
    FILE,
    READER_OPTION,
    THREADS_OPTION,
    Sections,
    asking,
    counted,
    opened_pack,
    printing,
    show_figures,
    show_rows,
)
from kgask.cli.options import MODEL_OPTION, PACK_OPTION
from kgask.cli.render import note, steps_bar
from kgask.errors import UsageError
from kgask.verify.engines import OF_A_PACK, Engine

SECTIONS = {
    "Questions": {
        "cold": ("kgask.cli.bench:cold", "A whole process against a bare script."),
        "warm": ("kgask.cli.bench:warm", "A second question in the same process, stage by stage."),
        "ask": ("kgask.cli.bench:ask", "Paths beside operators, one planner beside another."),
        "claims": ("kgask.cli.bench:claims", "Claims, and turns of a conversation, beside whole questions."),
        "checks": ("kgask.cli.bench:checks", "What it costs to look whether files are whole."),
        "busy": ("kgask.cli.bench:busy", "Questions beside busy processes, and on an idle machine."),
    },
    "Parts": {
        "planning": ("kgask.cli.bench:planning", "The planner alone: speed, and what int8 costs."),
        "read": ("kgask.cli.bench:read", "A warm read of so many facts."),
        "prefix": ("kgask.cli.bench:prefix", "What the prefix cache saves."),
        "constrain": ("kgask.cli.bench:constrain", "What constraint costs, three ways, by number of candidates."),
        "linking": ("kgask.cli.bench:linking", "The same questions about a small and a large pack."),
        "building": ("kgask.cli.bench:building", "Building by either engine beside the bare plan in DuckDB."),
        "operators": ("kgask.cli.bench:operators", "A best-of and counts beside the same SPARQL in pyoxigraph."),
        "hops": ("kgask.cli.bench_hops:hops", "Opening packs, and two hops, beside pyoxigraph."),
        "size": ("kgask.cli.bench_size:size", "Where the bytes of a pack go, beside other stores."),
        "similarity": ("kgask.cli.bench:similarity", "The similarity method against a bare script of it."),
    },
}
MOVED = {  # command of before -> what says the same now
    "abstain": "off-topic", "all": "all", "few": "few", "linked": "run entityquestions", "parity": "parity",
    "paths": "run metaqa", "prepare": "prepare", "reading": "reading", "recheck": "recheck", "relations": "relations",
    "webquestions": "run webquestions-fb15k237",
}  # fmt: skip


class Bench(Sections):
    """Knows where the commands went that measure how right answers are."""

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name in MOVED:
            raise UsageError(f"kgask bench {name} is now: kgask eval {MOVED[name]} (see its --help)")
        return super().get_command(ctx, name)


@click.group(cls=Bench, sections=SECTIONS, context_settings={"help_option_names": ["-h", "--help"]})
def bench() -> None:
    """Measure kgask: cold start, warm questions, and the parts of an answer.

    Speed and memory only; how right answers are is what kgask eval measures.
    """


@printing("cold")
@counted("--runs", 7, "Counted runs of each command.")
def cold(runs: int, as_json: bool) -> None:
    """A whole kgask process against a bare script that loads the same models, in turn: medians."""
    from kgask.bench.cold_start import measure

    show_rows(measure(runs), as_json)


@printing("warm")
@PACK_OPTION
@counted("--runs", 50, "Counted questions.")
def warm(pack: str | None, runs: int, as_json: bool) -> None:
    """A second question in the same process, reader included: median milliseconds of each stage."""
    from kgask.bench.warm import measure

    show_figures({stage: round(ms, 2) for stage, ms in measure(pack, runs).items()}, as_json)


@printing("ask")
@PACK_OPTION
@MODEL_OPTION
@click.option("--beside", metavar="MODEL", help="Another planner that takes turns, as an older one.")
@click.option("--no-reader", is_flag=True, help="Ask without a reader.")
@counted("--rounds", 9, "Counted rounds, in turn.")
def ask(pack: str | None, model: str | None, beside: str | None, no_reader: bool, rounds: int, as_json: bool) -> None:
    """Warm questions along a path beside questions with operators, at any confidence: milliseconds a question.

    Medians over rounds in one process, of each round's median question; a ratio
    is the median of the rounds' own ratios, _mean of each round's mean question.
    derived: operator questions that were answered by a query.
    """
    from kgask.bench.asking import measure

    show_figures(measure(pack, model, beside, None if no_reader else "", rounds), as_json)


@printing("claims")
@PACK_OPTION
@click.option("--engine", type=click.Choice(OF_A_PACK), default=OF_A_PACK[0], show_default=True, help="Of claims.")
@counted("--rounds", 9, "Counted rounds, in turn.")
def claims(pack: str | None, engine: Engine, rounds: int, as_json: bool) -> None:
    """Claims beside the questions whether they are so; turns of a conversation beside the same as whole questions.

    Medians over rounds in one process, of each round's median; a ratio is the median of the rounds' own ratios. In
    batches: claims a second as a share of questions a second.
    """
    from kgask.bench.claims import measure

    show_figures(measure(pack, engine, rounds), as_json)


@printing("checks")
@PACK_OPTION
@counted("--runs", 200, "Counted runs of each way, in turn.")
def checks(pack: str | None, runs: int, as_json: bool) -> None:
    """Checksums of a pack's blocks, and hashes of the planner's files, as parts of a question and of a cold start.

    The pack is opened and asked as it is and as one without checksums, in turn, in one process without a reader:
    of_it_pack_blocks_ms is the median difference, warm_to_unchecked the median ratio of five warm questions. The
    planner's files are hashed when they are new (hashed), else that is looked up (remembered); the shares are of
    cold_start_ms, a whole process without a reader.
    """
    from kgask.bench.checks import measure

    show_figures(measure(pack, runs), as_json)


@printing("busy")
@READER_OPTION
@counted("--questions", 60, "Questions of each run.")
@click.option("--neighbours", type=click.IntRange(0), default=2, show_default=True, help="Busy processes beside it.")
@counted("--rounds", 5, "Runs of each kind, in turn.")
def busy(reader: str | None, questions: int, neighbours: int, rounds: int, as_json: bool) -> None:
    """The same questions on the machine as it is and beside busy processes; as kgask asks, and with all threads always.

    Four processes a round, in turn. Without other work beside it: beside_to_idle says what the neighbours cost,
    idle_to_idle_all_threads what it costs to look for free cores.
    """
    from kgask.bench.busy import measure

    show_figures({name: round(v, 2) for name, v in measure(reader, questions, neighbours, rounds).items()}, as_json)


@printing("planning")
@PACK_OPTION
@MODEL_OPTION
@counted("--questions", 512, "Questions of each run.")
@counted("--runs", 3, "Counted runs.")
@click.option("--full", type=FILE, metavar="ONNX", help="A float32 graph of the same planner to compare with.")
def planning(pack: str | None, model: str | None, questions: int, runs: int, full: Path | None, as_json: bool) -> None:
    """The planner alone: ms a question, questions a second in batches of 64, what int8 costs.

    Questions of one to three hops are made from the pack's relation labels.
    """
    from kgask.bench.planning import measure

    show_figures(measure(pack, model, full, questions, runs), as_json)


@printing("read")
@PACK_OPTION
@MODEL_OPTION
@READER_OPTION
@counted("--facts", 30, "Facts to read.", most=60)
@counted("--runs", 30, "Counted reads.")
def read(pack: str | None, model: str | None, reader: str | None, facts: int, runs: int, as_json: bool) -> None:
    """Milliseconds of a warm read, from triples to verdict: labels, prompt, tokens, model.

    The memory of a whole run is what "kgask bench cold" shows.
    """
    from kgask.bench.warm_read import measure

    with asking("read", runs, pack, model=model, reader=reader or "") as (pipeline, _):
        show_rows([measure(pipeline, facts, runs)], as_json)


@printing("linking")
@counted("--small", 100_000, "Triples of the small pack.")
@counted("--large", 1_000_000, "Triples of the large pack.")
@counted("--rounds", 3, "Counted rounds, in turn.")
def linking(small: int, large: int, rounds: int, as_json: bool) -> None:
    """The same questions about a small and a large pack, both made on the fly, without a reader.

    Names share common words; questions call things as they are, in lower case, with a typo, in part, or ask over two
    hops. Medians of warm questions in one process, the packs in turn. 10,000,000 triples need 3 GB and three minutes.
    """
    from kgask.bench.linking import measure

    show_rows(measure((small, large), rounds, note), as_json)


@printing("building")
@counted("--triples", 1_000_000, "Triples, a fifth as many named entities.", most=1_000_000_000)
@click.option("--memory", default="2GB", show_default=True, metavar="SIZE", help="Of the engine duckdb and the plan.")
@click.option("--without-memory", is_flag=True, help="Leave the engine memory out, which needs 240 bytes a triple.")
def building(triples: int, memory: str, without_memory: bool, as_json: bool) -> None:
    """Seconds and peak memory of kgask pack build, by engine, and of the bare plan in DuckDB: ratio is to that.

    The plan reads the table, numbers what it names, drops what is said twice and sorts both ways, and no more. A
    process each, one after another, on a graph that is made on the fly (names share common words, objects fall off by
    a power of their rank). 10,000,000 triples take some minutes.
    """
    from kgask.bench.building import measure
    from kgask.cli.pack_build import bytes_of

    show_rows(measure(triples, bytes_of(memory), not without_memory, note), as_json)


@printing("operators")
@counted("--members", 100_000, "Members of the set.")
@counted("--rounds", 7, "Runs of each, in turn.")
def operators(members: int, rounds: int, as_json: bool) -> None:
    """The largest of a class and how many there are: run by kgask, and by pyoxigraph over the same triples.

    On a pack that is made on the fly: medians of warm runs in one process, in turn, without labels; ratio says how
    many times faster kgask is. "by hand" is the shortest SPARQL that a person would write for the same.
    """
    from kgask.bench.operators import measure

    show_rows(measure(members, rounds, note), as_json)


_GGUF_OPTION = click.option(
    "-r", "--reader", "model", metavar="GGUF", type=click.Path(exists=True, path_type=Path),
    help="A GGUF that writes replies; by default a random one of 3 million parameters.",
)  # fmt: skip


@printing("prefix")
@PACK_OPTION
@_GGUF_OPTION
@click.option("--prompt", default="kgask", show_default=True, help="A prompt's name or file.")
@counted("--facts", 10, "Facts in the prompt.", most=60)
@counted("--runs", 7, "Counted runs of each way.")
@THREADS_OPTION
def prefix(pack: str | None, as_json: bool, **options: Any) -> None:
    """Time to the first decision of a new process, with the prefix cache and without it, in turn."""
    from kgask.bench.prefix import measure

    with opened_pack(pack) as opened:
        show_figures(measure(opened, **options), as_json)


@printing("constrain")
@PACK_OPTION
@_GGUF_OPTION
@click.option("--candidates", multiple=True, type=click.IntRange(1, 250), default=(10, 50, 200), show_default=True)
@counted("--facts", 30, "Facts in the prompt.", most=60)
@counted("--runs", 9, "Counted runs.")
@THREADS_OPTION
def constrain(
    pack: str | None, model: Path | None, candidates: tuple[int, ...], facts: int, runs: int, threads: int | None,
    as_json: bool,
) -> None:  # fmt: skip
    """One candidate's name as the reply, constrained and unconstrained, same prompt and length.

    \b
    trie       what kgask does: the candidates' tokens, probabilities renormalised
    grammar    llama.cpp's grammar sampler
    sequences  every candidate scored beside the prompt's cache, in one batch
    """
    from kgask.bench.constrain import measure, random_reader

    with opened_pack(pack) as opened, TemporaryDirectory() as folder:
        path = model or random_reader(Path(folder), opened)
        show_rows([cost.figures() for cost in measure(path, opened, candidates, facts, runs, threads)], as_json)


@printing("similarity")
@click.argument("file", type=FILE)
@PACK_OPTION
@click.option("--encoder", metavar="FOLDER", help="Sentence encoder.  [default: the shipped one]")
@counted("--limit", 400, "Questions, by a fixed seed.")
def similarity(file: Path, pack: str | None, encoder: str | None, limit: int, as_json: bool) -> None:
    """Ask FILE's questions of the method and of a bare script, in turn; the topic is given.

    Lines are text with [topic]<TAB>answer|answer. The time of a question, and the share of questions for which both
    put the same triple first. How right they are: kgask eval run metaqa FILE --method similarity --given.
    """
    from kgask import config
    from kgask.bench.similarity import measure
    from kgask.sets import registry
    from kgask.sets.gold import sample

    folder = config.find("model", encoder or config.DEFAULT_ENCODER).path
    with opened_pack(pack) as opened, steps_bar("ask", limit) as show:
        golds = sample(registry.load("metaqa", file), limit)
        show_figures(measure(opened, folder, golds, lambda done: show(done, "")), as_json)
