"""``kgask chat`` as a process of its own: on a terminal, killed in the middle of a turn, twice on one session."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from forked_cli import kgask
from prompt_toolkit.document import Document

from kgask.answer.pipeline import Pipeline
from kgask.chat.session import Chat
from kgask.chat.store import Log, read
from kgask.cli.prompting import NameCompleter

COMMAND = [sys.executable, "-m", "kgask", "chat", "--no-reader"]
LONGEST_SECONDS = 60.0
MOST_TRIES = 20
_CODES = re.compile(r"\x1b(?:\[[0-9;?]*[a-zA-Z]|[=>])")


@pytest.fixture
def pipeline(opened: Callable[..., Pipeline]) -> Pipeline:
    return opened("demo", None)


class Terminal:
    """A pseudo-terminal with ``kgask chat`` on it."""

    def __init__(self, *words: str) -> None:
        environment = os.environ | {"TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}
        self.process, self._end = pty.fork()
        if self.process == 0:
            os.execve(sys.executable, [*COMMAND, *words], environment)
        self._shown, self.is_over = "", False

    def type(self, keys: str) -> None:
        os.write(self._end, keys.encode())

    def shows(self, pattern: str, seconds: float = LONGEST_SECONDS) -> bool:
        """Whether this is shown within so long; what is shown until then is not looked at again."""
        until = time.monotonic() + seconds
        while (found := re.search(pattern, self._shown)) is None and time.monotonic() < until:
            if select.select([self._end], [], [], 0.1)[0]:
                self._shown += _CODES.sub("", self._read())
        self._shown = self._shown[found.end() :] if found else self._shown
        return found is not None

    def _read(self) -> str:
        try:
            return os.read(self._end, 65536).decode(errors="replace")
        except OSError:  # the other end is closed
            return ""

    def close(self) -> None:
        if not self.is_over:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        os.close(self._end)


@contextmanager
def terminal(*words: str) -> Iterator[Terminal]:
    one = Terminal(*words)
    try:
        assert one.shows("/quit leaves") and one.shows(">")  # Ctrl-C before there is a line ends it
        yield one
    finally:
        one.close()


@pytest.mark.slow  # Python starts anew
def test_a_terminal_edits_completes_and_does_what_commands_say(tmp_path: Path) -> None:
    with terminal("--session", str(tmp_path / "talk.jsonl")) as one:
        one.type("Who directed Pulp Fic\t")
        assert one.shows("tion")  # what is added to what was typed
        one.type("\r")
        assert one.shows("Quentin Tarantino")
        one.type("where was he born?\r")
        assert one.shows("where was Quentin Tarantino born") and one.shows("Knoxville")
        for typed, shown in (
            ("/why", "confidence 0"), ("/facts", "place of birth\\s+Knoxville"), ("/sparql", "SELECT"),
            ("/more", "Knoxville"), ("/pack", "pack demo"), (f"/save {tmp_path / 'kept'}", "2 turns saved"),
            ("/undo", "forgotten: where was he born"), ("/reset", ">"), ("where was he born?", "no answer"),
            (f"/load {tmp_path / 'kept'}", "2 turns of"), ("/undo", "forgotten"), ("where was he born?", "Knoxville"),
            ("/nothing", "no command /nothing"), ("/load", "which file"),
        ):  # fmt: skip
            one.type(f"{typed}\r")
            assert one.shows(shown), typed
        one.type("not this\x03")
        time.sleep(1.0)  # until there is a new line to type on
        one.type("What is the capital of Kenya?\r")
        assert one.shows("Nairobi")
        assert one.shows(">")  # what is typed before there is a line to type on is lost
        time.sleep(1.0)
        one.type("\x04")
        assert os.waitpid(one.process, 0)[1] == 0
        one.is_over = True


@pytest.mark.slow  # Python starts anew
def test_control_c_stops_a_question_and_not_the_session() -> None:
    question = "; ".join(f"which countries border {name}" for name in ("Kenya", "Chad", "Peru", "Laos", "Niger"))
    with terminal() as one:
        for wait in range(MOST_TRIES):  # until it comes while the question is being answered
            one.type(f"{question}?\r")
            time.sleep(0.02 * wait)
            one.type("\x03")
            if one.shows("stopped; the conversation goes on", 2.0):
                break
        else:
            pytest.fail("no question was stopped")
        time.sleep(1.0)  # until there is a new line to type on
        one.type("\x15What is the capital of Kenya?\r")
        assert one.shows("Nairobi")


# --- sessions -----------------------------------------------------------------------------------


def _begun(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen([*COMMAND, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)


def _asked(talk: subprocess.Popen[str], line: str) -> str:
    assert talk.stdin is not None and talk.stdout is not None
    talk.stdin.write(f"{line}\n")
    return talk.stdout.readline().strip()


@pytest.mark.slow  # Python starts anew
def test_a_kill_in_the_middle_of_a_turn_loses_this_one_at_most(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    with _begun("--session", str(path)) as talk:
        assert _asked(talk, "Who directed Jaws?") == "Steven Spielberg"
        assert talk.stdin is not None
        talk.stdin.write("What is the capital of Kenya?\n")
        talk.kill()
    again = kgask("chat", "--no-reader", "--session", str(path), stdin="Where was he born?\n")
    assert (again.returncode, again.stdout) == (0, "Cincinnati\n")
    assert re.search(r": [12] turns; going on", again.stderr)


@pytest.mark.slow  # Python starts anew
def test_a_second_chat_on_a_session_is_refused_and_the_first_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    with _begun("--session", str(path)) as talk:
        assert _asked(talk, "Who directed Jaws?") == "Steven Spielberg"
        other = kgask("chat", "--no-reader", "--session", str(path), stdin="What is the capital of Kenya?\n")
        assert (other.returncode, other.stdout) == (2, "")
        assert other.stderr.count("\n") == 1 and "another chat is writing this session" in other.stderr
        assert _asked(talk, "Where was he born?") == "Cincinnati"
    assert [json.loads(line).get("line") for line in path.read_text().splitlines()[1:]] == [
        "Who directed Jaws?",
        "Where was he born?",
    ]


@pytest.mark.parametrize(
    "changed",
    [
        {"topics": [1e999]}, {"topics": "abc"}, {"confidence": float("nan")}, {"confidence": 7.5},
        {"turn": 1e999}, {"query": "follow(<Q1>"}, {"ends": [None]},
    ],
)  # fmt: skip
def test_a_line_that_is_no_turn_is_passed_over(pipeline: Pipeline, tmp_path: Path, changed: dict[str, object]) -> None:
    path, chat = tmp_path / "talk.jsonl", Chat(pipeline)
    log = Log(path, chat)
    log.add(chat.ask("Who directed Jaws?"))
    log.close()
    head, turn = path.read_text(encoding="utf-8").splitlines()
    hostile = [json.dumps(json.loads(turn) | changed), "[" * 100_000, "\0" * 1000, turn[:40]]
    path.write_text("\n".join([head, *hostile, turn, ""]), encoding="utf-8")
    assert [one.line for one in read(path, Chat(pipeline))] == ["Who directed Jaws?"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("where is Albert Ein", "Albert Einstein"),
        ("where is mont bla", "Mont Blanc"),
        ("University of Camb", "University of Cambridge"),
    ],
)
def test_names_are_completed(pipeline: Pipeline, text: str, name: str) -> None:
    found = [*NameCompleter(pipeline.pack).get_completions(Document(text), None)]  # type: ignore[arg-type]
    assert name in [one.text for one in found] and text.endswith(text[found[0].start_position :])


def test_what_no_name_begins_with_is_not_completed(pipeline: Pipeline) -> None:
    completer = NameCompleter(pipeline.pack)
    assert not any([*completer.get_completions(Document(text), None)] for text in ("", "a", "who is zzzqq"))  # type: ignore[arg-type]
