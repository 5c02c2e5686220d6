"""Sources with a changed file."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import classify
import mutate
from changes import replaced
from children import Ended, run
from classify import Verdict
from databases import database
from samples import write_sources
from world import Case, World


class Sources(World):
    """A source with a changed file, built into a pack."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.sources = write_sources(folder)
        self.whole = {path: self._built(path, folder / "whole", folder)[1] for path in self.sources}
        if None in self.whole.values():
            raise SystemExit(f"no pack from {[str(path) for path, found in self.whole.items() if found is None]}")

    @staticmethod
    def _built(path: Path, target: Path, place: Path, *more: str) -> tuple[Ended, str | None]:
        ended = run(["pack", "build", str(path), "-o", str(target), "--force", *more], place)
        manifest = target / "pack.json"
        return ended, json.loads(manifest.read_bytes())["content_sha256"] if manifest.exists() else None

    def case(self, rng: random.Random, place: Path) -> Case:
        source = rng.choice(self.sources)
        path = place / source.name
        shutil.copyfile(source, path)
        data, odd = path.read_bytes(), rng.random()
        if odd < 0.03:
            how, new = replaced(rng, path), b""
        elif path.suffix == ".sqlite" and odd < 0.5:
            how, new = database(rng, path), b""
        else:
            kinds: tuple[mutate.Change, ...] = mutate.BYTES
            if path.suffix not in (".sqlite", ".gz", ".bz2", ".xz") and odd < 0.6:
                kinds = (mutate.text, mutate.text, mutate.lines)
            if path.suffix in (".json", ".jsonld") and odd < 0.3:
                kinds = (mutate.json_value,)
            new, how = rng.choice(kinds)(rng, data)
            path.write_bytes(new)
        more = ["--skip-errors"] if rng.random() < 0.3 else []
        ended, built = self._built(path, place / "pack", place, *more)
        is_cut = "cut to" in how and bool(new) and data.startswith(new) and not new.endswith((b"\n", b" .", b"}", b">"))
        found = Case(f"{source.name}: {how} {' '.join(more)}", files=[path])
        found.verdicts.append(Verdict(classify.of_build(self.whole[source], built, ended, is_cut), ended))
        if built is not None:
            ended = run(["pack", "check", str(place / "pack")], place)
            found.verdicts.append(Verdict(classify.broken(ended) or (classify.WRONG if ended.code else "right"), ended))
        return found
