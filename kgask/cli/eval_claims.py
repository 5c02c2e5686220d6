"""``kgask eval run claims``, ``conversations`` and ``rewriting``: against verdicts, gold queries, what people wrote."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgask import config
from kgask.cli.asked_with import ask_options, open_pipeline
from kgask.cli.eval_everyday import show_counts
from kgask.cli.render import steps_bar
from kgask.errors import UsageError

if TYPE_CHECKING:
    from kgask.eval.claims import ClaimOutcome
    from kgask.eval.everyday import Outcome
    from kgask.eval.rewriting import Rewritten
    from kgask.sets.claims import GoldClaim


def load(set_name: str, path: Path, split: str | None) -> list[GoldClaim]:
    """The claims of a set: our own form, or a published set's."""
    from kgask.sets import claims, factbench, factkg, infotabs

    if set_name == "factkg":
        return factkg.claims(path, split)
    if set_name == "infotabs":
        return [claim for _, claim in infotabs.claims(path)]
    return factbench.claims(path) if set_name == "factbench" else claims.load_claims(path)


def run_claims(
    set_name: str, path: Path, output: Path | None, limit: int | None, options: dict[str, Any], as_json: bool
) -> None:
    """Judge the claims of ``path`` and print figures; every outcome goes to ``output``, a JSON object a line."""
    from kgask.eval import claims as judged
    from kgask.sets.gold import sample
    from kgask.verify.verifier import Verifier, VerifyOptions

    if output is not None and output.exists():
        raise UsageError(f"{output}: exists; write the outcomes to another file")
    claims = sample(load(set_name, path, options["split"]), limit)
    least = options["min_confidence"] or None  # 0 is what other sets are asked with
    with (
        open_pipeline(options | {"no_reader": True}, config.load_settings()) as pipeline,
        steps_bar("verify", len(claims)) as show,
    ):
        judged.check_golds(claims, pipeline.pack)
        verifier = Verifier(
            pipeline, VerifyOptions(options["closed_world"], min_confidence=least, engine=options["engine"])
        )
        outcomes = list(judged.judge(verifier, claims, lambda done: show(done, "")))
    _keep(output, outcomes)
    show_counts(judged.counts(outcomes), judged.figures(outcomes), as_json)


def run_conversations(
    set_name: str, path: Path, output: Path | None, limit: int | None, options: dict[str, Any], as_json: bool
) -> None:
    """Hold the conversations of ``path`` and print figures of their turns; the outcomes go to ``output``."""
    from kgask.eval import conversations, everyday
    from kgask.sets import conversations as own
    from kgask.sets import kgconv

    if output is not None and output.exists():
        raise UsageError(f"{output}: exists; write the outcomes to another file")
    load_held = kgconv.conversations if set_name == "kgconv" else own.load_conversations
    held, settings = load_held(path)[:limit], config.load_settings()
    least = options["min_confidence"] or None
    asked_so = ask_options(options, settings, min_confidence=least)
    with open_pipeline(options, settings) as pipeline, steps_bar("talk", len(held)) as show:
        outcomes = list(conversations.talk(pipeline, held, asked_so, lambda done: show(done, "")))
    _keep(output, outcomes)
    show_counts(everyday.counts(outcomes), conversations.figures(outcomes), as_json)


def run_rewriting(path: Path, output: Path | None, limit: int | None, options: dict[str, Any], as_json: bool) -> None:
    """Write the turns of ``path`` out and print how like they are to what people wrote."""
    from kgask.eval import rewriting
    from kgask.sets.gold import sample
    from kgask.sets.rewriting import pairs

    if output is not None and output.exists():
        raise UsageError(f"{output}: exists; write the outcomes to another file")
    chosen, settings = sample(pairs(path), limit), config.load_settings()
    with open_pipeline(options, settings) as pipeline, steps_bar("rewrite", len(chosen)) as show:
        asked_so = ask_options(options, settings, min_confidence=options["min_confidence"] or None)
        found = rewriting.rewrite(pipeline, chosen, asked_so, lambda done: show(done, ""))
    _keep(output, found)
    show_counts([], rewriting.figures(found), as_json)


def _keep(output: Path | None, outcomes: Sequence[ClaimOutcome | Outcome | Rewritten]) -> None:
    from kgask.machine.files import write_whole

    if output is not None:
        lines = (json.dumps(one.to_dict(), ensure_ascii=False) for one in outcomes)
        write_whole(output, "".join(f"{line}\n" for line in lines))
