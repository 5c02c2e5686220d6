"""Every command line of README and docs is one that kgask takes; those that ask really answer or refuse."""

from __future__ import annotations

import gzip
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from films import TRIPLES
from tiny_gguf import write_qwen2

from kgask.cli.main import cli, insert_default_command
from kgask.config import shipped_root

README = Path(__file__).parents[1] / "README.md"
PAGES = [README, README.parent / "CONTRIBUTING.md", *sorted((README.parent / "docs").glob("*.md"))]
OTHER_FILES = (
    "triples.tsv labels.tsv few.txt many.txt q.jsonl qa_dev.txt questions.amr questions.yaml "
    "q1.jsonl q2.jsonl q3.jsonl q4.jsonl q5.jsonl q6.jsonl q7.jsonl q8.jsonl q9.jsonl n1.jsonl n2.jsonl "
    "n3.jsonl n6.jsonl t1.jsonl held.jsonl mintaka.jsonl FILE r.jsonl DATA/kqapro_parts/questions_train.jsonl.gz "
    "DATA/mintaka/mintaka_train_500.json DATA/infotabs/dev.jsonl.gz DATA/factbench/train.tsv.gz "
    "DATA/kgconv/conversations_dev.jsonl.gz DATA/rewriting/canard_dev_75.jsonl.gz".split()
)
FOLDERS = (
    "DATA DATA/kqapro_parts DATA/mintaka DATA/infotabs DATA/factbench DATA/kgconv DATA/rewriting PACKS PACKS/infotabs "
    "runs/rigel runs/similarity runs/kqapro runs/mintaka "
    "rigel0 rigel1 rigel2 rigel3 reader1/reader reader2/reader reader3/reader judge1 judge2/judge judge3/judge "
    "judge4 judge5/judge judge6/judge judge7 judge7s judge7s/judge judge8 judge9/judge judge10/judge "
    "judge11/judge judge12".split()
)


def commands() -> Iterator[str]:
    """The lines of the pages' shell blocks that start kgask, variables filled in, continued lines joined; each once."""
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL):
        variables: dict[str, str] = {}
        for line in block.replace("\\\n", " ").splitlines():
            if set_here := re.match(r"([A-Z])=(\S+)", line):
                variables[set_here[1]] = set_here[2]
            for part in re.split(r" && ", line):
                if part.startswith("kgask "):
                    yield re.sub(r"\$([A-Z])\b", lambda found, known=variables: known[found[1]], part)


def words(line: str) -> tuple[list[str], str | None]:
    """Arguments after ``kgask``, and the file that is read from stdin."""
    found = shlex.split(line, comments=True)[1:]
    stdin = found[found.index("<") + 1] if "<" in found else None
    ends = [found.index(sign) for sign in ("<", ">", "|") if sign in found]
    return found[: min(ends, default=len(found))], stdin


LINES = list(dict.fromkeys(commands()))
ASKING = [line for line in LINES if insert_default_command(words(line)[0] or ["ask"])[0] in ("ask", "prompt")]
COMPANIES = "name,city,founded\nAcme Corp,Berlin,1901\nBlue Labs,Paris,1987\nCedar Works,Berlin,2003\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything that the README's lines name."""
    folder = tmp_path_factory.mktemp("readme")
    for name in FOLDERS:
        (folder / name).mkdir(parents=True)
    for name in OTHER_FILES:
        (folder / name).write_text("", encoding="utf-8")
    (folder / "dump.nt.gz").write_bytes(gzip.compress(b""))
    (folder / "questions.txt").write_text("who wrote Lady Susan?\nwhat is soup?\n", encoding="utf-8")
    (folder / "films.tsv").write_text(TRIPLES, encoding="utf-8")
    (folder / "texts.tsv").write_text("Ann Ray\tAnn Ray directs films in Limerick.\n", encoding="utf-8")
    with_texts = ["--passages", str(folder / "texts.tsv"), "-o", str(folder / "mine")]
    built = CliRunner().invoke(cli, ["pack", "build", str(folder / "films.tsv"), *with_texts])
    assert built.exit_code == 0, built.output
    (folder / "companies.csv").write_text(COMPANIES, encoding="utf-8")
    built = CliRunner().invoke(cli, ["pack", "build", str(folder / "companies.csv"), "-o", str(folder / "companies")])
    assert built.exit_code == 0, built.output
    write_qwen2(folder / "my.gguf")
    for name in ("my", "any-model.gguf"):
        (folder / name).symlink_to(folder / "my.gguf")
    (folder / "rigel-mine").symlink_to(shipped_root("model") / "rigel")
    for name in ("models", "kg_packs", "kgask"):
        (folder / name).symlink_to(README.parent / name)
    (folder / "tests").symlink_to(README.parent / "tests")
    return folder


def test_the_readme_has_commands() -> None:
    assert len(LINES) > 40 and len(ASKING) > 15


@pytest.mark.parametrize("line", LINES)
def test_every_command_is_one_that_kgask_takes(line: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names, options, choices and numbers of arguments; nothing is run."""
    monkeypatch.chdir(place)
    rest = insert_default_command(words(line)[0] or ["ask"])
    command: click.Command = cli
    while isinstance(command, click.Group):
        found = command.get_command(click.Context(command), rest[0])
        assert found is not None, f"{line}: no command {rest[0]}"
        command, rest = found, rest[1:]
    command.make_context(line, rest).close()


@pytest.mark.parametrize("line", [line for line in ASKING if "--amr" not in line])  # that one: test_methods_readme.py
def test_every_question_is_answered_or_refused(line: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    arguments, stdin = words(line)
    asked = (place / stdin).read_text(encoding="utf-8") if stdin else None
    done = CliRunner().invoke(cli, arguments, input=asked, prog_name="kgask")
    assert done.exit_code in (0, 3) and (done.exception is None or isinstance(done.exception, SystemExit)), (
        f"{line}: {done.exception!r} {done.output}"
    )
    if "--method none" in line:  # the reader was asked: random weights write something, right it is not
        assert "unverified:" in done.stderr, done.stderr
