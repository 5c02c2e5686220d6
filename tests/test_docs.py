"""The documentation against the code: the JSON contract, the command reference, links, and the tree."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from forked_cli import kgask
from tiny_gguf import write_qwen2

from kgask import __version__
from kgask.cli.main import cli

ROOT = Path(__file__).parents[1]
GROUPS = {"kgask", "kgask pack", "kgask models", "kgask eval", "kgask train", "kgask bench"}
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]


# --- the JSON object -----------------------------------------------------------------------------


def documented() -> dict[str, set[str]]:
    """Title of a section of docs/json.md -> the fields of its tables."""
    text = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    sections = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    return {
        section.splitlines()[0].strip("`"): {
            name
            for row in re.findall(r"^\| (`.*?) \|", section, flags=re.MULTILINE)
            for name in re.findall(r"`(\w+)`", row)
        }
        for section in sections
    }


def answers(*words: str) -> list[dict[str, object]]:
    asked = "Which books did Bram Stoker write?\nWhat is the shoe size of Jane Austen?\nwho wrote Lady Suzan?\nsoup\n"
    done = kgask("--json", *words, stdin=asked)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_every_field_of_json_is_documented_and_none_else() -> None:
    fields = documented()
    found = answers()
    for answer in found:
        assert set(answer) == fields["Of each question"] - {"written", "unverified"} - {"passages", "parts", "source"}
    for name in ("entities", "support", "seeds", "alternatives"):
        rows = [row for answer in found for row in answer[name]]
        assert rows, f"no answer has {name}"
        assert {frozenset(row) for row in rows} <= {frozenset(fields[name])}, name
    assert {answer["died_at"] for answer in found} > {None}


def test_a_reader_that_writes_freely_adds_two_fields(tmp_path: Path) -> None:
    write_qwen2(tmp_path / "my.gguf")
    fields = documented()["Of each question"]
    for answer in answers("--free", "-r", str(tmp_path / "my.gguf"), "--max-tokens", "2"):
        assert set(answer) == fields - {"passages", "parts", "source"}


def test_the_fields_of_a_query() -> None:
    done = kgask("query", "-j", "best(follow(<Q15>, ^<P30>), value(<P2046>), most 1)")
    text = (ROOT / "docs" / "json.md").read_text(encoding="utf-8").partition("## Queries")[2].partition("## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", text, flags=re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == set(json.loads(done.stdout))


def test_the_fields_of_a_verdict() -> None:
    done = kgask("verify", "-j", "Marie Curie was born in Warsaw and died in London")
    found = json.loads(done.stdout)
    for verdict in (found, *found["parts"]):
        assert set(verdict) == documented()["Claims"]


# --- the command reference -----------------------------------------------------------------------


def commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        ctx = click.Context(command, info_name=name)
        for inner in command.list_commands(ctx):
            found = command.get_command(ctx, inner)
            assert found is not None
            yield from commands(found, f"{name} {inner}")


def reference() -> dict[str, str]:
    """Command -> its part of docs/commands.md, in one line."""
    text = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    parts = re.split(r"^#+ (kgask.*)$", text, flags=re.MULTILINE)[1:]
    return {name: " ".join(part.split()) for name, part in zip(parts[::2], parts[1::2], strict=True)}


def test_every_command_is_documented() -> None:
    assert set(reference()) == {name for name, _ in commands(cli, "kgask")}


@pytest.mark.parametrize(("name", "command"), list(commands(cli, "kgask")), ids=lambda value: str(value))
def test_the_reference_is_not_stale(name: str, command: click.Command) -> None:
    """Every option with its help; after a change type: python tools/commands.py"""
    part = reference()[name]
    options = [param for param in command.params if isinstance(param, click.Option) and not param.hidden]
    for option in options:
        assert all(spelling in part for spelling in option.opts), (name, option.opts)
        assert "".join((option.help or "").split()) in part.replace(" ", ""), (name, option.opts)
    told = set(re.findall(r"(?<=[ ,])--[a-z][a-z-]*(?= |,)", part.partition(" Options: ")[2]))
    mine = {spelling for option in options for spelling in [*option.opts, *option.secondary_opts]}
    in_texts = set(re.findall(r"--[a-z][a-z-]*", " ".join(f"{param.help}" for param in options)))
    in_texts |= set(re.findall(r"--[a-z][a-z-]*", f"{command.epilog}"))
    assert isinstance(command, click.Group) or told <= mine | in_texts | {"--help"}, name


def test_commands_in_running_text_are_there() -> None:
    """`kgask pack list` between backticks: the words that name a command."""
    known = set(reference())
    for page in PAGES:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for span in re.findall(r"`(kgask [a-z][^`]*)`", text):
            named = " ".join(re.match(r"kgask( [a-z][a-z-]*)*", span.replace(" help", ""))[0].split()[:3])
            assert named in known or named.rsplit(" ", 1)[0] in known - GROUPS, (page.name, span)


# --- pages ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]*)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert not target or target.startswith("http") or (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_places_in_pages_are_there(page: Path) -> None:
    for target, place in re.findall(r"\]\(([^)#]*)#([^)]*)\)", page.read_text(encoding="utf-8")):
        text = ((page.parent / target) if target else page).read_text(encoding="utf-8")
        titles = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
        assert place in {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}, place


def test_every_page_is_linked_from_the_readme() -> None:
    readme = PAGES[0].read_text(encoding="utf-8")
    assert [page.name for page in PAGES[1:] if f"({page.relative_to(ROOT)})" not in readme] == []


def test_the_tree_names_every_room_and_the_order_is_that_of_the_contract() -> None:
    text = (ROOT / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rooms = [path.parent.name for path in (ROOT / "kgask").glob("*/__init__.py")]
    files = [path.name for path in (ROOT / "kgask").glob("*.py") if not path.name.startswith("__")]
    assert [name for name in rooms if f"  {name}/" not in text] == []
    assert [name for name in files if name not in text] == []


def test_the_changelog_begins_with_this_version() -> None:
    versions = re.findall(r"^## ([\d.]+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert versions[0] == __version__


def test_the_picture_is_of_a_real_answer_and_loads_nothing() -> None:
    drawn = (ROOT / "docs" / "answer.svg").read_text(encoding="utf-8")
    shown = html.unescape(re.sub(r"<[^>]*>", " ", drawn)).replace("\xa0", " ")
    question = re.search(r'\$ kgask "(.*?)"', shown)
    assert question
    assert kgask(question[1]).stdout.strip() in shown
    assert "url(http" not in drawn and "@import" not in drawn
