"""``kgask pack import`` and ``keygen``: packs that came as one file, and keys that say from whom."""

from __future__ import annotations

from pathlib import Path

import click

from kgask.cli.options import Command
from kgask.cli.pack_build import named_folder
from kgask.cli.pack_export import passphrase
from kgask.errors import PackError, UsageError
from kgask.machine.files import open_regular

IMPORT_EPILOG = """\b
Examples:
  kgask pack import mine.kgpack
  kgask pack import mine.kgpack -n theirs --verify their.pub
  kgask pack import mine.kgpack -o DIR --verify RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3
"""


@click.command("import", cls=Command, epilog=IMPORT_EPILOG)
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("-n", "--name", metavar="NAME", help="What to call the pack; by default as FILE is called.")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="DIR", help="Unpack to this folder instead.")
@click.option("--verify", metavar="KEY", help="Take it only if signed with this public key (a file, or its line).")
@click.option("--signature", type=click.Path(path_type=Path), metavar="FILE", help="By default FILE.minisig.")
@click.option("--force", is_flag=True, help="Replace a pack that is there.")
def import_pack(
    file: Path, name: str | None, output: Path | None, verify: str | None, signature: Path | None, force: bool
) -> None:
    """Unpack a pack that 'kgask pack export' wrote.

    Every checksum is compared while it is read; the pack appears whole or not
    at all. With --verify nothing of it is looked at before its signature, as
    minisign or --sign makes it, was found to hold (exit 8 if it does not).
    """
    from kgask.build.archive import SUFFIX, unpack
    from kgask.build.folder import check_target
    from kgask.cli.render import note, progress
    from kgask.machine import minisign

    if name and output:
        raise UsageError("-n and -o exclude each other")
    if signature is not None and verify is None:
        raise UsageError("--signature needs --verify KEY, for a signature says nothing without a key")
    target = output or named_folder(name or file.name.removesuffix(SUFFIX))
    beside = signature or file.with_name(file.name + minisign.SIGNATURE_SUFFIX)
    check_target(target, force, sources=[file])
    try:
        with open_regular(file) as stream:
            digest = None
            if verify is not None:
                comment, digest = minisign.verify(minisign.read_public(verify), beside, stream)
                note(f"the signature holds: {comment}")
            elif beside.exists():
                note(f"{beside} was not looked at; --verify KEY checks it")
            with progress("Unpacking", None) as on_bytes:
                manifest = unpack(str(file), stream, target, force, digest, on_bytes)
    except OSError as error:
        raise PackError(f"{error.filename or file}: {error.strerror or error}") from error
    counts = manifest["counts"]
    note(f"{target}: {counts['triples']:,} triples, {counts['entities']:,} entities")


@click.command("keygen")
@click.argument("secret", metavar="KEY", type=click.Path(path_type=Path))
@click.option("--no-passphrase", is_flag=True, help="Write the secret key as it is.")
def keygen(secret: Path, no_passphrase: bool) -> None:
    """Make a pair of keys to sign packs with: KEY, and KEY.pub for those who verify.

    KEY is hidden behind a passphrase (KGASK_PASSPHRASE, or what is typed); it
    is of minisign's format. The public key is printed too.
    """
    from kgask.cli.render import note
    from kgask.machine.minisign import make_keys

    public = secret.with_name(secret.name + ".pub")
    given = "" if no_passphrase else passphrase(f"Passphrase for {secret}", again=True)
    if not given and not no_passphrase:
        raise UsageError("the passphrase is empty; --no-passphrase writes a key without one")
    try:
        key = make_keys(secret, public, given)
    except OSError as error:
        raise UsageError(f"{error.filename or secret}: {error.strerror}") from error
    click.echo(key.text)
    note(f"{secret} signs ('kgask pack export --sign'), {public} verifies")


COMMANDS = (import_pack, keygen)
