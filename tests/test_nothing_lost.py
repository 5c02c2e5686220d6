"""Nothing of the user's is deleted: whatever lies at a target, beside it, or appears there, is there afterwards."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from test_eval_make import build as build_films
from tiny_gguf import write_qwen2

from kgask.build import folder
from kgask.build.folder import check_target, new_folder
from kgask.build.writer import PackBuilder
from kgask.cards import write_card
from kgask.cli.main import cli
from kgask.errors import BuildError, KgaskError, UsageError
from kgask.machine import files
from kgask.machine.files import temporary_name
from kgask.pack.check import check_pack
from kgask.pack.store import Pack

NO_FILES = '{"magic": "kgask-pack", "files": {}}'


def kgask(*words: object) -> Result:
    return CliRunner().invoke(cli, [str(word) for word in words])


def refused(result: Result, *says: object) -> None:
    """One clear line with all of this in it."""
    message = str(result.exception) if isinstance(result.exception, KgaskError) else result.output
    assert result.exit_code != 0
    assert "\n" not in message.strip() or result.exit_code == 2, message
    for part in says:
        assert str(part) in message, message


def tree(place: Path) -> dict[str, bytes | None]:
    """Everything below, by its path; None for folders."""
    return {
        str(path.relative_to(place)): None if path.is_dir() else path.read_bytes() for path in sorted(place.rglob("*"))
    }


def thesis(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "thesis").write_text("x")
    return folder / "thesis"


def build(target: Path, obj: str, force: bool = False) -> None:
    builder = PackBuilder()
    builder.add("a", "r", obj)
    builder.write(target, force=force)


def objects(target: Path) -> list[str]:
    with Pack.open(target) as pack:
        return pack.labels(pack.out_object)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "s.tsv"
    path.write_text("a\tr\tb\n")
    return path


# --- temporary names --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mine.tmp", "mine.old.tmp", ".mine.0123456789ab.kgask-tmp"])
def test_folders_with_names_like_temporary_ones_stay(name: str, tmp_path: Path, source: Path) -> None:
    kept = thesis(tmp_path / name)
    for force in ([], ["--force"]):
        assert kgask("pack", "build", source, "-o", tmp_path / "mine", *force).exit_code == 0
    assert kept.read_text() == "x"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, "mine", "s.tsv"])


def test_models_add_leaves_a_folder_beside_it_alone(tmp_path: Path, empty_home: Path) -> None:
    kept = thesis(empty_home / "models" / "mine.tmp")
    assert kgask("models", "add", write_qwen2(tmp_path / "m.gguf"), "--name", "mine").exit_code == 0
    assert kept.read_text() == "x"


def test_what_a_killed_build_left_is_removed_when_it_is_surely_ours(tmp_path: Path) -> None:
    target = tmp_path / "mine"

    def leave(marker: bytes | None, *more: str) -> Path:
        place = temporary_name(target)
        (place / "new").mkdir(parents=True)
        (place / "new" / "half.npy").write_text("x")
        for name in more:
            (place / name).write_text("x")
        if marker is not None:
            (place / "kgask-tmp").write_bytes(marker)
        return place

    ours = folder._marker_text(target)
    dead = leave(ours)
    stay = [leave(None), leave(b""), leave(ours, "thesis"), leave(folder._marker_text(tmp_path / "yours"))]
    before = [tree(place) for place in stay]
    with new_folder(target, force=False) as alive:
        assert not dead.exists()
        (alive / "half.npy").write_text("x")
        (alive / "pack.json").write_text(NO_FILES)
        with pytest.raises(ZeroDivisionError), new_folder(target, force=False):
            raise ZeroDivisionError
        assert (alive / "half.npy").exists(), "another process may be writing it"
    assert tree(target) == {"half.npy": b"x", "pack.json": NO_FILES.encode()}
    assert [tree(place) for place in stay] == before


# --- what appears at the target ---------------------------------------------------------------


@pytest.mark.parametrize("before", ["nothing", "empty"])
@pytest.mark.parametrize("kind", ["folder", "pack", "file"])
def test_what_appears_during_a_build_stays(before: str, kind: str, tmp_path: Path) -> None:
    target = tmp_path / "mine"
    if before == "empty":
        target.mkdir()
    with pytest.raises(BuildError, match="has changed while this was written"), new_folder(target, True) as work:
        (work / "pack.json").write_text(NO_FILES)
        if kind == "folder":
            thesis(target)
        elif kind == "pack":
            build(target, "theirs")
        else:
            if before == "empty":
                target.rmdir()
            target.write_text("x")
        found = target.read_bytes() if kind == "file" else tree(target)
    assert (target.read_bytes() if kind == "file" else tree(target)) == found
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_pack_that_changes_during_a_build_stays(tmp_path: Path) -> None:
    target = tmp_path / "mine"
    build(target, "old")
    with pytest.raises(BuildError, match="has changed"), new_folder(target, force=True):
        kept = thesis(target)
    assert kept.exists() and objects(target) == ["old"]
    kept.unlink()
    with pytest.raises(BuildError, match="has changed"), new_folder(target, force=True):
        build(target, "another's", force=True)
    assert objects(target) == ["another's"]
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize("one_step", [True, False], ids=["exchange", "no renameat2"])
def test_what_changes_in_the_last_moment_is_swapped_back(
    one_step: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the last look at the target and before the rename."""
    target, real, done = tmp_path / "mine", folder._look, []
    build(target, "old")

    def late(place: Path) -> folder._Seen:
        found = real(place)
        if place == target and not done:
            done.append(thesis(target))
        return found

    seen = check_target(target, force=True)
    if not one_step:
        monkeypatch.setattr(files, "_renamed", lambda *_: False)
    with pytest.raises(BuildError, match="has changed"), folder.own_place(target) as place:
        (place / "new" / "pack.json").write_text("{}")
        monkeypatch.setattr(folder, "_look", late)
        folder._put_in_place(place, target, folder.PACK, seen)
    assert done[0].read_text() == "x" and objects(target) == ["old"]
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_where_folders_cannot_be_exchanged_they_are_replaced_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_renamed", lambda *_: False)
    for obj in ("old", "new"):
        build(tmp_path / "mine", obj, force=True)
    assert objects(tmp_path / "mine") == ["new"] and check_pack(tmp_path / "mine") == []
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_file_put_into_the_old_pack_while_it_is_removed_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(tmp_path / "mine", "old")
    real = folder._remove_seen
    monkeypatch.setattr(folder, "_remove_seen", lambda old, seen: (thesis(old), real(old, seen)))
    with pytest.raises(BuildError, match="they stay there"):
        build(tmp_path / "mine", "new", force=True)
    assert objects(tmp_path / "mine") == ["new"]
    (place,) = tmp_path.glob(".mine.*")
    assert tree(place) == {"new": None, "new/thesis": b"x"}
    monkeypatch.undo()
    build(tmp_path / "mine", "newer", force=True)
    assert (place / "new" / "thesis").exists(), "the next build does not clean it up either"


