"""``kgask doctor``: what is here, what is wrong, and what to type next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import click

from kgask import config
from kgask.cli import health
from kgask.cli.health import Finding
from kgask.cli.options import MODEL_OPTION, PACK_OPTION, PRINTED, Command
from kgask.cli.render import note, print_json, table
from kgask.errors import EXIT_NOT_WELL, KgaskError


@click.command(cls=Command)
@PACK_OPTION
@MODEL_OPTION
@PRINTED
def doctor(pack: str | None, model: str | None, as_json: bool) -> int:
    """Check this installation, its models, and how planner and pack fit.

    Every finding is one line: ok, warn or fail, what was looked at, what was
    found, and what to type next. Nothing is changed but the cache, nothing is
    sent anywhere, and settings are shown without anything secret.

    \b
    Looked at: versions; what llama.cpp was compiled for, by which compiler, and
    whether this CPU has it; SQLite's full-text search; threads, memory, CUDA
    and why it is not used; the user's folder and settings; every model and its
    hashes; the pack's counts; relations whose labels are ids that no planner
    can read; planner, reader and encoder on real questions, each in a process
    of its own, so that a crash there is a finding.

    \b
    Exit codes: 0 nothing fails (there may be warnings), 4 something fails.
    """
    findings = list(_findings(pack, model))
    failed = [finding for finding in findings if finding.status == "fail"]
    warned = [finding for finding in findings if finding.status == "warn"]
    if as_json:
        print_json({"ok": not failed, "findings": [asdict(finding) for finding in findings]})
    else:
        table(("", "check", "found", "next"), [(f.status, f.check, f.found, f.advice) for f in findings])
        note(f"{len(findings)} checks, {len(failed)} failed, {len(warned)} warnings")
    return EXIT_NOT_WELL if failed else 0


def _findings(pack: str | None, model: str | None) -> Iterator[Finding]:
    yield from health.versions()
    yield from health.hardware()
    yield from health.home()
    yield from health.settings()
    try:
        settings = config.load_settings()
    except KgaskError:  # said by health.settings()
        settings = {}
    model = model or str(settings.get("model", config.DEFAULT_MODEL))
    reader = str(settings.get("reader", config.DEFAULT_READER))
    encoder = str(settings.get("encoder", config.DEFAULT_ENCODER))
    judge = str(settings.get("judge", config.DEFAULT_JUDGE))
    yield from health.models([model, judge, reader, encoder])
    pack = pack or str(settings.get("pack", config.DEFAULT_PACK))
    yield from health.pack_and_fit(pack, model, reader, encoder)
