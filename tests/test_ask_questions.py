"""Files and pipes of questions: chunks, order, progress, interruption."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from forked_cli import kgask
from test_ask_cli import read_terminal

from kgask.cli.questions import CHUNK, FIRST_CHUNK, count_lines, read_chunks

COMMAND = [sys.executable, "-m", "kgask", "--no-reader"]
ASKED = ["who wrote Lady Susan?", "", "What is the capital of Kenya?", "z" * 3000, "who directed Pulp Fiction?"]


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.txt"
    path.write_text("\n".join(ASKED))  # no line end at the end
    return path


def test_a_file_is_answered_line_by_line_as_one_by_one(questions: Path) -> None:
    rows = [
        json.loads(line) for line in kgask("--questions", str(questions), "--no-reader", "--json").stdout.splitlines()
    ]
    assert [row["question"] for row in rows] == ASKED
    for row in (rows[0], rows[2], rows[4]):
        alone = json.loads(kgask(row["question"], "--no-reader", "--json").stdout)
        assert (row["answer"], row["seeds"]) == (alone["answer"], alone["seeds"])
        assert row["answer"]
        assert abs(row["confidence"] - alone["confidence"]) < 0.1  # an int8 planner rounds by what is asked together
    assert "empty" in rows[1]["reason"]
    assert "2000" in rows[3]["reason"]


def test_more_than_one_chunk_keeps_the_order(tmp_path: Path) -> None:
    path = tmp_path / "many.txt"
    names = ["Lady Susan", "Dracula", "Emma"] * (FIRST_CHUNK + CHUNK) + ["Lady Susan"]
    path.write_text("".join(f"who wrote {name}?\n" for name in names))
    done = kgask("--questions", str(path), "--no-reader")
    answers = done.stdout.splitlines()
    assert (done.returncode, len(answers)) == (0, len(names))
    assert len(set(zip(names, answers, strict=True))) == 3
    assert answers[0] == answers[-1] == "Jane Austen"


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["who?", "--questions", "FILE"], 2, "exclude"),
        (["--questions", "nowhere.txt"], 2, "nowhere.txt"),
        (["--questions", "."], 2, "directory"),
        (["--questions", "FILE", "--no-reader", "--entity", "Nobody At All"], 2, "kgask pack search"),
    ],
)
def test_bad_options_are_usage_errors(args: list[str], code: int, says: str, questions: Path) -> None:
    done = kgask("ask", *(str(questions) if arg == "FILE" else arg for arg in args))
    assert (done.returncode, done.stdout) == (code, "")
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_a_pipe_is_read_as_it_comes() -> None:
    reading, writing = os.pipe()
    with open(reading, "rb") as stream:
        chunks = read_chunks(stream)
        os.write(writing, b"one\ntwo")
        assert next(chunks) == ["one"]  # not held back for the rest of the second line
        os.write(writing, b"\nthree\r\n\xff\n")
        assert next(chunks) == ["two", "three\r", "\ufffd"]
        os.write(writing, b"last")
        os.close(writing)
        assert list(chunks) == [["last"]]


def test_chunks_begin_small_and_hold_every_line_once() -> None:
    lines = [f"question {number} " + "x" * (number % 300) for number in range(1000)]
    chunks = list(read_chunks(io.BufferedReader(io.BytesIO("\n".join(lines).encode()))))
    assert [line for chunk in chunks for line in chunk] == lines
    assert len(chunks[0]) == FIRST_CHUNK
    assert max(map(len, chunks)) == CHUNK


@pytest.mark.parametrize(("content", "lines"), [(b"", 0), (b"a", 1), (b"a\n", 1), (b"\n\n", 2), (b"a\nb", 2)])
def test_lines_are_counted_from_here(content: bytes, lines: int) -> None:
    stream = io.BytesIO(b"before\n" + content)
    stream.readline()
    assert count_lines(stream) == lines
    assert stream.read() == content


def test_progress_goes_to_the_terminal_and_answers_to_the_file(tmp_path: Path, questions: Path) -> None:
    import pty

    terminal, end = pty.openpty()
    out = tmp_path / "answers.txt"
    with out.open("wb") as file, questions.open("rb") as asked:
        with subprocess.Popen(COMMAND, stdin=asked, stdout=file, stderr=end) as process:
            os.close(end)
            shown = b"".join(iter(lambda: read_terminal(terminal), b"")).decode()
        os.close(terminal)
    assert process.returncode == 0
    assert out.read_text().splitlines() == ["Jane Austen", "", "Nairobi", "", "Quentin Tarantino"]
    assert "5/5" in shown
    assert "Nairobi" not in shown


def test_ctrl_c_leaves_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "many.txt"
    path.write_text("who wrote Lady Susan?\n" * 20_000)
    with subprocess.Popen(
        [*COMMAND, "--questions", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=60)
    lines = (first + rest).decode().splitlines(keepends=True)
    assert set(lines) == {"Jane Austen\n"}
    assert len(lines) < 20_000
    assert process.returncode == 130
    assert errors.strip() == b"kgask: interrupted"


@pytest.mark.parametrize("words", [["ask"], ["verify"], ["chat"]], ids=" ".join)
def test_of_an_endless_line_the_rest_is_passed_over(words: list[str]) -> None:
    ended = kgask(*words, stdin=bytes(3_000_000) + b"\n" + b"who wrote Lady Susan?\n")
    lines = ended.stderr.splitlines()
    assert lines[0] == "kgask: line 1: longer than 16,384 bytes; the rest is passed over"
    assert ended.stdout.splitlines()[0] in ("", "not enough information")
    assert words != ["ask"] or ended.stdout == "\nJane Austen\n"


@pytest.mark.parametrize("words", [["ask", "--questions"], ["verify", "--claims"]], ids=" ".join)
def test_a_pipe_or_device_is_no_file_of_lines(words: list[str], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (str(tmp_path / "pipe"), "/dev/zero"):
        ended = kgask(*words, path)
        assert (ended.returncode, ended.stdout) == (2, "")
        assert (
            ended.stderr
            == f"kgask: {path}: a pipe or a device, not a file; for a pipe type: kgask {words[0]} < {path}\n"
        )