# --- --force ----------------------------------------------------------------------------------


def test_force_takes_a_pack_and_nothing_else_with_it(tmp_path: Path, source: Path) -> None:
    target = tmp_path / "mine"
    assert kgask("pack", "build", source, "-o", target).exit_code == 0
    refused(kgask("pack", "build", source, "-o", target), target, "--force replaces it")
    kept = thesis(target)
    before = tree(tmp_path)
    for force in ([], ["--force"]):
        refused(kgask("pack", "build", source, "-o", target, *force), target, "'thesis'", "move it away")
    assert tree(tmp_path) == before
    kept.unlink()
    assert kgask("pack", "build", source, "-o", target, "--force").exit_code == 0


@pytest.mark.parametrize("content", ["{}", "[]", "", '{"magic": "kgask-pack"}', '{"magic": "x", "files": {}}', "\0"])
def test_a_file_called_pack_json_makes_no_pack(content: str, tmp_path: Path, source: Path) -> None:
    target = tmp_path / "mine"
    target.mkdir()
    (target / "pack.json").write_text(content)
    refused(kgask("pack", "build", source, "-o", target, "--force"), target, "is not a pack")
    assert tree(target) == {"pack.json": content.encode()}


def test_a_manifest_that_lists_a_folder_does_not_give_it_away(tmp_path: Path, source: Path) -> None:
    kept = thesis(tmp_path / "mine" / "photos")
    (tmp_path / "mine" / "pack.json").write_text('{"magic": "kgask-pack", "files": {"photos": {}}}')
    refused(kgask("pack", "build", source, "-o", tmp_path / "mine", "--force"), "'photos'")
    assert kept.exists()


