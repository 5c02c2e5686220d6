"""Where packs, models and settings are found, and in which order."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import platformdirs
import pytest
from forked_cli import run_all

from kgask import config
from kgask.errors import ConfigError, ModelError, PackError
from kgask.machine import homes


def put(root: Path, kind: str, name: str) -> Path:
    """An empty folder that looks like a pack or a model to the finder."""
    folder = root / {"pack": "kg_packs", "model": "models"}[kind] / name
    folder.mkdir(parents=True)
    (folder / {"pack": "pack.json", "model": "model.json"}[kind]).write_text("{}")
    return folder


def test_the_shipped_pack_and_models_are_found() -> None:
    assert [found.name for found in config.list_found("pack")] == ["demo"]
    assert [found.name for found in config.list_found("model")] == ["encoder", "judge", "reader", "rigel"]
    assert {found.origin for kind in ("pack", "model") for found in config.list_found(kind)} == {"shipped"}


@pytest.mark.parametrize(("kind", "name"), [("pack", "demo"), ("model", "rigel")])
def test_shipped_comes_before_the_users(kind: config.Kind, name: str, empty_home: Path) -> None:
    mine = put(empty_home, kind, name)
    assert config.find(kind, name).origin == "shipped"
    assert config.Found(name, mine, "user") in config.list_found(kind)


def test_the_users_comes_before_a_path(empty_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = put(empty_home, "pack", "mine")
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path)
    assert config.find("pack", "mine") == config.Found("mine", mine, "user")
    assert config.find("pack", "./mine").origin == "path"


def test_a_folder_without_manifest_is_no_pack(empty_home: Path) -> None:
    (empty_home / "kg_packs" / "half.tmp").mkdir(parents=True)
    assert [found.name for found in config.list_found("pack")] == ["demo"]


def test_what_is_not_there_says_what_to_type() -> None:
    with pytest.raises(PackError, match="kgask pack list"):
        config.find("pack", "nowhere")
    with pytest.raises(ModelError, match="kgask models list"):
        config.find("model", "nowhere")


def test_a_path_may_begin_with_a_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "films").mkdir()
    assert config.find("pack", "~/films").path == tmp_path / "films"


def test_kgask_home_overrides_the_platforms_place(empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert homes.data_home() == empty_home
    monkeypatch.setenv("KGASK_CACHE", str(empty_home / "elsewhere"))
    assert homes.cache_home() == empty_home / "elsewhere"
    monkeypatch.delenv("KGASK_CACHE")
    assert homes.cache_home() == empty_home / "cache"
    monkeypatch.delenv("KGASK_HOME")
    assert homes.data_home() == Path(platformdirs.user_data_dir("kgask", appauthor=False))


@pytest.mark.skipif(sys.platform != "linux", reason="XDG folders are Linux's")
def test_without_kgask_home_the_data_folder_follows_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KGASK_HOME")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert homes.data_home() == tmp_path / ".local" / "share" / "kgask"


def test_an_installed_package_has_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a wheel the packs lie inside kgask, in a checkout beside it; inside comes first."""
    package = tmp_path / "kgask"
    (package / "kg_packs").mkdir(parents=True)
    (tmp_path / "models").mkdir()
    monkeypatch.setattr(config, "__file__", str(package / "config.py"))
    assert config.shipped_root("pack") == package / "kg_packs"
    assert config.shipped_root("model") == tmp_path / "models"


def test_settings_come_from_the_file_and_the_environment_wins(empty_home: Path) -> None:
    (empty_home / "config.toml").write_text('pack = "films"\nreader = "mine"\ntop_k = 5\n')
    assert config.load_settings({}) == {"pack": "films", "reader": "mine", "top_k": 5}
    environ = {"KGASK_PACK": "/packs/other", "KGASK_MODEL": "m", "KGASK_READER": ""}
    assert config.load_settings(environ) == {"pack": "/packs/other", "reader": "mine", "top_k": 5, "model": "m"}


def test_no_settings_at_all(empty_home: Path) -> None:
    assert config.load_settings({}) == {}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"pack = ", "config.toml"),
        (b'colour = "red"', "unknown setting 'colour'"),
        (b'pack = "\xff"', "cannot be read"),
        (b"gpu_layers = " + b"9" * 5000, "config.toml"),
        (b"gpu_layers = " + b"[" * 100_000, "config.toml"),
    ],
)
def test_a_broken_config_file_is_named(empty_home: Path, content: bytes, message: str) -> None:
    (empty_home / "config.toml").write_bytes(content)
    with pytest.raises(ConfigError, match=message):
        config.load_settings({})


@pytest.mark.parametrize("kind", ["pipe", "device", "loop"])
def test_a_card_manifest_or_setting_that_is_no_file_is_one_line(kind: str, tmp_path: Path, empty_home: Path) -> None:
    def put(path: Path) -> None:
        if kind == "pipe":
            os.mkfifo(path)
        else:
            path.symlink_to("/dev/zero" if kind == "device" else path)

    for name in ("pack.json", "model.json"):
        put(tmp_path / name)
    commands = [["ask", "-p", str(tmp_path), "x"], ["pack", "info", str(tmp_path)], ["models", "show", str(tmp_path)],
                ["ask", "--model", str(tmp_path), "x"]]  # fmt: skip
    ended = run_all(commands, tmp_path)
    put(empty_home / "config.toml")
    ended += run_all([["ask", "x"]], tmp_path)
    why = "Too many levels of symbolic links" if kind == "loop" else "a pipe or a device, not a file"
    unclear = [end for end in ended if end.code not in (1, 2) or why not in end.stderr or end.stderr.count("\n") != 1]
    assert unclear == []
