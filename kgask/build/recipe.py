"""A whole build: sources and text files in, a pack out. ``kgask pack build`` is this and no more."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from kgask.build.folder import check_target
from kgask.build.from_pack import add_pack
from kgask.build.keyed import Keyed, keyed, read_names
from kgask.build.numbered import type_numbered
from kgask.build.references import refer
from kgask.build.source import PACK, STDIN, TABLE_FORMATS, Problems, guess_format, open_source
from kgask.build.tables import Table
from kgask.build.texts import TextKind, read_texts
from kgask.build.tsv import DELIMITERS, TableFormat, read_triples
from kgask.build.writer import BuildReport, PackBuilder
from kgask.errors import BuildError, UsageError
from kgask.pack.iris import IRI_PREFIX, is_prefix
from kgask.pack.records import LITERAL_KINDS, LiteralKind
from kgask.pack.store import Pack

# Whose numbers and dates may be written as bare text.
BARE_FORMATS = (*TABLE_FORMATS, "rows", "parquet", "neo4j", "jsonl", "graphml", "sqlite")
MOST_TOLD = 12  # relations that are told of


@dataclass(frozen=True, slots=True)
class Recipe:
    """What to build from what; see ``kgask pack build --help`` for the meaning of each field."""

    sources: tuple[str, ...]
    target: Path
    format: str | None = None
    delimiter: str | None = None
    columns: tuple[str, ...] = ()
    header: bool = False
    literals: Mapping[str, tuple[LiteralKind, str]] = field(default_factory=dict)
    languages: tuple[str, ...] = ("en",)
    texts: tuple[tuple[TextKind, str], ...] = ()  # (kind, file), the earlier wins
    name: str = ""
    licences: tuple[str, ...] = ()
    source_notes: tuple[str, ...] = ()
    skip_errors: bool = False
    force: bool = False
    recognise: bool = False  # a line of column names, the delimiter, and relations of numbers or dates, in tables
    all_ranks: bool = False  # of Wikidata's JSON: all statements but the deprecated, not only the best
    external_ids: bool = False  # of Wikidata's JSON
    mapping: Path | None = None  # what the tables of a database mean, or files with a row a thing
    iri_prefix: str = ""  # of keys that are no IRIs, where the pack is written as RDF
    tables: Mapping[str, Sequence[Table]] = field(default_factory=dict)  # of sources, as the mapping says; see collect


@dataclass(frozen=True, slots=True)
class BuildOutcome:
    report: BuildReport
    broken: int  # broken lines that were skipped


def build(
    recipe: Recipe,
    tell: Callable[[str], None],
    on_bytes: Callable[[int], None] = lambda _: None,
) -> BuildOutcome:
    """Read every source and write the pack.

    ``tell`` gets one line for each skipped broken line (the first ten);
    ``on_bytes`` the bytes read so far in steps. Raises :class:`BuildError`
    before anything is written if a line is broken and ``skip_errors`` is off.
    """
    inputs = inputs_of(recipe)
    check_target(recipe.target, recipe.force, sources=inputs)
    builder = PackBuilder()
    recipe, n_broken = collect(recipe, builder, tell, on_bytes)
    if not builder.n_added:
        raise BuildError(f"{', '.join(recipe.sources)}: no triples, so no pack")
    report = builder.write(
        recipe.target,
        name=recipe.name,
        sources=recipe.source_notes,
        licences=recipe.licences,
        force=recipe.force,
        made_from=inputs,
        iri_prefix=recipe.iri_prefix,
    )
    return BuildOutcome(report, n_broken)


def inputs_of(recipe: Recipe) -> tuple[str, ...]:
    """The files and folders that a recipe reads."""
    return tuple(name for name in (*recipe.sources, *(name for _, name in recipe.texts)) if name != STDIN)


def collect(
    recipe: Recipe,
    builder: PackBuilder,
    tell: Callable[[str], None],
    on_bytes: Callable[[int], None] = lambda _: None,
    given: Collection[str] = (),
    known: Mapping[str, tuple[LiteralKind, str]] | None = None,
    read: Callable[..., None] | None = None,
    read_file: Callable[..., None] = read_texts,
) -> tuple[Recipe, int]:
    """Read every source into a builder, which may hold something before.

    ``given`` are relations of which nothing is recognised, ``known`` those that have literals of a kind and unit
    already (:meth:`PackBuilder.recognise`). ``read`` takes one source, :func:`read_one` by default, ``read_file``
    one file of texts.
    The recipe with what packs among the sources say of where they come from, and the number of broken lines that were
    skipped. Raises as :func:`build` does.
    """
    _check_options(recipe)
    formats = [format_of(source, recipe, tell) for source in recipe.sources]
    _check_inputs(recipe)
    if recipe.mapping is not None:
        from kgask.build.mapping import mapped

        sources = zip(recipe.sources, formats, strict=True)
        recipe = replace(recipe, tables=mapped(recipe.mapping, sources, recipe.delimiter, tell))
    problems = Problems(recipe.skip_errors, tell)
    of_keys = keyed(recipe.sources, formats, recipe.delimiter) if _may_be_keyed(recipe) else Keyed()
    recipe = replace(recipe, tables={**recipe.tables, **{source: [table] for source, table in of_keys.tables}})
    for number, (source, format) in enumerate(zip(recipe.sources, formats, strict=True)):
        if recipe.tables.get(source) == [] or source in of_keys.names:
            continue
        if format == PACK:
            recipe = _read_pack(source, recipe, builder)
        elif format == "sqlite":
            from kgask.build.sqlite import read_sqlite

            read_sqlite(Path(source), recipe.tables.get(source), builder, problems, tell)
        elif format == "parquet":
            from kgask.build.parquet import read_parquet

            read_parquet(source, builder, problems, table_of(recipe, "tsv"), tell, *recipe.tables.get(source, ()))
        else:
            with open_source(source, on_bytes) as stream:
                (read or read_one)(stream, source, number, format, recipe, builder, problems, tell)
    for source in of_keys.names:
        tell(f"{source}: what the keys of other files are called (--text takes lines for triples)")
        read_names(source, recipe.delimiter, builder, problems)
    for rank, (kind, name) in enumerate(recipe.texts):
        # Files that were asked for by name win over labels inside the sources.
        read_file(name, kind, builder, problems, rank - len(recipe.texts), on_bytes)
    problems.settle()
    if recipe.recognise and any(format in BARE_FORMATS for format in formats):
        refer(builder, tell)
        _recognise(builder, {*recipe.literals, *given}, known, tell)
        type_numbered(builder, tell)
    return recipe, problems.count


def _may_be_keyed(recipe: Recipe) -> bool:
    is_told = recipe.mapping is not None or recipe.columns or recipe.header or recipe.format is not None
    return recipe.recognise and len(recipe.sources) > 1 and not is_told


def format_of(source: str, recipe: Recipe, tell: Callable[[str], None]) -> str:
    """As told or guessed; a table may be an export of Neo4j, or have a row a thing."""
    found = guess_format(source, recipe.format)
    if recipe.format is None and recipe.recognise and found in TABLE_FORMATS and not (recipe.columns or recipe.header):
        from kgask.build import neo4j, rows

        if neo4j.is_header(source):
            return "neo4j"
        like = rows.likeness(source, recipe.delimiter)
        if like == rows.PERHAPS and recipe.mapping is not None:
            return "rows"
        if like == rows.PERHAPS:
            tell(f"{source}: lines are read as triples; if the first one names columns, type --format rows")
        return "rows" if like == rows.SURE else found
    return found


def read_one(
    stream: BinaryIO,
    source: str,
    number: int,
    format: str,
    recipe: Recipe,
    builder: PackBuilder,
    problems: Problems,
    tell: Callable[[str], None],
) -> None:
    """One source into the builder; a reader is imported when its format is read."""
    if format in TABLE_FORMATS:
        read_triples(stream, source, builder, problems, table_of(recipe, format), tell)
    elif format == "neo4j":
        from kgask.build.neo4j import read_neo4j

        read_neo4j(stream, source, builder, problems, recipe.delimiter)
    elif format == "rows":
        from kgask.build.rows import read_rows

        read_rows(stream, source, builder, problems, recipe.delimiter, tell, *recipe.tables.get(source, ()))
    elif format == "jsonl":
        from kgask.build.jsonl import read_jsonl

        read_jsonl(stream, source, builder, problems, recipe.recognise)
    elif format == "graphml":
        from kgask.build.graphml import read_graphml

        read_graphml(stream, source, builder, problems, tell)
    elif format == "wikidata":
        from kgask.build.wikidata import read_wikidata

        read_wikidata(stream, source, builder, problems, recipe.languages, recipe.all_ranks, recipe.external_ids, tell)
    else:
        from kgask.build.rdf import read_rdf

        read_rdf(stream, source, number, format, builder, problems, recipe.languages)


def _read_pack(source: str, recipe: Recipe, builder: PackBuilder) -> Recipe:
    """A pack into the builder; the recipe with what it says of its sources and licences."""
    with Pack.open(source) as pack:
        add_pack(pack, builder)
        told = {name: tuple(map(str, pack.manifest.get(name, ()))) for name in ("sources", "licences")}
        prefix = recipe.iri_prefix or str(pack.manifest.get(IRI_PREFIX, ""))
    return replace(
        recipe,
        source_notes=tuple(dict.fromkeys((*recipe.source_notes, *told["sources"]))),
        licences=tuple(dict.fromkeys((*recipe.licences, *told["licences"]))),
        iri_prefix=prefix,
    )


def _recognise(
    builder: PackBuilder,
    given: Collection[str],
    known: Mapping[str, tuple[LiteralKind, str]] | None,
    tell: Callable[[str], None],
) -> None:
    if found := builder.recognise(given, known):
        more = f" and {len(found) - MOST_TOLD} more" if len(found) > MOST_TOLD else ""
        tell(f"values of {', '.join(map(str, found[:MOST_TOLD]))}{more}; --text leaves such fields names")


def _check_options(recipe: Recipe) -> None:
    if recipe.sources.count(STDIN) > 1:
        raise UsageError("stdin (-) can be one source only")
    if recipe.delimiter is not None and len(recipe.delimiter) != 1:
        raise UsageError("--delimiter must be one character")
    if recipe.iri_prefix and not is_prefix(recipe.iri_prefix):
        raise UsageError(f"--iri-prefix {recipe.iri_prefix[:60]!r} begins no IRI; write one that ends in / # or :")


def _check_inputs(recipe: Recipe) -> None:
    """Refuse at once what would fail after a long read."""
    for name in [*recipe.sources, *(name for _, name in recipe.texts)]:
        if name != STDIN and not Path(name).is_dir():
            with open_source(name):
                pass


def table_of(recipe: Recipe, format: str) -> TableFormat:
    """How the lines of a table of this format are read."""
    return TableFormat(
        delimiter=recipe.delimiter or DELIMITERS[format],
        quoted=format == "csv",
        columns=recipe.columns,
        header=recipe.header,
        literals=recipe.literals,
        recognise=recipe.recognise,
    )


def parse_literal_rules(rules: Iterable[str]) -> dict[str, tuple[LiteralKind, str]]:
    """``RELATION=KIND`` or ``RELATION=number[UNIT]`` as a mapping; :class:`UsageError` otherwise."""
    parsed: dict[str, tuple[LiteralKind, str]] = {}
    for rule in rules:
        relation, _, kind = rule.rpartition("=")
        kind, bracket, unit = kind.partition("[")
        if not relation or kind not in LITERAL_KINDS or (bracket and (kind != "number" or not unit.endswith("]"))):
            raise UsageError(
                f"--literal {rule!r}: write RELATION=date, RELATION=number, RELATION=number[UNIT] or RELATION=string"
            )
        parsed[relation] = (kind, unit.removesuffix("]"))
    return parsed