@pytest.mark.parametrize("through_link", [False, True])
def test_a_copy_of_a_pack_is_never_put_over_it_or_into_it(through_link: bool, tmp_path: Path) -> None:
    build(tmp_path / "mine", "b")
    pack = tmp_path / "mine"
    if through_link:
        pack = tmp_path / "link"
        pack.symlink_to("mine")
    before = tree(tmp_path / "mine")
    for command in ("half", "rename"):
        for target in (tmp_path / "mine", tmp_path / "mine" / "copy"):
            refused(kgask("eval", command, pack, "-o", target, "--force"), target, "made from")
    assert tree(tmp_path / "mine") == before


def test_the_sources_of_a_build_are_never_replaced(tmp_path: Path) -> None:
    """A manifest may claim any file, the triples among them."""
    target = tmp_path / "mine"
    target.mkdir()
    (target / "s.tsv").write_text("a\tr\tb\n")
    (target / "pack.json").write_text('{"magic": "kgask-pack", "files": {"s.tsv": {}}}')
    (tmp_path / "link.tsv").symlink_to(target / "s.tsv")
    before = tree(target)
    for source in (target / "s.tsv", tmp_path / "link.tsv"):
        refused(kgask("pack", "build", source, "-o", target, "--force"), target, "made from", source)
    refused(kgask("pack", "build", tmp_path / "link.tsv", "-o", target / "s.tsv", "--force"), "made from")
    assert tree(target) == before


def test_models_remove_leaves_a_folder_that_holds_more(tmp_path: Path, empty_home: Path) -> None:
    kgask("models", "add", write_qwen2(tmp_path / "m.gguf"), "--name", "mine")
    kept = thesis(empty_home / "models" / "mine")
    before = tree(empty_home)
    refused(kgask("models", "remove", "mine", "--yes"), "'thesis'")
    assert tree(empty_home) == before
    kept.unlink()
    assert kgask("models", "remove", "mine", "--yes").exit_code == 0
    assert list((empty_home / "models").iterdir()) == []


# --- files ------------------------------------------------------------------------------------


def question(text: str = "Who is the parent of Ben Hill?") -> str:
    return json.dumps({"question": text, "topics": ["Ben Hill"], "answers": ["Anne Hill"]}) + "\n"


def test_eval_make_replaces_only_with_force(tmp_path: Path) -> None:
    films_path = build_films(tmp_path / "films")
    out = tmp_path / "thesis.jsonl"
    out.write_text("x")
    words = ["eval", "make", films_path, "-o", out, "--number", 2, "--bands", "any=1"]
    refused(kgask(*words), out, "exists; --force replaces it")
    assert out.read_text() == "x"
    assert kgask(*words, "--force").exit_code == 0
    assert len(out.read_text().splitlines()) == 2
    for name in ("--views", "--uninformative"):
        (tmp_path / "read").write_text("key\t1\n")
        refused(kgask(*words[:3], "-o", tmp_path / "read", name, tmp_path / "read", "--force"), "is among what is read")
        assert (tmp_path / "read").read_text() == "key\t1\n"
    refused(kgask(*words[:3], "-o", tmp_path, "--force"), "is a folder")


