"""``kgask eval run everyday``: questions of all kinds against gold queries over the same pack."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kgask import config
from kgask.cli.asked_with import ask_options, open_pipeline
from kgask.cli.render import steps_bar, table
from kgask.errors import UsageError


def run_everyday(path: Path, output: Path | None, limit: int | None, options: dict[str, Any], as_json: bool) -> None:
    """Ask the questions of ``path`` and print figures; every outcome goes to ``output``, a JSON object a line."""
    from kgask.eval import everyday as asked
    from kgask.machine.files import write_whole
    from kgask.sets.everyday import load
    from kgask.sets.gold import sample

    if output is not None and output.exists():
        raise UsageError(f"{output}: exists; write the outcomes to another file")
    questions = sample(load(path), limit)
    settings = config.load_settings()
    least = options["min_confidence"] or None  # 0 is what other sets are asked with; here the cards' threshold applies
    asked_so = ask_options(options, settings, min_confidence=least)
    with open_pipeline(options, settings, must_read=True) as pipeline, steps_bar("ask", len(questions)) as show:
        outcomes = list(asked.ask(pipeline, questions, asked_so, lambda done: show(done, "")))
    if output is not None:
        lines = (json.dumps(one.to_dict(), ensure_ascii=False) for one in outcomes)
        write_whole(output, "".join(f"{line}\n" for line in lines))
    show_counts(asked.counts(outcomes), asked.figures(outcomes), as_json)


def show_counts(kinds: list[dict[str, Any]], figures: dict[str, Any], as_json: bool) -> None:
    """Print what was counted by kind (nothing, where there are none), and the figures of all."""
    if as_json:
        print(json.dumps(({"kinds": kinds} if kinds else {}) | figures))
        return
    if kinds:
        table(list(kinds[0]), [list(one.values()) for one in kinds])
    table(("figure", "value"), [(name, "-" if value is None else value) for name, value in figures.items()])
