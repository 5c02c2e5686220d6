"""The configuration files of shipped planners: INI files with everything that decides their weights."""

from __future__ import annotations

import configparser
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from kgask.errors import UsageError

SHARES = {
    "simple": 0.04,
    "simple_found": 0.10,
    "simple_unmasked": 0.02,
    "kgconv": 0.12,
    "own": 0.12,
    "entityquestions": 0.01,
    "wikiweb": 0.03,
    "mintaka": 0.02,
    "off_topic": 0.02,
    "composed2": 0.23,
    "composed3": 0.17,
    "constrained": 0.05,
    "operators": 0.03,
    "wrong_mask": 0.04,
}
VOCABULARIES = {"freebase": 0.12}
LEAST = {"steps": 1, "batch_size": 2, "max_tokens": 4, "save_every": 1, "validate_every": 1, "patience": 1}  # others: 0
SHARE_SETTINGS = ("label_share", "warmup", "of_base")  # from 0 to 1


@dataclass(frozen=True, slots=True)
class RigelConfig:
    """Everything that decides the weights; stored in the checkpoint and the model card."""

    steps: int = 3000
    batch_size: int = 64
    n_negatives: int = 40
    label_share: float = 0.5  # of the relations shown by their usual label; the others by any of their texts
    encoder_lr: float = 1e-4
    head_lr: float = 8e-4
    frozen_layers: int = 0  # lower layers of the encoder (and its embeddings) that stay as they are
    warmup: float = 0.06  # share of the steps
    clip: float = 1.0
    max_tokens: int = 32
    rng_seed: int = 7
    of_base: float = 0.0  # share of the weights started from in the final ones
    save_every: int = 250
    validate_every: int = 250
    patience: int = 8  # validations without a rise before a run ends early
    shares: dict[str, float] = field(default_factory=lambda: dict(SHARES))  # of the mix, by source
    vocabularies: dict[str, float] = field(default_factory=lambda: dict(VOCABULARIES))  # share of batches

    def wanted(self) -> list[str]:
        """Sources and vocabularies with a share: what is read, and may be trained on."""
        return [name for name, share in (self.shares | self.vocabularies).items() if share > 0]


def read_config(path: Path) -> RigelConfig:
    """The settings of an INI file.

    ``[rigel]`` holds fields of :class:`RigelConfig`, ``[mix]`` the shares by
    source, ``[vocabularies]`` the shares of batches by vocabulary. Raises
    :class:`UsageError` that names what is wrong.
    """
    return read_settings(path, RigelConfig, "rigel", {"mix": "shares", "vocabularies": "vocabularies"})


Settings = TypeVar("Settings")


def read_settings(path: Path, kind: type[Settings], section: str, shares: Mapping[str, str]) -> Settings:
    """The settings of an INI file: ``section`` holds numbers, fields of the dataclass ``kind``.

    ``shares`` names the sections that hold shares, and the field of each. Raises :class:`UsageError`.
    """
    parser = configparser.ConfigParser(interpolation=None, inline_comment_prefixes=("#",))
    try:
        if not parser.read(path, encoding="utf-8"):
            raise UsageError(f"{path}: no such file")
    except (configparser.Error, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not an INI file ({str(error).splitlines()[0]})") from error
    known = (section, *shares)
    for found in parser.sections():
        if found not in known:
            raise UsageError(f"{path}: unknown section [{found}] (known: {', '.join(f'[{name}]' for name in known)})")
    settings = _numbers(path, kind, parser[section] if section in parser else {})  # noqa: SIM401 - get() is for options
    settings |= {name: _shares(path, parser[found]) for found, name in shares.items() if found in parser}
    return kind(**settings)


def _numbers(path: Path, kind: Any, given: Mapping[str, str]) -> dict[str, Any]:
    kinds = {f.name: type(f.default) for f in fields(kind) if isinstance(f.default, int | float)}
    for name in given:
        if name not in kinds:
            raise UsageError(f"{path}: unknown setting {name!r} (known: {', '.join(kinds)})")
    try:
        numbers = {name: kinds[name](text) for name, text in given.items()}
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from error
    for name, number in numbers.items():
        if not LEAST.get(name, 0) <= number < math.inf:  # NaN too
            raise UsageError(f"{path}: {name} = {number} is out of bounds; at least {LEAST.get(name, 0)}")
        if name in SHARE_SETTINGS and number > 1:
            raise UsageError(f"{path}: {name} = {number} is out of bounds; a share is a number from 0 to 1")
    return numbers


def _shares(path: Path, given: Mapping[str, str]) -> dict[str, float]:
    try:
        shares = {name: float(text) for name, text in given.items()}
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from error
    if any(not 0 <= share <= 1 for share in shares.values()):
        raise UsageError(f"{path}: a share is a number from 0 to 1")
    if shares and not any(shares.values()):
        raise UsageError(f"{path}: all shares are 0")
    return shares