def test_eval_rename_keeps_its_input_and_what_is_there(tmp_path: Path, family_path: Path) -> None:
    asked, copy = tmp_path / "r.jsonl", tmp_path / "copy"
    asked.write_text(question())
    (tmp_path / "link.jsonl").symlink_to(asked)
    words = ["eval", "rename", family_path, "-o", copy, "--questions", asked, "--questions-out"]
    for out in (asked, tmp_path / "link.jsonl"):
        for force in ([], ["--force"]):
            refused(kgask(*words, out, *force), out, "is among what is read")
    for taken in ("out.jsonl", "out.original.jsonl"):
        (tmp_path / taken).write_text("x")
        refused(kgask(*words, tmp_path / "out.jsonl"), taken, "--force replaces it")
        assert (tmp_path / taken).read_text() == "x"
        (tmp_path / taken).unlink()
    assert asked.read_text() == question() and not copy.exists()
    (tmp_path / "out.jsonl").write_text("x")
    assert kgask(*words, tmp_path / "out.jsonl", "--force").exit_code == 0
    assert (tmp_path / "out.jsonl").read_text() != "x" and asked.read_text() == question()


def test_the_originals_of_eval_rename_are_never_its_input(tmp_path: Path, family_path: Path) -> None:
    asked = tmp_path / "r.original.jsonl"
    asked.write_text(question())
    words = ["eval", "rename", family_path, "-o", tmp_path / "copy", "--questions", asked]
    refused(kgask(*words, "--questions-out", tmp_path / "r.jsonl", "--force"), asked, "is among what is read")
    assert asked.read_text() == question()


