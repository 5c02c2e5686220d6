"""``kgask pack``: what is printed where, and exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from kgask.cli.main import main

FAMILY = Path(__file__).parent / "fixtures" / "family"
Output = tuple[int, list[str], list[str]]


class Terminal:
    """Runs kgask in this process and gives (exit code, lines of stdout, lines of stderr)."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def __call__(self, *words: object) -> Output:
        self._monkeypatch.setattr(sys, "argv", ["kgask", "pack", *map(str, words)])
        with pytest.raises(SystemExit) as caught:
            main()
        captured = self._capsys.readouterr()
        return int(caught.value.code or 0), captured.out.splitlines(), captured.err.splitlines()


@pytest.fixture
def kgask(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    return Terminal(capsys, monkeypatch)


def test_build_says_what_it_did(kgask: Terminal, tmp_path: Path) -> None:
    target = tmp_path / "family"
    command = ["build", FAMILY / "triples.tsv", "--relations", FAMILY / "relations.tsv", "-o", target]
    code, out, err = kgask(*command, "--licence", "CC0-1.0", "--name", "kin")
    assert (code, out) == (0, [])
    assert err == [f"kgask: {target}: 21 triples, 10 entities (3 literals), 8 relations"]
    code, out, err = kgask(*command)
    assert (code, out, len(err)) == (1, [], 1)
    assert "--force replaces it" in err[0]
    assert kgask(*command, "--force")[0] == 0


def test_build_refuses_broken_lines_in_one_line(kgask: Terminal, tmp_path: Path) -> None:
    source = tmp_path / "bad.tsv"
    source.write_text("a\tr\tb\nbroken\x1b[31m\n")
    code, out, err = kgask("build", source, "-o", tmp_path / "p")
    assert (code, out, len(err)) == (1, [], 1)
    assert err[0].startswith(f"kgask: {source}:2: 1 field, 3 expected")
    code, _, err = kgask("build", source, "-o", tmp_path / "p", "--skip-errors")
    assert code == 0
    assert err[-1].endswith("1 broken line skipped") and len(err) == 2


@pytest.mark.parametrize(
    "options",
    [
        ["--columns", "subject"],
        ["--literal", "x"],
        ["--format", "doc"],
        ["--delimiter", "abc"],
    ],
)
def test_usage_errors(kgask: Terminal, tmp_path: Path, options: list[str]) -> None:
    code, out, err = kgask("build", FAMILY / "triples.tsv", "-o", tmp_path / "p", *options)
    assert (code, out) == (2, [])
    assert err and not (tmp_path / "p").exists()


def test_info(kgask: Terminal, family_path: Path) -> None:
    code, out, err = kgask("info", family_path)
    assert (code, err) == (0, [])
    facts = dict(line.split("\t") for line in out)
    assert (facts["triples"], facts["licences"]) == ("21", "CC0-1.0")
    assert json.loads(kgask("info", family_path, "--json")[1][0])["sources"] == ["made up for the tests"]
    relations = [line.split("\t") for line in kgask("info", family_path, "--relations")[1]]
    assert ["child", "child", "child of", "8", ""] in relations


def test_check(kgask: Terminal, family_path: Path, tmp_path: Path) -> None:
    import shutil

    assert kgask("check", family_path) == (0, ["ok"], [])
    copy = shutil.copytree(family_path, tmp_path / "copy")
    data = bytearray((copy / "in_subject.npy").read_bytes())
    data[-1] ^= 1
    (copy / "in_subject.npy").write_bytes(data)
    code, out, err = kgask("check", copy)
    assert (code, len(err)) == (6, 1)
    assert out[0] == "in_subject.npy: SHA-256 differs from the manifest's"
    code, out, _ = kgask("check", copy, "--json")
    assert (code, json.loads(out[0])["ok"]) == (6, False)


def test_list_finds_packs_of_the_user(
    kgask: Terminal, family_path: Path, empty_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shutil

    monkeypatch.setattr("kgask.config.shipped_root", lambda kind: tmp_path / "nothing")
    code, out, err = kgask("list")
    assert (code, out, len(err)) == (0, [], 1)
    copy = shutil.copytree(family_path, empty_home / "kg_packs" / "kin")
    broken = shutil.copytree(family_path, empty_home / "kg_packs" / "broken")
    (broken / "pack.json").write_text("{")
    code, out, err = kgask("list")
    assert code == 0
    assert [line.split("\t") for line in out] == [
        ["broken", "user", "", "", "", str(broken)],
        ["kin", "user", "", "10", "21", str(copy)],
    ]
    assert len(err) == 1 and "broken JSON" in err[0]
    assert [entry["name"] for entry in json.loads(kgask("list", "--json")[1][0])] == ["broken", "kin"]
    assert kgask("show", "--pack", "kin", "Evie")[0] == 0
    monkeypatch.setenv("KGASK_PACK", "kin")
    assert kgask("show", "Evie")[0] == 0


def test_search(kgask: Terminal, family_path: Path) -> None:
    code, out, err = kgask("search", "--pack", family_path, "hill")
    assert (code, err) == (0, [])
    rows = [line.split("\t") for line in out]
    assert {row[2] for row in rows} == {"George Hill", "Anne Hill", "Ben Hill", "Cora Reed"}
    assert next(row[3] for row in rows if row[2] == "Cora Reed") == "Cora Hill"
    code, out, err = kgask("search", "--pack", family_path, "gorge hill", "--json")
    assert (code, json.loads(out[0])[0]["label"]) == (0, "George Hill")
    assert err == ["kgask: no name has these words; close names for 'gorge hill':"]
    code, out, err = kgask("search", "--pack", family_path, "nobody")
    assert (code, out, len(err)) == (1, [], 1)


def test_show_by_label_alias_key_and_id(kgask: Terminal, family_path: Path) -> None:
    code, out, err = kgask("show", "--pack", family_path, "Finn Reed")
    assert (code, err) == (0, [])
    assert out == [
        "Finn Reed\tadmires\tFinn Reed",
        "Finn Reed\tdate of birth\t1904",
        "Finn Reed\tsibling\tEve Reed",
        "Cora Reed\tchild\tFinn Reed",
        "Dan Reed\tchild\tFinn Reed",
        "Eve Reed\tsibling\tFinn Reed",
    ]
    facts = json.loads(kgask("show", "--pack", family_path, "Finn Reed", "--json")[1][0])
    assert (facts["n_triples"], facts["kind"], len(facts["triples"])) == (6, "entity", 6)
    for name in ("finn  reed", f"#{facts['id']}", str(facts["id"])):
        assert kgask("show", "--pack", family_path, name)[1] == out
    assert kgask("show", "--pack", family_path, '"1904"^^date')[1] == ["Finn Reed\tdate of birth\t1904"]
    code, out, err = kgask("show", "--pack", family_path, "Cora Reed", "--limit", "1")
    assert (len(out), len(err)) == (2, 1)
    code, out, err = kgask("show", "--pack", family_path, "Fin Reed")
    assert (code, out) == (1, [])
    assert err == ["kgask: no entity 'Fin Reed' in family; did you mean 'Finn Reed'?"]


def test_names_that_several_share(kgask: Terminal, tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("Q1\tin\tQ3\nQ2\tin\tQ4\nQ2\tnear\tQ3\n")
    (tmp_path / "l.tsv").write_text("Q1\tParis\nQ2\tParis\nQ3\tFrance\nQ4\tTexas\n")
    kgask("build", tmp_path / "t.tsv", "--labels", tmp_path / "l.tsv", "-o", tmp_path / "p")
    code, out, err = kgask("show", "--pack", tmp_path / "p", "paris")
    assert (code, out) == (0, ["Paris\tin\tTexas", "Paris\tnear\tFrance"])
    assert err == ["kgask: 2 entities are called paris; this is #1, others: #0"]


def test_hostile_labels_cannot_touch_the_terminal(kgask: Terminal, tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("[red]a[/]\tr\x1b]0;x\x07\t\u202egnp\n")
    kgask("build", tmp_path / "t.tsv", "-o", tmp_path / "p")
    _, out, _ = kgask("show", "--pack", tmp_path / "p", "#0")
    assert out == ["[red]a[/]\tr\\x1b]0;x\\x07\t\\u202egnp"]


@pytest.mark.parametrize("command", [["info"], ["check"], ["search", "x", "--pack"], ["show", "x", "--pack"]])
def test_packs_that_are_not_there(kgask: Terminal, tmp_path: Path, command: list[str]) -> None:
    for place in (tmp_path / "absent", tmp_path):
        code, _, err = kgask(*command, place)
        assert (code, len(err)) == (1, 1)


def test_every_command_has_help(kgask: Terminal) -> None:
    from kgask.cli.pack import pack

    for name, command in pack.commands.items():
        code, out, _ = kgask(name, "--help")
        assert code == 0
        assert command.help and out[0].startswith("Usage: ")


def test_building_from_a_pipe_in_a_real_process(tmp_path: Path) -> None:
    triples = '<http://e/a> <http://e/r> "1811"^^<http://www.w3.org/2001/XMLSchema#gYear> .\n'
    command = [
        sys.executable,
        "-m",
        "kgask",
        "pack",
        "build",
        "-",
        "--format",
        "nt",
        "-o",
        str(tmp_path / "p"),
    ]
    done = subprocess.run(command, input=triples, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.count("\n") == 1 and "1 triples, 2 entities" in done.stderr


def test_show_filters_and_pages(kgask: Terminal, tmp_path: Path) -> None:
    source = tmp_path / "t.tsv"
    lines = [f"hub\tknows\tp{number}\n" for number in range(5)] + ["hub\tlikes\thub\n", "p0\tlikes\thub\n"]
    source.write_text("".join(lines))
    assert kgask("build", source, "-o", tmp_path / "p")[0] == 0
    show = ("show", "hub", "-p", tmp_path / "p")
    whole = kgask(*show)[1]
    assert len(whole) == 7  # the triple of hub to itself once
    pages = [kgask(*show, "--limit", "3", "--page", str(page)) for page in (1, 2, 3)]
    assert sorted(line for _, out, _ in pages for line in out) == sorted(whole)
    assert "--page 2 goes on" in pages[0][2][-1] and "no more on this page" in pages[2][2][-1]
    _, out, err = kgask(*show, "--relation", "likes")
    assert (sorted(out), err) == (["hub\tlikes\thub", "p0\tlikes\thub"], [])
    code, out, err = kgask(*show, "--relation", "hates")
    assert (code, out, len(err)) == (1, [], 1) and "--relations" in err[0]
