"""Claims composed over a pack: each has the verdict that its gold comes to."""

from __future__ import annotations

import random
from pathlib import Path

from click.testing import CliRunner

from kgask.cli.main import cli
from kgask.config import shipped_root
from kgask.corpus.composed_claims import KINDS, ClaimMaker
from kgask.pack.store import Pack
from kgask.query.text import parse
from kgask.retrieve.run import run
from kgask.sets.claims import load_claims

DEMO = shipped_root("pack") / "demo"


def test_every_verdict_is_what_its_gold_comes_to() -> None:
    with Pack.open(DEMO) as pack:
        rows = list(ClaimMaker(pack, random.Random(3)).draw(60))
        assert {row["kind"] for row in rows} == set(KINDS) and len({row["claim"] for row in rows}) == 60
        assert {row["verdict"] for row in rows} == {"supported", "refuted"}
        for row in rows:
            truth = run(parse(row["gold"], pack), pack).truth
            assert (truth is True) == (row["verdict"] == "supported"), row


def test_the_command_writes_what_is_read_again_and_keeps_what_is_there(tmp_path: Path) -> None:
    made = tmp_path / "claims.yaml"
    arguments = ["eval", "make-claims", "demo", "-o", str(made), "--number", "12"]
    assert CliRunner().invoke(cli, arguments).exit_code == 0
    assert len(load_claims(made)) == 12
    again = CliRunner().invoke(cli, arguments)
    assert again.exit_code != 0 and "--force" in str(again.exception)
