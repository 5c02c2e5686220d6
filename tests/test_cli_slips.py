"""What people type by mistake: what was likely meant is offered, and a question is still asked."""

from __future__ import annotations

import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest
from test_ask_cli import kgask

from kgask.cli.main import COMMANDS, insert_default_command
from kgask.cli.nearly import GROUPS, meant
from kgask.cli.questions import one_question
from kgask.errors import UsageError


def test_the_table_of_subcommands_is_what_there_is() -> None:
    found = {}
    for name, (place, _) in COMMANDS.items():
        module, attribute = place.split(":")
        command = getattr(import_module(module), attribute)
        if isinstance(command, click.Group):
            found[name] = sorted(command.list_commands(click.Context(command)))
    assert {name: sorted(words.split()) for name, words in GROUPS.items()} == found


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("pakc list", ["pack list"]),
        ("pakc lst", ["pack list"]),
        ("packs", ["pack"]),
        ("Pack list", ["pack list"]),
        ("pakc", ["pack"]),
        ("modles list --json", ["models list --json"]),
        ("model list", ["models list"]),
        ("evla run metaqa x.txt -o runs/x", ["eval run metaqa x.txt -o runs/x"]),
        ("trian rigel --data d", ["train rigel --data d"]),
        ("docter", ["doctor"]),
        ("docotr --json", ["doctor --json"]),
        ("method", ["methods"]),
        ("airgp folder", ["airgap folder"]),
        ("completon bash", ["completion bash"]),
        ("aks 'who wrote Emma?'", ["ask 'who wrote Emma?'"]),
        ("promt 'who wrote Emma'", ["prompt 'who wrote Emma'"]),
        ("list", ["pack list", "models list"]),
        ("list --json", ["pack list --json", "models list --json"]),
        ("list packs", ["pack list"]),
        ("list model", ["models list"]),
        ("search Bath", ["pack search Bath"]),
        ("serach Bath", ["pack search Bath"]),
        ("search 'jane austen' --limit 3", ["pack search 'jane austen' --limit 3"]),
        ("show Q36322", ["pack show Q36322", "models show Q36322"]),
        ("check mine", ["pack check mine", "models check mine"]),
        ("build triples.tsv -o mine", ["pack build triples.tsv -o mine"]),
        ("add my.gguf", ["pack add my.gguf", "models add my.gguf"]),
        ("run metaqa qa_dev.txt", ["eval run metaqa qa_dev.txt"]),
        ("score runs/rigel", ["eval score runs/rigel"]),
    ],
)
def test_a_near_miss_is_offered(typed: str, offered: list[str]) -> None:
    assert meant(shlex.split(typed), COMMANDS) == [f"kgask {line}" for line in offered]
    with pytest.raises(UsageError, match="kgask ask "):
        insert_default_command(shlex.split(typed))


@pytest.mark.parametrize(
    "typed",
    [
        "list all planets",
        "list planets",
        "'list all planets'",
        "show me the books of Jane Austen",
        "search for the author of Emma?",
        "search where?",
        "who wrote Emma",
        "who",
        "'who wrote Emma?'",
        "Kenya",
        "Gold",
        "Sun",
        "Paris?",
        "capital of Kenya",
        "name the capital of Kenya",
        "back to the future director",
        "model airplanes of 1930",
        "asks who",
        "packs of wolves",
        "trains through Paris",
        "run time of Metropolis",
        "half life of uranium",
        "compare Paris and London",
        "build year of the Eiffel Tower",
        "check the capital of Kenya",
        "report on Chernobyl author",
        "doctors in Emma",
        "beach in Kenya",
        "help me find the author of Emma",
        "help wanted author",
        "version of the story",
        "method acting schools",
        "x --json",
    ],
)
def test_a_question_is_asked(typed: str) -> None:
    words = shlex.split(typed)
    assert insert_default_command(words) == ["ask", *words]


