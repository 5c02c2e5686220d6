"""``kgask models add, remove, default``: a user's own GGUF files."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import forked_cli
import pytest
from click.testing import CliRunner, Result
from network import QUESTION
from tiny_gguf import write_qwen2, write_t5

from kgask import config
from kgask.cli.main import cli
from kgask.config import shipped_root
from kgask.errors import ConfigError, ModelError, UsageError
from kgask.read.files import probe
from kgask.read.files.card import read_added
from kgask.read.load import load_reader


def kgask(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, ["models", *arguments], input=stdin)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_qwen2(tmp_path / "My tiny model (v1).gguf", metadata={"general.license": "apache-2.0"})


@pytest.fixture
def added(model: Path, empty_home: Path) -> Path:
    assert kgask("add", str(model), "--name", "tiny").exit_code == 0
    return empty_home / "models" / "tiny"


# --- add --------------------------------------------------------------------------------------


def test_add_copies_and_says_what_it_is(model: Path, empty_home: Path) -> None:
    result = kgask("add", str(model), "--json")
    assert result.exit_code == 0, result.exception
    facts = json.loads(result.stdout)
    assert facts["name"] == "My-tiny-model-v1" and facts["role"] == "reader"
    assert facts["architecture"] == "qwen2" and facts["n_ctx_train"] == 4096 and facts["n_vocab"] == 262
    assert (
        facts["bytes"] == model.stat().st_size and facts["quantisation"] == "F32" and facts["licence"] == "apache-2.0"
    )
    assert "im_start" in facts["chat_template"] and facts["chat_format"].startswith("the file's own chat template")
    copy = Path(facts["path"]) / model.name
    assert copy.read_bytes() == model.read_bytes() and not copy.is_symlink()
    assert [path.name for path in (empty_home / "models").iterdir()] == ["My-tiny-model-v1"]


@pytest.mark.slow
def test_what_was_added_is_listed_shown_checked_and_answers(added: Path) -> None:
    (entry,) = [entry for entry in json.loads(kgask("list", "--json").stdout) if entry["name"] == "tiny"]
    assert entry["role"] == "reader" and entry["origin"] == "user" and not entry["default"]
    shown = json.loads(kgask("show", "tiny", "--json").stdout)
    assert shown["architecture"] == "qwen2" and shown["linked"] is False
    assert kgask("check", "tiny").stdout == "tiny\tok\n"
    done = forked_cli.kgask("ask", "-r", "tiny", "--verbose", QUESTION)
    assert done.returncode in (0, 3), done.stderr
    assert "reader tiny: the file's own chat template" in done.stderr and "threads" in done.stderr


def test_a_model_without_a_template_says_what_is_used(tmp_path: Path) -> None:
    facts = json.loads(kgask("add", str(write_t5(tmp_path / "t5.gguf")), "--json").stdout)
    assert facts["chat_template"] is None and "no chat template: a plain" in facts["chat_format"]
    assert kgask("show", "t5").stdout.count("no chat template") == 1


def test_what_was_added_is_tried_once_until_it_changes(added: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []
    monkeypatch.setattr(probe.Trial, "run", lambda trial: tried.append(trial))
    probe.usable(added, 1, 0), probe.usable(added, 1, 0)
    assert len(tried) == 1
    file = read_added(added).file
    os.utime(file, ns=(0, 10**18))  # copied to another machine, say: the same content, tried once more
    probe.usable(added, 1, 0)
    assert len(tried) == 2
    changed = bytearray(file.read_bytes())
    changed[-5] ^= 1
    file.write_bytes(changed)
    with pytest.raises(ModelError, match="has changed since it was added; kgask models remove tiny"):
        load_reader(added)
    result = kgask("check", "tiny", "--json")
    assert result.exit_code == 1 and not json.loads(result.stdout)[0]["ok"]


def test_a_link_keeps_the_file_where_it_is(model: Path, empty_home: Path) -> None:
    assert kgask("add", str(model), "--name", "tiny", "--link").exit_code == 0
    link = empty_home / "models" / "tiny" / model.name
    assert link.is_symlink() and link.resolve() == model
    assert load_reader(link.parent).hash
    model.unlink()
    with pytest.raises(ModelError, match="missing; kgask models remove tiny"):
        load_reader(link.parent)
    assert kgask("remove", "tiny", "--yes").exit_code == 0


def test_removing_a_link_leaves_the_file(model: Path, empty_home: Path) -> None:
    kgask("add", str(model), "--name", "tiny", "--link")
    assert kgask("remove", "tiny", "--yes").exit_code == 0
    assert model.is_file() and not list((empty_home / "models").iterdir())


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "-x", "x.tmp", "a b", "x" * 65, "na\nme"])
def test_names_that_are_no_plain_names(name: str, model: Path, empty_home: Path) -> None:
    result = kgask("add", str(model), f"--name={name}")
    if name == "":  # as if none was given
        assert result.exit_code == 0
        return
    assert isinstance(result.exception, UsageError)
    assert not (empty_home / "models").exists()


@pytest.mark.parametrize("name", ["reader", "rigel", "tiny"])
def test_a_taken_name(name: str, added: Path, model: Path) -> None:
    result = kgask("add", str(model), "--name", name)
    assert isinstance(result.exception, ModelError) and "is there already" in str(result.exception)


def test_a_folder_in_the_way(model: Path, empty_home: Path) -> None:
    (empty_home / "models" / "tiny").mkdir(parents=True)
    result = kgask("add", str(model), "--name", "tiny")
    assert isinstance(result.exception, ModelError) and "in the way" in str(result.exception)


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_an_interrupted_copy_leaves_nothing(
    error: BaseException, model: Path, empty_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from contextlib import contextmanager

    from kgask.cli import models_change

    @contextmanager
    def failing(_title: str, _total: int):
        def advance(_step: int) -> None:
            raise error

        yield advance

    monkeypatch.setattr(models_change, "progress", failing)
    assert kgask("add", str(model), "--name", "tiny").exit_code != 0
    assert not list((empty_home / "models").iterdir())


def test_ctrl_c_while_the_file_is_tried_leaves_nothing(model: Path, empty_home: Path) -> None:
    """The child that tries the file gets the same signal; neither leaves a word or a file."""
    script = "import kgask.machine.child as c, os, signal\n"
    script += "c._START = 'import os, signal, time; os.kill(os.getppid(), signal.SIGINT); time.sleep(60)'\n"
    script += "import sys; from kgask.cli.main import main; sys.argv[0] = 'kgask'; main()"
    done = subprocess.run(
        [sys.executable, "-c", script, "models", "add", str(model)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 130 and done.stderr == "kgask: interrupted\n"
    assert not (empty_home / "models").exists()


@pytest.mark.slow
def test_two_at_once(model: Path, empty_home: Path) -> None:
    command = [sys.executable, "-m", "kgask", "models", "add", str(model), "--name", "tiny"]
    running = [
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for _ in range(3)
    ]
    ended = [(process.communicate(timeout=120)[1], process.returncode) for process in running]
    assert sorted(code for _, code in ended) == [0, 1, 1]
    assert all("Traceback" not in said for said, _ in ended)
    assert [path.name for path in (empty_home / "models").iterdir()] == ["tiny"]
    assert kgask("check", "tiny").exit_code == 0


# --- remove and default -----------------------------------------------------------------------


def test_remove_wants_a_yes(added: Path) -> None:
    result = kgask("remove", "tiny")
    assert isinstance(result.exception, UsageError) and "--yes" in str(result.exception)
    assert added.is_dir()
    assert kgask("remove", "tiny", "--yes").exit_code == 0
    assert not added.exists() and not list(added.parent.iterdir())


def test_remove_refuses_what_ships_and_what_is_not_there(added: Path) -> None:
    for name, said in (
        ("rigel", "ships with kgask"),
        ("nowhere", "no model named"),
        ("../models/tiny", "no model named"),
    ):
        result = kgask("remove", name, "--yes")
        assert isinstance(result.exception, ModelError) and said in str(result.exception)
    assert added.is_dir() and (shipped_root("model") / "rigel" / "model.json").is_file()


def test_default_is_written_read_and_unset(added: Path, empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = empty_home / "config.toml"
    file.write_text("# mine\nhops = 2\nreader = 'x'  # old\n")
    result = kgask("default", "tiny", "--json")
    assert json.loads(result.stdout) == {
        "planner": {"name": "rigel", "from": "shipped"},
        "judge": {"name": "judge", "from": "shipped"},
        "reader": {"name": "tiny", "from": "config.toml"},
        "encoder": {"name": "encoder", "from": "shipped"},
    }
    assert config.load_settings({}) == {"hops": 2, "reader": "tiny"}
    assert file.read_text().startswith("# mine\nhops = 2\n")
    assert [entry["name"] for entry in json.loads(kgask("list", "--json").stdout) if entry["default"]] == [
        "encoder",
        "judge",
        "rigel",
        "tiny",
    ]
    monkeypatch.setenv("KGASK_READER", "reader")
    assert "KGASK_READER still names 'reader'" in kgask("default", "tiny").stderr
    monkeypatch.delenv("KGASK_READER")
    assert "it was the default reader" in kgask("remove", "tiny", "--yes").stderr
    assert kgask("default", "--unset", "reader").exit_code == 0
    assert config.load_settings({}) == {"hops": 2}


def test_a_planner_and_a_path_can_be_the_default(empty_home: Path, model: Path) -> None:
    shutil.copytree(shipped_root("model") / "rigel", empty_home / "models" / "mine")
    assert kgask("default", "mine").exit_code == 0
    assert kgask("default", str(model)).exit_code == 0
    assert config.load_settings({}) == {"model": "mine", "reader": str(model)}


def test_what_cannot_be_used_does_not_become_the_default(tmp_path: Path, empty_home: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF")
    for name in (str(broken), "nowhere"):
        assert isinstance(kgask("default", name).exception, ModelError)
    assert not (empty_home / "config.toml").exists()


def test_a_broken_config_is_left_alone(added: Path, empty_home: Path) -> None:
    file = empty_home / "config.toml"
    for text in ("reader = [", 'pack = """\nreader = 3\n"""\nreader = "x"\n'):
        file.write_text(text)
        assert isinstance(kgask("default", "tiny").exception, ConfigError)
        assert file.read_text() == text


# --- settings ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("value", "layers"), [("auto", "auto"), ("0", 0), ("12", 12), (7, 7)])
def test_gpu_layers(value: object, layers: object) -> None:
    assert config.gpu_layers(value) == layers


@pytest.mark.parametrize("value", ["-1", "all", "", -1, 1.5, True, None, "99999999"])
def test_gpu_layers_that_are_none(value: object) -> None:
    with pytest.raises(ConfigError, match="auto or a number"):
        config.gpu_layers(value)


def test_layers_go_to_a_gpu_only_where_there_is_one(model: Path) -> None:
    from kgask.read.gguf.engine import ALL_LAYERS, Engine, layers_on_gpu

    assert [layers_on_gpu("auto", has) for has in (True, False)] == [ALL_LAYERS, 0]
    assert [layers_on_gpu(3, has) for has in (True, False)] == [3, 0]
    engine = Engine(model, 1, gpu_layers=3)
    has_gpu = bool(engine._llama.llama_supports_gpu_offload())
    assert engine.gpu_layers == (3 if has_gpu else 0) and ("no GPU" in engine.note) is not has_gpu
    assert engine.logits_after([1, 2, 3]).shape == (262,)


def test_the_signal_names_are_what_people_know() -> None:
    from kgask.machine.child import _death

    crash, killed = _death(signal.SIGSEGV), _death(signal.SIGKILL)
    assert str(crash) == "crashes (SIGSEGV)" and crash.fault
    assert "memory" in str(killed) and not killed.fault