def test_eval_report_replaces_only_with_force(tmp_path: Path, family_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text(question())
    asked = ["eval", "run", "jsonl", tmp_path / "q.jsonl", "--pack", family_path, "--no-reader", "-o", tmp_path / "run"]
    assert kgask(*asked).exit_code == 0
    words = ["eval", "report", tmp_path / "run", "-o", tmp_path / "pages"]
    for taken in ("report.md", "report.html"):
        (tmp_path / "pages").mkdir(exist_ok=True)
        (tmp_path / "pages" / taken).write_text("x")
        refused(kgask(*words), taken, "--force replaces it")
        assert tree(tmp_path / "pages") == {taken: b"x"}
        (tmp_path / "pages" / taken).unlink()
    assert kgask(*words).exit_code == 0
    assert kgask(*words, "--force").exit_code == 0


def test_eval_run_goes_on_and_leaves_strangers_alone(tmp_path: Path, family_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text(question() + question("Who is the spouse of Dan Reed?"))
    out = tmp_path / "run"
    words = ["eval", "run", "jsonl", tmp_path / "q.jsonl", "--pack", family_path, "--no-reader", "-o", out]
    out.mkdir()
    (out / "run.json.tmp").write_text("x")
    refused(kgask(*words), "'run.json.tmp'", "not a run")
    assert tree(out) == {"run.json.tmp": b"x"}
    (out / "run.json.tmp").unlink()
    temporary_name(out / "run.json").write_text("{")  # of a run that was killed while it wrote its settings
    assert kgask(*words).exit_code == 0
    before = (out / "predictions.jsonl").read_bytes()
    (out / "predictions.jsonl").write_bytes(before[: len(before) // 2])
    assert kgask(*words).exit_code == 0
    assert (out / "predictions.jsonl").read_bytes() == before


def test_eval_few_replaces_only_with_force(tmp_path: Path) -> None:
    asked, out = tmp_path / "few.txt", tmp_path / "out"
    asked.write_text("who directed [Dark]?\tAnn\n")
    (tmp_path / "few_qtype.txt").write_text("a\n")
    out.mkdir()
    (out / "rest-1.txt").write_text("x")
    refused(kgask("eval", "few", asked, "-o", out), "rest-1.txt", "--force replaces it")
    refused(kgask("eval", "few", asked, "-o", tmp_path, "--force"), "few.txt", "is among what is read")
    assert tree(out) == {"rest-1.txt": b"x"} and asked.read_text() == "who directed [Dark]?\tAnn\n"
    assert kgask("eval", "few", asked, "-o", out, "--force").exit_code == 0
    assert sorted(tree(out)) == ["few.txt", "rest-1.txt"]


def test_a_file_that_comes_while_another_is_written_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for one_step in (True, False):
        if not one_step:
            monkeypatch.setattr(files, "_renamed", lambda *_: False)
        path = tmp_path / f"out {one_step}"
        with pytest.raises(FileExistsError), files.whole_file(path, replace=False) as file:
            file.write(b"new")
            path.write_text("x")
        assert path.read_text() == "x"
    assert len(list(tmp_path.iterdir())) == 2


def test_what_is_no_file_needs_no_force(tmp_path: Path) -> None:
    files.check_output(Path("/dev/null"), force=False)
    (tmp_path / "dangling").symlink_to("nothing")
    with pytest.raises(UsageError, match="exists"):
        files.check_output(tmp_path / "dangling", force=False)


# --- training ---------------------------------------------------------------------------------


@pytest.fixture
def own_model(tmp_path: Path) -> Path:
    """A model folder of kgask's, with a file of the user's beside the model's own."""
    card = {"magic": "kgask-model", "kind": "encoder", "files": {"encoder.onnx": {}}}
    model = tmp_path / "model"
    thesis(model)
    (model / "encoder.onnx").write_text("x")
    write_card(model, card)
    return model


@pytest.mark.parametrize(
    "words",
    [
        ["train", "encoder", "-o"],
        ["train", "adapt", "demo", "-o"],
        ["train", "domain", "demo", "--questions", "QUESTIONS", "-o"],
        ["train", "amr", "--data", "QUESTIONS", "--questions", "QUESTIONS", "--pack", "demo", "-o"],
        ["train", "rigel", "--data", ".", "--out"],
    ],
    ids=lambda words: words[1],
)
def test_training_replaces_only_a_model_and_only_with_force(words: list[str], tmp_path: Path, own_model: Path) -> None:
    """It is said before minutes are spent."""
    pytest.importorskip("torch")
    (tmp_path / "questions.tsv").write_text("who wrote [Lady Susan]?\tJane Austen\n")
    words = [str(tmp_path / "questions.tsv") if word == "QUESTIONS" else word for word in words]
    foreign = thesis(tmp_path / "foreign").parent
    before = tree(tmp_path)
    refused(kgask(*words, foreign, "--force"), foreign, "is not a model")
    refused(kgask(*words, own_model, "--force"), own_model, "'thesis'")
    assert tree(tmp_path) == before
    (own_model / "thesis").unlink()
    refused(kgask(*words, own_model), own_model, "--force replaces it")


def test_a_run_takes_no_folder_with_files_that_it_would_write_over(tmp_path: Path) -> None:
    running = pytest.importorskip("kgask.train.trainer")
    (tmp_path / "best.pt").write_text("x")
    with pytest.raises(UsageError, match=r"'best.pt', which no run of kgask wrote"):
        running.claim_work(tmp_path)
    assert tree(tmp_path) == {"best.pt": b"x"}
    running.claim_work(tmp_path / "new")
    (tmp_path / "new" / "best.pt").write_text("kgask's")
    running.claim_work(tmp_path / "new")  # the same run goes on


def test_what_a_run_kept_is_removed_and_nothing_else(tmp_path: Path) -> None:
    running = pytest.importorskip("kgask.train.trainer")
    running.claim_work(tmp_path / "work")
    running.save_whole({"step": 1}, tmp_path / "work" / "checkpoint.pt")
    kept = thesis(tmp_path / "work")
    running.remove_work(tmp_path / "work")
    assert tree(tmp_path) == {"work": None, "work/thesis": b"x"}
    kept.unlink()
    running.remove_work(tmp_path / "work")
    assert tree(tmp_path) == {}


def test_checkpoints_leave_a_file_called_tmp_alone(tmp_path: Path) -> None:
    running = pytest.importorskip("kgask.train.trainer")
    (tmp_path / "checkpoint.tmp").write_text("x")
    running.save_whole({"step": 1}, tmp_path / "checkpoint.pt")
    assert (tmp_path / "checkpoint.tmp").read_text() == "x"


def test_runs_for_two_targets_of_one_name_share_no_checkpoints(tmp_path: Path) -> None:
    from kgask.cli.training import work_of

    assert work_of(tmp_path / "a" / "mine") != work_of(tmp_path / "b" / "mine")
    assert work_of(tmp_path / "a" / "mine") == work_of(Path(os.path.relpath(tmp_path / "a" / "mine")))
