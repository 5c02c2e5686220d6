"""``kgask train calibrate-claims``: how sure it is what a claim says."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import click

from kgask import config
from kgask.cli import training as shared
from kgask.cli.render import note, steps_bar
from kgask.errors import UsageError


@click.command("calibrate-claims", short_help="Fit how sure it is what a claim says.")
@click.option("--model", default=config.DEFAULT_MODEL, show_default=True, help="Planner name or folder.")
@click.option("--judge", default=config.DEFAULT_JUDGE, show_default=True, help="Judge name or folder.")
@click.option(
    "--claims", "files", type=(shared.OLD_FILE, str), multiple=True, metavar="FILE PACK",
    help="Claims with golds (see 'kgask eval run --help'), and the pack that they are about; may be repeated.",
)  # fmt: skip
@click.option(
    "--graphs/--no-graphs", default=True, show_default=True, help="Our own claims about the small graphs of kgask."
)
def calibrate_claims(model: str, judge: str, files: tuple[tuple[Path, str], ...], graphs: bool) -> None:
    """Fit what the judge's word counts on what a claim says, and write that into the judge's card.

    It is fitted on claims that its training did not see. After 'kgask train
    calibrate', whose fit of the planner it goes by. Some minutes.
    """
    shared.need("scipy")
    import numpy as np

    from kgask.answer.pipeline import Pipeline
    from kgask.methods.query_judge import opened_judge
    from kgask.plan.card import RigelCard
    from kgask.sets.claims import load_claims
    from kgask.train.calibrate_claims import fit_claims, fit_fusion, look, look_at_evidence, write, write_fusion
    from kgask.train.calibrate_judging import Judged

    opened = partial(Pipeline.open, model=model, judge=judge, reader=None, settings={})
    asked, card = opened_judge(judge, {}), RigelCard.load(config.find("model", model).path)
    assert asked is not None
    with ExitStack() as stack:
        claims = [(path, load_claims(file)) for file, path in (*files, *(_of_graphs(stack) if graphs else ()))]
        if not claims:
            raise UsageError("no claims: give --claims FILE PACK, or leave --no-graphs out")
        seen, judged, done = list[Judged](), list[tuple[np.ndarray, int]](), 0
        with steps_bar("judge claims", 2 * sum(len(golds) for _, golds in claims)) as show:
            for path, golds in claims:
                with opened(path) as pipeline:
                    seen += look(pipeline, golds)
                show(done := done + len(golds), Path(path).name)
            found, scores = fit_claims(seen, card)
            write(asked, card.hash, found, scores, len(seen))
            note(f"{len(seen):,} wordings; by fits that did not see them {scores}")
            for path, golds in claims if asked.judges_claims else ():
                with opened(path) as pipeline:
                    judged += look_at_evidence(pipeline, golds)
                show(done := done + len(golds), Path(path).name)
    if judged:
        fusion, told = fit_fusion(judged)
        write_fusion(asked, fusion, told, len(judged))
        note(f"{len(judged):,} claims; by fits that did not see them {told}")
    note(f"wrote the card of {asked.folder}")


def _of_graphs(stack: ExitStack) -> Iterator[tuple[Path, str]]:
    """The claims about each small graph that has some, and its pack."""
    from kgask.corpus.small_graphs import ASKED, claims_of, small_graphs

    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="kgask-"))
    for pack, _ in small_graphs(ASKED, Path(folder)):
        if (claims := claims_of(ASKED, pack.name)).is_file():
            yield claims, str(pack)
