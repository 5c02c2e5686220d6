"""``kgask eval run claims``: claims against the verdict that is right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kgask import config
from kgask.cli.asked_with import open_pipeline
from kgask.cli.eval_everyday import show_counts
from kgask.cli.render import steps_bar
from kgask.errors import UsageError


def run_claims(path: Path, output: Path | None, limit: int | None, options: dict[str, Any], as_json: bool) -> None:
    """Judge the claims of ``path`` and print figures; every outcome goes to ``output``, a JSON object a line."""
    from kgask.eval import claims as judged
    from kgask.machine.files import write_whole
    from kgask.sets.claims import load_claims
    from kgask.sets.gold import sample
    from kgask.verify.verifier import Verifier, VerifyOptions

    if output is not None and output.exists():
        raise UsageError(f"{output}: exists; write the outcomes to another file")
    claims = sample(load_claims(path), limit)
    least = options["min_confidence"] or None  # 0 is what other sets are asked with
    with (
        open_pipeline(options | {"no_reader": True}, config.load_settings()) as pipeline,
        steps_bar("verify", len(claims)) as show,
    ):
        judged.check_golds(claims, pipeline.pack)
        verifier = Verifier(pipeline, VerifyOptions(min_confidence=least))
        outcomes = list(judged.judge(verifier, claims, lambda done: show(done, "")))
    if output is not None:
        lines = (json.dumps(one.to_dict(), ensure_ascii=False) for one in outcomes)
        write_whole(output, "".join(f"{line}\n" for line in lines))
    show_counts(judged.counts(outcomes), judged.figures(outcomes), as_json)