@pytest.mark.parametrize("typed", ["ask list", "ask pakc list", "ask search Bath"])
def test_ask_asks_anything(typed: str) -> None:
    assert insert_default_command(typed.split()) == typed.split()


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("search Bath", 'kgask pack search Bath? As a question: kgask ask "search Bath"'),
        ("--json list", "kgask pack list or kgask models list"),
        ("--pack demo pack info", "options come after the command; did you mean: kgask pack info"),
        ("help pakc", "kgask pack --help"),
        ("-v", "--verbose"),
        ("--pack", "kgask --help"),
        ("--no-raeder x", "'--no-reader'"),
        ("pack lst", "'list'? See: kgask pack --help"),
        ("pack build s.tsv", "say where: -o DIR for a path, or -n NAME"),
        ("train station in Paris", 'kgask ask "..."'),
        ("'who wrote Emma?' 'who wrote Dracula?'", "--questions FILE"),
        ("'who wrote Emma' 'who wrote Dracula'", "--questions FILE"),
        ("prompt 'who wrote Emma?' 'who wrote Dracula?'", "--questions FILE"),
        ("who wrote Emma? who wrote Dracula?", "--questions FILE"),
        ("--questions .", "is a directory"),
    ],
)
def test_a_slip_is_one_line_that_says_what_to_type(typed: str, says: str) -> None:
    done = kgask(*shlex.split(typed))
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        ["who", "wrote", "Lady", "Susan?"],
        ["who wrote Lady Susan?"],
        ["what", "connects", "Jane Austen", "and", "Bram Stoker"],
        ["which is older,", "Emma", "or", "Lady Susan?"],
        ["who wrote", "Emma?"],
    ],
)
def test_words_and_quoted_names_are_one_question(words: list[str]) -> None:
    assert one_question(words) == " ".join(words)


def test_help_and_version_are_commands() -> None:
    assert kgask("version").stdout == kgask("--version").stdout
    assert kgask("help").stdout == kgask("--help").stdout
    for words in (["pack"], ["pack", "build"], ["ask"], ["eval", "run"]):
        shown = kgask("help", *words)
        assert (shown.returncode, shown.stderr) == (0, "")
        assert shown.stdout.startswith(f"Usage: kgask {' '.join(words)} ")
        assert shown.stdout == kgask(*words, "--help").stdout


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A command line in which KGASK stands for kgask; the exit code is that of the last kgask before a pipe."""
    line = command.replace("KGASK", f"{shlex.quote(sys.executable)} -m kgask") + "; exit ${PIPESTATUS[0]}"
    return subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize(
    "command",
    [
        "KGASK --no-reader < q.txt | head -1",
        "KGASK --no-reader --json < q.txt | head -1",
        "KGASK pack search a --limit 5000 | head -1",
        "KGASK pack show Q36322 --limit 5000 --json | head -c 1",
        "KGASK pack list | true",
        "KGASK models list --json | true",
        "KGASK --help | true",
        "KGASK help eval run | true",
        "KGASK pack check nowhere | true",
    ],
)
def test_who_reads_the_pipe_may_leave(command: str, tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("who wrote Lady Susan?\n" * 400)
    done = shell(command, tmp_path)
    assert done.returncode == (1 if "nowhere" in command else 0)
    assert done.stderr.count("\n") == ("nowhere" in command)


@pytest.mark.slow
@pytest.mark.parametrize(
    "lost", ["2>/dev/full", *(pytest.param(one, marks=pytest.mark.slow) for one in ("2>&-", "2> >(true)"))]
)
def test_work_goes_on_where_nobody_hears_of_it(lost: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)  # which leaves nothing to be written when Python ends
    (tmp_path / "s.tsv").write_text("a\tb\tc\n")
    built = shell(f"KGASK pack build s.tsv -o mine {lost}", tmp_path)
    assert built.returncode == 0
    assert (tmp_path / "mine" / "pack.json").is_file()
    asked = shell(f"KGASK 'who wrote Lady Susan?' --explain --verbose --no-reader {lost}", tmp_path)
    assert (asked.returncode, asked.stdout) == (0, "Jane Austen\n")
    wrong = shell(f"KGASK --pack nowhere who {lost}", tmp_path)
    assert (wrong.returncode, wrong.stdout) == (1, "")
    usage = shell(f"KGASK --nope {lost}", tmp_path)
    assert (usage.returncode, usage.stdout) == (2, "")
