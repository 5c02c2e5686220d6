"""``kgask ask`` as people and pipelines use it: processes, shipped pack and models."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from forked_cli import kgask

CONTRACT = {
    "method",
    "query",
    "question",
    "answer",
    "entities",
    "support",
    "confidence",
    "abstained",
    "reason",
    "help",
    "kind",
    "value",
    "sparql",
    "derivation",
    "died_at",
    "seeds",
    "alternatives",
    "notes",
    "timings_ms",
    "hashes",
}


def test_the_first_question_of_the_readme() -> None:
    command = [sys.executable, "-m", "kgask", "who wrote Lady Susan?"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "Jane Austen\n", "")


def test_quotes_are_not_needed() -> None:
    assert kgask("who", "wrote", "Lady", "Susan").stdout == "Jane Austen\n"


def test_json_contract_of_an_answer() -> None:
    done = kgask("who wrote Lady Susan?", "--json")
    content = json.loads(done.stdout)
    assert set(content) == CONTRACT
    assert done.stdout.count("\n") == 1
    assert content["answer"] == "Jane Austen"
    assert [set(entity) for entity in content["entities"]] == [{"id", "key", "label"}]
    assert content["entities"][0]["key"] == "Q36322"
    triples = [(t["subject"], t["relation"], t["object"]) for t in content["support"]]
    assert ("Lady Susan", "author", "Jane Austen") in triples
    fields = {"id", "subject", "relation", "object", "hop", "score", "qualifiers"}
    assert all(set(t) == fields for t in content["support"])
    assert (content["abstained"], content["reason"]) == (False, None)
    assert 0.5 <= content["confidence"] <= 1
    assert content["seeds"][0]["mention"] == "Lady Susan"
    assert set(content["hashes"]) == {"pack", "model", "judge", "reader"}


def test_json_contract_without_an_answer() -> None:
    done = kgask("who wrote The Moons of Zarbulon Seven?", "--json")
    content = json.loads(done.stdout)
    assert done.returncode == 3
    assert set(content) == CONTRACT
    assert (content["answer"], content["entities"], content["support"]) == (None, [], [])
    assert content["abstained"] is True
    assert content["reason"]


def test_no_answer_is_exit_3_with_one_line_that_says_why() -> None:
    done = kgask("What is the shoe size of Jane Austen?")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("kgask: no answer: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["who wrote Lady Susan?", "--pack", "nowhere"], 1, "kgask pack list"),
        (["who wrote Lady Susan?", "--model", "nowhere"], 1, "kgask models list"),
        (["who wrote Lady Susan?", "--reader", "nowhere.gguf"], 1, "kgask models list"),
        (["who wrote Lady Susan?", "--entity", "Nobody At All"], 2, "kgask pack search"),
        (["who wrote Lady Susan?", "--reader", "x.gguf", "--no-reader"], 2, "exclude"),
        ([" "], 2, "empty"),
        (["x" * 3000], 2, "2000"),
    ],
)
def test_bad_input_is_one_line_and_its_exit_code(args: list[str], code: int, says: str) -> None:
    done = kgask(*args)
    assert (done.returncode, done.stdout) == (code, "")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "args", [["--hops", "0"], ["--hops", "4"], ["--top-k", "0"], ["--min-confidence", "2"], ["--nope"]]
)
def test_bad_options_are_usage_errors(args: list[str]) -> None:
    done = kgask("who wrote Lady Susan?", *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


def test_stdin_gives_one_line_each_in_order() -> None:
    asked = "who wrote Lady Susan?\n\nwho wrote The Moons of Zarbulon Seven?\nWhat is the capital of Kenya?\n"
    done = kgask(stdin=asked)
    assert done.returncode == 0
    assert done.stdout == "Jane Austen\n\n\nNairobi\n"


def test_stdin_as_ndjson_answers_every_line() -> None:
    asked = "who wrote Lady Susan?\r\n\n" + "y" * 3000 + "\nWhat is the capital of Kenya?"
    done = kgask("--json", stdin=asked)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert [row["answer"] for row in rows] == ["Jane Austen", None, None, "Nairobi"]
    assert all(set(row) == CONTRACT for row in rows)
    assert "empty" in rows[1]["reason"]
    assert "2000" in rows[2]["reason"]


def test_answers_stream(tmp_path: Path) -> None:
    """The first answer comes while stdin is still open."""
    with subprocess.Popen(
        [sys.executable, "-m", "kgask", "--no-reader"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        process.stdin.write("who wrote Lady Susan?\n")
        process.stdin.flush()
        assert process.stdout.readline() == "Jane Austen\n"
        process.stdin.close()
        assert process.wait(timeout=60) == 0


def test_bytes_that_are_no_text_are_answered_too() -> None:
    done = kgask(stdin=b"\xff\xfe\x00 who?\nwho wrote Lady Susan?\n")
    assert done.returncode == 0
    assert done.stdout.splitlines()[1] == "Jane Austen"


def test_a_reader_of_the_pipe_that_goes_away_is_no_traceback() -> None:
    command = f"yes 'who wrote Lady Susan?' | head -200 | {sys.executable} -m kgask --no-reader | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == "Jane Austen\n"
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


def test_a_typo_is_read_and_said() -> None:
    done = kgask("who wrote Lady Suzan?")
    assert (done.returncode, done.stdout) == (0, "Jane Austen\n")
    assert "Lady Suzan" in done.stderr
    assert "Lady Susan" in done.stderr


def test_an_ambiguous_name_is_said_and_can_be_chosen() -> None:
    done = kgask("which people were born in Paris?", "--json")
    content = json.loads(done.stdout)
    assert any("entities are called Paris" in note and "--entity" in note for note in content["notes"])
    chosen = json.loads(kgask("where was Paris born?", "--entity", "Q520621", "--json").stdout)
    assert chosen["seeds"][0]["key"] == "Q520621"
    assert chosen["answer"] == "San Francisco"


def test_hops_bounds_the_path() -> None:
    two = json.loads(kgask("When did the author of Lady Susan die?", "--no-reader", "--json").stdout)
    assert {t["hop"] for t in two["support"]} == {1, 2}
    one = json.loads(kgask("When did the author of Lady Susan die?", "--hops", "1", "--no-reader", "--json").stdout)
    assert all(t["hop"] == 1 for t in one["support"])


def test_top_k_never_cuts_the_answer_set() -> None:
    few = json.loads(kgask("Which books did Bram Stoker write?", "--top-k", "2", "--json").stdout)
    many = json.loads(kgask("Which books did Bram Stoker write?", "--json").stdout)
    assert {e["id"] for e in few["entities"]} == {e["id"] for e in many["entities"]}
    assert len(few["entities"]) > 2


def test_min_confidence_refuses() -> None:
    done = kgask("who wrote Lady Susan?", "--min-confidence", "1")
    assert done.returncode == 3


def test_explain_and_verbose_go_to_stderr() -> None:
    done = kgask("who wrote Lady Susan?", "--explain", "--verbose")
    assert done.stdout == "Jane Austen\n"
    for words in (
        "names that were read",
        "relations that the question asks for",
        "facts for the reader",
        "time",
        "planner on",
        "ms",
    ):
        assert words in done.stderr


def test_settings_come_from_the_environment_and_the_config_file(empty_home: Path, family_path: Path) -> None:
    by_environment = kgask("who is the sibling of Eve Reed?", "--no-reader", KGASK_PACK=str(family_path))
    assert by_environment.stdout == "Finn Reed\n"
    (empty_home / "config.toml").write_text(f'pack = "{family_path}"\n')
    assert kgask("who is the sibling of Eve Reed?", "--no-reader").stdout == "Finn Reed\n"
    (empty_home / "config.toml").write_text("colour = 1\n")
    wrong = kgask("who is the sibling of Eve Reed?")
    assert wrong.returncode == 2
    assert "colour" in wrong.stderr


def test_hostile_labels_cannot_touch_the_terminal(tmp_path: Path) -> None:
    source = tmp_path / "evil.tsv"
    evil = "\x1b]0;owned\x07[bold red]Mallory[/]\u202e"
    source.write_text(f"Secret Book\tauthor\t{evil}\n", encoding="utf-8")
    assert kgask("pack", "build", str(source), "-o", str(tmp_path / "evil")).returncode == 0
    done = kgask("who is the author of Secret Book?", "--pack", str(tmp_path / "evil"), "--explain")
    assert done.returncode == 0
    assert "[bold red]Mallory[/]" in done.stdout
    for stream in (done.stdout, done.stderr):
        assert not set(stream) & set("\x1b\x07\u202e")
    as_json = kgask("who is the author of Secret Book?", "--pack", str(tmp_path / "evil"), "--json").stdout
    assert json.loads(as_json)["answer"] == evil
    assert not set(as_json) & set("\x1b\x07\u202e")


def test_help_version_and_completion() -> None:
    assert "Exit codes" in kgask("--help").stdout
    assert kgask("--version").stdout.startswith("kgask ")
    assert "_KGASK_COMPLETE" in kgask("completion", "bash").stdout
    completed = kgask(_KGASK_COMPLETE="bash_complete", COMP_WORDS="kgask pa", COMP_CWORD="1")
    assert "pack" in completed.stdout


def read_terminal(fd: int) -> bytes:
    """What a pseudo-terminal shows next; nothing when the program has closed it (EIO on Linux)."""
    try:
        return os.read(fd, 4096)
    except OSError:
        return b""


def test_on_a_terminal_the_answer_comes_first_with_its_triples() -> None:
    """Through a pseudo-terminal: the answer, the confidence, then the table."""
    import pty

    terminal, end = pty.openpty()
    with subprocess.Popen([sys.executable, "-m", "kgask", "who wrote Lady Susan?"], stdout=end, stderr=end) as process:
        os.close(end)
        text = b"".join(iter(lambda: read_terminal(terminal), b"")).decode()
    os.close(terminal)
    assert process.returncode == 0
    assert text.index("Jane Austen") < text.index("confidence") < text.rindex("Lady Susan")
    assert "author" in text


def test_the_reader_cannot_widen_an_answer() -> None:
    """A cited end of an improbable long path must not bring its whole answer set with it."""
    question = "what was Mahatma Gandhi's occupation?"
    read = json.loads(kgask(question, "--json").stdout)
    plan = json.loads(kgask(question, "--json", "--no-reader").stdout)
    assert {e["id"] for e in read["entities"]} == {e["id"] for e in plan["entities"]}
    assert {t["hop"] for t in read["support"]} == {1}


def test_a_number_is_used_or_the_answer_refused() -> None:
    done = kgask("who won the Nobel Prize in Physics in 1921?", "--no-reader")
    assert done.returncode == 3 or done.stdout == "Albert Einstein\n"


def test_a_chosen_name_that_several_entities_have_is_said() -> None:
    done = kgask("which people were born there?", "--entity", "Paris", "--no-reader")
    assert "entities are called Paris" in done.stderr


def test_an_empty_word_is_no_batch() -> None:
    done = kgask("ask", "", stdin="who wrote Lady Susan?\n")
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("redirect", ["<&-", ">&-", "2>&-", ">/dev/full"])
def test_closed_and_full_streams_are_no_traceback(redirect: str) -> None:
    command = f"{sys.executable} -m kgask 'who wrote Lady Susan?' --no-reader {redirect}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 1)


@pytest.mark.parametrize("arrays", [("out_relation", "in_relation"), ("out_indptr",), ("in_indptr",)])
def test_a_damaged_pack_is_one_line(arrays: tuple[str, ...], tmp_path: Path, family_path: Path) -> None:
    import shutil

    damaged = tmp_path / "damaged"
    shutil.copytree(family_path, damaged)
    for name in (f"{array}.npy" for array in arrays):
        content = bytearray((damaged / name).read_bytes())
        content[128:] = b"\x7f" * (len(content) - 128)  # after the header: sizes and shapes stay
        (damaged / name).write_bytes(content)
    done = kgask("who is the sibling of Eve Reed?", "--pack", str(damaged), "--no-reader")
    assert (done.returncode, done.stdout) == (6, "")
    assert "kgask pack check" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_a_damaged_cache_is_made_again(own_cache: Path) -> None:
    assert kgask("who wrote Lady Susan?", "--no-reader").returncode == 0
    cached = list((own_cache / "relations").glob("*.npy"))
    assert cached
    for content in (b"PK\x03\x04junk", b"", cached[0].read_bytes()[:200]):
        cached[0].write_bytes(content)
        done = kgask("who wrote Lady Susan?", "--no-reader")
        assert (done.returncode, done.stdout, done.stderr) == (0, "Jane Austen\n", "")
