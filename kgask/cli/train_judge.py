"""``kgask train judge-questions`` and ``judge``: questions with right and wrong queries, and what tells them apart."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgask import config
from kgask.cli import training as shared
from kgask.cli.render import note, steps_bar
from kgask.errors import UsageError

if TYPE_CHECKING:
    from kgask.answer.pipeline import Pipeline
    from kgask.corpus.judged import JudgedQuestion
    from kgask.corpus.judged_evidence import EvidenceMaker
    from kgask.pack.store import Pack


OF_SMALL = 10  # composed claims of a small table


def _count(name: str, default: int, help: str) -> shared.Decorator:
    return click.option(f"--{name}", type=click.IntRange(0), default=default, show_default=True, help=help)


@click.command("judge-questions", short_help="Make questions with right and wrong queries.")
@shared.data()
@click.option("-o", "--output", "out", type=click.Path(path_type=Path), required=True, help="JSON Lines file.")
@click.option("--model", default=config.DEFAULT_MODEL, show_default=True, help="Planner name or folder.")
@click.option(
    "--pack", "packs", multiple=True, default=(config.DEFAULT_PACK,), show_default=True,
    help="Pack to ask about; may be repeated.",
)  # fmt: skip
@click.option("--reworded", is_flag=True, help="Call the relations of the packs by other names that they have.")
@_count("composed", 5000, "Questions with operators of each pack, read by the planner.")
@_count("near", 8000, "Relation paths of each pack, among others that their topics have.")
@_count("small", 0, "Composed questions of each of our small tables, beside all that were worded for them by hand.")
@_count("kqapro", 0, "Questions of KQA Pro's training part, about the first pack.")
@_count("wikisql", 0, "Questions about tables.")
@click.option(
    "--claims", is_flag=True, help="Our own claims about the packs (as far as there are any) and our small tables."
)
@_count("evidence", 0, "Composed claims over what each pack says, beside all of our own.")
@click.option(
    "--infotabs", type=shared.OLD_FOLDER, metavar="PACK",
    help="InfoTabS' training claims over this pack of its infoboxes (kgask eval prepare infotabs).",
)  # fmt: skip
@click.option(
    "--tables", "answered", is_flag=True, help="WikiTableQuestions over a pack of each table, by their answers alone."
)
@click.option("--judge", default=config.DEFAULT_JUDGE, show_default=True, help="Judge so far, for --tables.")
@click.option(
    "--held-out", is_flag=True, help="Composed questions in wordings, and tables, that are kept from training."
)
@click.option("--seed", "rng_seed", type=int, default=1, show_default=True, help="Seed of the questions.")
def judge_questions(
    data: Path, out: Path, model: str, packs: tuple[str, ...], reworded: bool, composed: int, near: int, small: int,
    kqapro: int, wikisql: int, claims: bool, evidence: int, infotabs: Path | None, answered: bool, judge: str,
    held_out: bool, rng_seed: int,
) -> None:  # fmt: skip
    """Make questions with queries that they may ask, right and wrong ones, for 'kgask train judge'.

    They are in wordings of training, or with --held-out in those that are kept from
    it. The planner reads composed and KQA Pro's questions (about 15 a
    second); what it takes them for, and small changes of what they ask, are the
    wrong queries.
    """
    from kgask.corpus.judged import write
    from kgask.corpus.judged_tables import TableQueries
    from kgask.corpus.small_graphs import WORDED, claims_of

    paths = [config.find("pack", name).path for name in packs]
    makers = [_Maker(data, _opened(path, rng_seed if reworded else None), model, rng_seed) for path in paths]
    n_people = kqapro if makers else 0
    found = chain(
        _of_tables(data, model, small, claims, evidence, held_out, rng_seed) if small or claims or evidence else (),
        chain.from_iterable(maker.claims(claims_of(WORDED, f"on/{maker.name}")) for maker in makers) if claims else (),
        chain.from_iterable(chain(maker.composed(composed, held_out), maker.near(near)) for maker in makers),
        makers[0].kqapro(n_people) if n_people else (),
        TableQueries(data, random.Random(rng_seed)).draw(wikisql) if wikisql else (),
        chain.from_iterable(
            maker.evidence(evidence, claims_of(WORDED, f"on/{maker.name}")) for maker in makers if evidence
        ),
        _Maker(data, _opened(infotabs), model, rng_seed).infoboxes(held_out) if infotabs is not None else (),
        _of_answers(data, model, judge, held_out, rng_seed) if answered else (),
    )
    with steps_bar("make questions", len(makers) * (composed + near) + n_people + wikisql) as show:
        written = write(out, _watched(found, show))
    note(f"{written:,} questions written to {out}")


def _watched(found: Iterable[JudgedQuestion], show: Callable[[int, str], None]) -> Iterator[JudgedQuestion]:
    for done, one in enumerate(found, 1):
        show(done, "")
        yield one


def _opened(path: Path, reworded_by: int | None = None) -> Pack:
    """The pack, or the same with its relations called otherwise, as this seed draws their names."""
    from kgask.pack.store import Pack
    from kgask.train.calibrate_reader import RewordedPack

    pack = Pack.open(path) if reworded_by is None else RewordedPack.of(path, reworded_by)
    if pack is None:
        raise UsageError(f"{path}: its relations have no other names; leave --reworded out")
    return pack


def _of_tables(
    data: Path, model: str, n: int, claims: bool, evidence: int, held_out: bool, rng_seed: int
) -> Iterator[JudgedQuestion]:
    """Questions about our own small tables, and those that were worded for the demo pack."""
    from kgask.corpus.small_graphs import WORDED, claims_of, small_graphs, worded

    demo = _Maker(data, _opened(config.find("pack", config.DEFAULT_PACK).path), model, rng_seed)
    yield from demo.worded(worded(WORDED) / "world.yaml") if n else ()
    with tempfile.TemporaryDirectory(prefix="kgask-") as folder:
        for path, questions in small_graphs(WORDED, Path(folder)):
            with _opened(path) as pack:
                maker = _Maker(data, pack, model, rng_seed)
                yield from chain(maker.worded(questions), maker.composed(n, held_out)) if n else ()
                yield from maker.claims(claims_of(WORDED, path.name)) if claims else ()
                yield from maker.evidence(OF_SMALL, claims_of(WORDED, path.name)) if evidence else ()


def _of_answers(data: Path, model: str, judge: str, held_out: bool, rng_seed: int) -> Iterator[JudgedQuestion]:
    """Questions over tables whose answers alone are known."""
    from kgask.answer.pipeline import Pipeline
    from kgask.corpus import judged_answers
    from kgask.methods.query_judge import QueryJudge
    from kgask.plan.rigel_onnx import RigelPlanner

    planner, asked = RigelPlanner.load(config.find("model", model).path), QueryJudge(config.find("model", judge).path)
    for pack, questions in judged_answers.packs_of(data, held_out, rng_seed):
        yield from judged_answers.questions(Pipeline(pack, planner, None), asked, questions)


class _Maker:
    """Makes questions about one pack."""

    def __init__(self, data: Path, pack: Pack, model: str, rng_seed: int) -> None:
        self._data, self._pack, self._model = data, pack, config.find("model", model).path
        self._rng, self._rng_seed = random.Random(rng_seed), rng_seed

    @cached_property
    def _pipeline(self) -> Pipeline:
        from kgask.answer.pipeline import Pipeline
        from kgask.plan.rigel_onnx import RigelPlanner

        return Pipeline(self._pack, RigelPlanner.load(self._model), None)

    def composed(self, n: int, held_out: bool) -> Iterator[JudgedQuestion]:
        from kgask.corpus import judged_queries
        from kgask.corpus.pack_operators import PackOperators
        from kgask.corpus.query_sources import templates

        if n:
            drawn = PackOperators(self._pack, templates(held=held_out), self._rng_seed).draw(n)
            yield from judged_queries.composed(self._pipeline, drawn, self._rng)

    def worded(self, file: Path) -> Iterator[JudgedQuestion]:
        from kgask.corpus import judged_queries
        from kgask.corpus.judged import WORDED
        from kgask.sets import everyday

        yield from judged_queries.everyday(self._pipeline, everyday.load(file), self._rng, WORDED)

    @property
    def name(self) -> str:
        return self._pack.name

    def claims(self, file: Path) -> Iterator[JudgedQuestion]:
        from kgask.corpus.judged_claims import claims
        from kgask.sets.claims import load_claims

        if file.is_file():
            yield from claims(self._pipeline, load_claims(file))

    @cached_property
    def _evidence(self) -> EvidenceMaker:
        from kgask.corpus.judged_evidence import EvidenceMaker
        from kgask.methods.text_encoder import TextEncoder

        encoder = TextEncoder.load(config.shipped_root("model") / config.DEFAULT_ENCODER)
        return EvidenceMaker(self._pipeline, encoder, self._rng)

    def evidence(self, n: int, file: Path) -> Iterator[JudgedQuestion]:
        from kgask.sets.claims import load_claims

        yield from self._evidence.worded(load_claims(file)) if file.is_file() else ()
        yield from chain(self._evidence.composed(n // 2), self._evidence.dated(n - n // 2))

    def infoboxes(self, held_out: bool) -> Iterator[JudgedQuestion]:
        from kgask.sets.infotabs import TRAINING

        yield from self._evidence.of_infoboxes(self._data / TRAINING, held_out)

    def near(self, n: int) -> Iterator[JudgedQuestion]:
        from kgask.corpus.judged_paths import path_questions
        from kgask.corpus.query_sources import path_examples

        if n:
            yield from path_questions(self._pack, path_examples(self._data, self._rng_seed), n, self._rng)

    def kqapro(self, n: int) -> Iterator[JudgedQuestion]:
        from kgask.corpus import judged_queries
        from kgask.corpus.query_sources import held_out_golds
        from kgask.sets import registry

        golds = registry.load("kqapro", self._data / "kqapro_parts" / "questions_train.jsonl.gz")
        held = {gold.id for gold in held_out_golds(self._data, golds)}
        usable = [gold for gold in golds if gold.id not in held and gold.answers]
        chosen = self._rng.sample(usable, min(n, len(usable)))
        yield from judged_queries.peoples(self._pipeline, chosen)


@click.command("judge", short_help="Train the judge of queries and export it to ONNX.")
@click.option(
    "--questions", "files", type=shared.OLD_FILE, multiple=True, required=True, metavar="FILE",
    help="Questions of 'kgask train judge-questions'; repeatable.",
)  # fmt: skip
@click.option("--held-out", type=shared.OLD_FILE, required=True, metavar="FILE", help="Such questions to measure on.")
@click.option(
    "--encoder", type=shared.OLD_FOLDER,
    help="Folder of the BERT encoder to start from: Hugging Face weights, or a planner. [default: the shipped planner]",
)  # fmt: skip
@click.option("--start", type=shared.OLD_FOLDER, help="Finished reader, or a judge's run, to go on from.")
@shared.output(help="Run folder: checkpoint, log, and the finished judge in DIR/judge. A run found there goes on.")
@click.option(
    "--average", type=(shared.OLD_FOLDER, click.FloatRange(0, 1)), metavar="RUN SHARE",
    help="Export so much of another run's weights with the rest of this one's.",
)  # fmt: skip
@click.option(
    "--layers", "n_layer", type=click.IntRange(1, 12), default=4, show_default=True,
    help="Of the judge. More than --start has are put on top, and change nothing at first.",
)  # fmt: skip
@click.option("--steps", type=click.IntRange(1), default=2700, show_default=True, help="Steps of the whole run.")
@click.option("--batch-size", type=click.IntRange(1), default=32, show_default=True, help="Questions a step.")
@click.option("--seed", "rng_seed", type=int, default=1, show_default=True, help="Seed of all randomness.")
@click.option(
    "--check-every", type=click.IntRange(1), default=300, show_default=True, help="Steps between checkpoints."
)
@click.option(
    "--minutes", type=click.FloatRange(0, min_open=True), help="Stop after so long; the same command goes on."
)
@click.option(
    "--dropout", type=click.FloatRange(0, 1, max_open=True), default=0.0, show_default=True,
    help="For runs that see every question many times.",
)  # fmt: skip
@click.option(
    "--learning-rate", type=click.FloatRange(0, min_open=True), default=2.5e-4, show_default=True,
    help="The highest, after the warm-up.",
)  # fmt: skip
@click.option(
    "--rank-weight", type=click.FloatRange(0), default=0.0, show_default=True,
    help="Of the loss on which of a question's queries is right, beside that on each.",
)  # fmt: skip
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True, help="CPU threads.")
@shared.DEVICE
@_count("workers", 0, "Processes that make batches ahead, for a GPU.")
@shared.FORCE
def judge(
    files: tuple[Path, ...], held_out: Path, encoder: Path | None, start: Path | None, out: Path,
    average: tuple[Path, float] | None, minutes: float | None, threads: int, device: str, workers: int, force: bool,
    **recipe: Any,
) -> None:  # fmt: skip
    """Train the small model that tells whether a query asks what a question does, and write it as ONNX.

    Progress (loss, how well right queries are told from wrong ones, time left) goes
    to stderr and to DIR/log.jsonl. Stopped at any time, the same command goes on
    from the last checkpoint and ends with the same weights. What the judge's word
    counts beside the planner's is fitted afterwards: kgask train calibrate.
    """
    shared.prepare(threads, device, "onnx")
    from kgask.build.folder import MODEL, check_target
    from kgask.corpus.judged import JudgedMix, read
    from kgask.train.judge.train import FINISHED, JudgeTrainer, Recipe, finish
    from kgask.train.reader.start import find_start

    check_target(out / FINISHED, force, MODEL, filter(None, (encoder, start)))
    settings, measured = Recipe(**recipe), list(read(held_out))
    mix = JudgedMix(one for file in files for one in read(file))
    trainer = JudgeTrainer(settings, mix, measured, out, find_start(encoder, start), device, workers)
    trainer.resume()
    try:
        with shared.watched("train judge", settings.steps) as report:
            is_done = trainer.run(report, minutes)
    finally:
        trainer.batches.close()
    if not is_done:
        note(f"stopped at step {trainer.step} of {settings.steps}; the same command goes on")
        return
    if average is not None:
        trainer.average(find_start(encoder, average[0]), average[1])
    click.echo(str(finish(trainer, measured, force)))
