"""Signed packs: keys and signatures of kgask, and of the real minisign where it is installed."""

from __future__ import annotations

import base64
import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from films import build_films
from forked_cli import kgask

from kgask.errors import SignatureError, UsageError
from kgask.machine.minisign import make_keys, new_hash, read_public, read_secret, signature_text, verify

MINISIGN = shutil.which("minisign")
needs_minisign = pytest.mark.skipif(MINISIGN is None, reason="minisign is not installed (apt-get install minisign)")


def _no_passphrase() -> str:
    raise AssertionError("a plain key needs none")


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with films.kgpack, its signature, and the keys k and k.pub."""
    folder = tmp_path_factory.mktemp("signed")
    films = build_films(folder / "films")
    assert kgask("pack", "keygen", str(folder / "k"), "--no-passphrase").returncode == 0
    done = kgask("pack", "export", str(films), str(folder / "films.kgpack"), "--sign", str(folder / "k"))
    assert done.returncode == 0, done.stderr
    return folder


def _import(signed: Path, target: Path, key: str, *more: str) -> tuple[int, str]:
    done = kgask("pack", "import", str(signed / "films.kgpack"), "-o", str(target), "--verify", key, *more)
    assert done.returncode == 0 or done.stderr.count("\n") == 1
    return done.returncode, done.stderr


def test_a_signature_that_holds(signed: Path, tmp_path: Path) -> None:
    code, said = _import(signed, tmp_path / "one", str(signed / "k.pub"))
    assert code == 0 and "the signature holds: kgask pack films, content " in said
    line = (signed / "k.pub").read_text().splitlines()[1]
    assert _import(signed, tmp_path / "two", line)[0] == 0
    assert stat.S_IMODE((signed / "k").stat().st_mode) == 0o600
    unchecked = kgask("pack", "import", str(signed / "films.kgpack"), "-o", str(tmp_path / "three"))
    assert unchecked.returncode == 0 and "was not looked at; --verify KEY" in unchecked.stderr


def test_the_same_pack_and_key_give_the_same_signature(signed: Path, tmp_path: Path) -> None:
    again = tmp_path / "films.kgpack"
    assert kgask("pack", "export", str(signed / "films"), str(again), "--sign", str(signed / "k")).returncode == 0
    assert (tmp_path / "films.kgpack.minisig").read_bytes() == (signed / "films.kgpack.minisig").read_bytes()
    refused = kgask("pack", "export", str(signed / "films"), str(again), "--sign", str(signed / "k"))
    assert refused.returncode == 2 and "--force" in refused.stderr


@pytest.mark.parametrize("line", [1, 2, 3])
def test_a_changed_signature_is_refused(signed: Path, tmp_path: Path, line: int) -> None:
    lines = (signed / "films.kgpack.minisig").read_text().split("\n")
    middle = len(lines[line]) // 2
    lines[line] = lines[line][:middle] + ("A" if lines[line][middle] != "A" else "B") + lines[line][middle + 1 :]
    (tmp_path / "other.minisig").write_text("\n".join(lines))
    key = str(signed / "k.pub")
    code, said = _import(signed, tmp_path / "pack", key, "--signature", str(tmp_path / "other.minisig"))
    assert code == 8 and "does not hold, so nothing was read" in said
    assert [path.name for path in tmp_path.iterdir()] == ["other.minisig"]


def test_what_is_not_signed_is_not_parsed(signed: Path, tmp_path: Path) -> None:
    """The signature is told to be wrong also where the pack would be broken anyway."""
    shutil.copy(signed / "films.kgpack.minisig", tmp_path / "films.kgpack.minisig")
    (tmp_path / "films.kgpack").write_bytes(b"no pack at all")
    code, said = _import(tmp_path, tmp_path / "pack", str(signed / "k.pub"))
    assert code == 8 and "does not hold" in said


def test_other_keys_and_missing_signatures(signed: Path, tmp_path: Path) -> None:
    other = make_keys(tmp_path / "other", tmp_path / "other.pub", "")
    code, said = _import(signed, tmp_path / "pack", other.text)
    assert code == 8 and f"not with {other.name}" in said
    code, said = _import(signed, tmp_path / "pack", other.text, "--signature", str(tmp_path / "none"))
    assert code == 8 and "No such file" in said
    for wrong in ("RWfew", str(signed / "films.kgpack"), str(signed / "k"), "nothing"):
        assert _import(signed, tmp_path / "pack", wrong)[0] == 8
    code, said = _import(signed, tmp_path / "pack", other.text, "--signature", str(signed / "k"))
    assert code == 8
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "other.pub"]


@pytest.mark.slow
def test_a_key_behind_a_passphrase(signed: Path, tmp_path: Path) -> None:
    secret, target = str(tmp_path / "s"), str(tmp_path / "films.kgpack")
    refused = kgask("pack", "keygen", secret)
    assert refused.returncode == 2 and "KGASK_PASSPHRASE" in refused.stderr
    made = kgask("pack", "keygen", secret, KGASK_PASSPHRASE="open sesame")
    assert made.returncode == 0 and made.stdout.startswith("RW")
    assert kgask("pack", "keygen", secret, KGASK_PASSPHRASE="x").returncode == 2  # never replaced
    export = ["pack", "export", str(signed / "films"), target, "--sign", secret]
    assert kgask(*export).returncode == 2
    wrong = kgask(*export, KGASK_PASSPHRASE="open barley")
    assert wrong.returncode == 8 and "the passphrase is wrong" in wrong.stderr
    assert not os.path.exists(target)
    assert kgask(*export, KGASK_PASSPHRASE="open sesame").returncode == 0
    assert _import(tmp_path, tmp_path / "pack", made.stdout.strip())[0] == 0


def test_broken_secret_keys(signed: Path, tmp_path: Path) -> None:
    comment, line, end = (signed / "k").read_text().split("\n")
    data = base64.b64decode(line)
    greedy = (
        data[:2] + b"Sc" + data[4:38] + (1 << 40).to_bytes(8, "little") + (1 << 45).to_bytes(8, "little") + data[54:]
    )
    for changed, why in (
        (data[:70] + b"\0\0" + data[72:], "damaged"),
        (data[:50], "no secret key"),
        (greedy, "more memory"),
    ):
        (tmp_path / "k").write_text("\n".join((comment, base64.b64encode(changed).decode(), end)))
        with pytest.raises(SignatureError, match=why):
            read_secret(tmp_path / "k", lambda: "x")


def test_keys_are_never_replaced(tmp_path: Path) -> None:
    make_keys(tmp_path / "k", tmp_path / "k.pub", "")
    (tmp_path / "k").unlink()
    with pytest.raises(UsageError, match="never replaced"):
        make_keys(tmp_path / "k", tmp_path / "k.pub", "")


def test_a_comment_is_one_line(tmp_path: Path) -> None:
    key = make_keys(tmp_path / "k", tmp_path / "k.pub", "")
    (tmp_path / "file").write_bytes(b"content")
    digest = new_hash()
    digest.update(b"content")
    text = signature_text(read_secret(tmp_path / "k", _no_passphrase), digest.digest(), "a\nb\x1b[2J" + "c" * 5000)
    assert text.count("\n") == 4 and "\x1b" not in text
    (tmp_path / "sig").write_text(text)
    with (tmp_path / "file").open("rb") as file:
        assert verify(key, tmp_path / "sig", file) == (
            text.split("\n")[2].removeprefix("trusted comment: "),
            digest.digest(),
        )


# --- with the program ------------------------------------------------------------------------------


def _minisign(*words: str | Path, typed: str = "") -> None:
    assert MINISIGN is not None
    subprocess.run([MINISIGN, *map(str, words)], input=typed, text=True, check=True, capture_output=True, timeout=60)


@needs_minisign
def test_minisign_verifies_what_kgask_signs(signed: Path) -> None:
    _minisign("-V", "-p", signed / "k.pub", "-m", signed / "films.kgpack")
    with pytest.raises(subprocess.CalledProcessError):
        _minisign("-V", "-p", signed / "k.pub", "-m", signed / "k", "-x", signed / "films.kgpack.minisig")


@needs_minisign
@pytest.mark.parametrize("kind", ["-H", "-l"])
def test_kgask_verifies_what_minisign_signs(signed: Path, tmp_path: Path, kind: str) -> None:
    """Prehashed and legacy signatures, with a plain key of minisign's own."""
    _minisign("-G", "-W", "-p", tmp_path / "m.pub", "-s", tmp_path / "m.key")
    _minisign(
        "-S", kind, "-s", tmp_path / "m.key", "-m", signed / "films.kgpack", "-x", tmp_path / "sig", "-t", "hi ho"
    )
    assert (base64.b64decode((tmp_path / "sig").read_text().split("\n")[1])[:2] == b"Ed") == (kind == "-l")
    code, said = _import(signed, tmp_path / "pack", str(tmp_path / "m.pub"), "--signature", str(tmp_path / "sig"))
    assert code == 0 and "the signature holds: hi ho" in said
    read = read_secret(tmp_path / "m.key", _no_passphrase)
    assert read.public == read_public(str(tmp_path / "m.pub"))


@pytest.mark.slow
@needs_minisign
def test_each_opens_the_other_s_secret_key(signed: Path, tmp_path: Path) -> None:
    """minisign's takes a GiB and some seconds."""
    _minisign("-G", "-p", tmp_path / "m.pub", "-s", tmp_path / "m.key", typed="open sesame\nopen sesame\n")
    assert read_secret(tmp_path / "m.key", lambda: "open sesame").public == read_public(str(tmp_path / "m.pub"))
    with pytest.raises(SignatureError, match="passphrase is wrong"):
        read_secret(tmp_path / "m.key", lambda: "x")
    make_keys(tmp_path / "k", tmp_path / "k.pub", "open sesame")
    _minisign("-S", "-s", tmp_path / "k", "-m", signed / "films.kgpack", "-x", tmp_path / "sig", typed="open sesame\n")
    assert _import(signed, tmp_path / "pack", str(tmp_path / "k.pub"), "--signature", str(tmp_path / "sig"))[0] == 0
