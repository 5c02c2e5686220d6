"""Works and authors of the Project Gutenberg catalogue: facts only, editions of a work joined."""

from __future__ import annotations

import csv
import gzip
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from maker.entityquestions import book_authors
from maker.headings import Headings, modern
from maker.titles import display_name, full_title, main_title, wikipedia_title
from maker.world import BOOK, PERSON, Node, World, literal, match_key

SOURCE = "gutenberg"

_MAX_TITLE = 90  # characters; longer ones are descriptions
_NO_WORK = re.compile(
    r"project gutenberg|^index of|^punch|\bvol(ume|\.)? ?\d|, no\. ?\d|^the mentor|\bnumber \d"
    r"|^(complete )?(poetical )?works of"
    r"|(january|february|march|april|may|june|july|august|september|october|november|december),? \d",
    re.IGNORECASE,
)
# A classification that says which literature a work belongs to, and so in which language it was written.
_LITERATURES = {
    "PR": ("en",), "PS": ("en",), "PQ": ("fr", "it", "es", "pt"), "PT": ("de", "nl", "sv", "da", "no"),
    "PG": ("ru", "pl", "cs"), "PH": ("fi", "hu", "et"), "PA": ("la",),
}  # fmt: skip
_LANGUAGES = {
    "en": "English", "fr": "French", "it": "Italian", "es": "Spanish", "pt": "Portuguese", "de": "German",
    "nl": "Dutch", "sv": "Swedish", "da": "Danish", "no": "Norwegian", "ru": "Russian", "pl": "Polish",
    "cs": "Czech", "fi": "Finnish", "hu": "Hungarian", "et": "Estonian", "la": "Latin",
}  # fmt: skip
# The catalogue's address leads to a namesake of the author.
_NAMESAKES = frozenset({"Bruce Campbell"})
_FICTION = re.compile(r"(?<!Juvenile )[Ff]iction\b|Bildungsroman|Love stories|Western stories|Sea stories|War stories")
_DRAMA = re.compile(r"-- Drama\b(?! --)|\b(Comedies|Tragedies|Farces|Comedy plays|One-act plays|Melodrama)\b")
_NO_NOVEL = re.compile(
    r"Short stories|\b[Tt]ales\b|[Dd]rama|Comed|Traged|[Pp]oe(?:try|ms)|Fables|Essays|history and criticism|Fairy"
    r"|\bstories\b(?! --)"
)
_ARTICLE = re.compile(r"^(the|an?) ")
_MAX_SUBJECTS = 6
_MAX_BEARERS = 6  # a title that more authors used ("Poems") names nothing
_WRITING = frozenset({
    "writer", "novelist", "poet", "author", "playwright", "essayist", "philosopher", "historian",
    "journalist", "translator", "children's writer", "science fiction writer", "short story writer",
    "biographer", "literary critic", "naturalist", "theologian",
})  # fmt: skip


@dataclass(slots=True)
class Work:
    """The editions of one work, told apart by first author and main title."""

    title: str
    authors: list[str]  # Gutenberg author ids of the first edition
    first_id: int
    languages: set[str] = field(default_factory=set)
    full_titles: set[str] = field(default_factory=set)
    shelves: set[str] = field(default_factory=set)
    editions: set[int] = field(default_factory=set)
    classes: set[str] = field(default_factory=set)
    headings: list[str] = field(default_factory=list)

    def original_language(self) -> str:
        """The code of the language it was written in, where the catalogue is clear; else empty."""
        known = {code for name in self.classes for code in _LITERATURES.get(name, ())}
        found = self.languages & known
        return next(iter(found)) if len(found) == 1 and len(self.languages) == 1 else ""

    def sort(self) -> str:
        """Novel where the headings call it fiction, and neither stories nor drama nor verse; or play; or nothing."""
        text = " ".join(self.headings)
        if _DRAMA.search(text) and not _FICTION.search(text):
            return "play"
        return "novel" if _FICTION.search(text) and not _NO_NOVEL.search(f"{text} {self.title}") else ""

    def score(self) -> int:
        """How likely it is that a reader knows the work: editions and hand-made shelves count."""
        curated = [shelf for shelf in self.shelves if not shelf.startswith("Category:")]
        classic = "Category: Classics of Literature" in self.shelves
        english = self.languages == {"en"} or "en" in self.languages
        return 2 * min(len(self.editions) - 1, 3) + 2 * min(len(curated), 2) + 2 * classic + 2 * english


def read_gutenberg(world: World, data: Path, n_works: int) -> None:
    """Add the ``n_works`` best known works with their authors, subjects, genres and languages."""
    folder = data / "literature"
    authors = Authors(world, folder / "gutenberg_authors.tsv.gz")
    works = _works(folder, authors)
    authors.learn_names(works, book_authors(data))
    works.sort(key=lambda work: (-work.score() - 4 * authors.is_merged(work.authors[0]), work.first_id))
    chosen = sorted(works[:n_works], key=lambda work: work.first_id)
    headings = Headings(world, SOURCE, (line for work in chosen for line in work.headings))
    for author_id in sorted({author for work in chosen for author in work.authors}, key=int):
        authors.node(author_id)  # before the works, because headings name authors too
    for work in chosen:
        _add_work(world, work, authors, headings)


def _rows(path: Path) -> Iterator[list[str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        reader = csv.reader(file, delimiter="\t")
        next(reader)
        yield from reader


class Authors:
    """Authors with known years, matched with persons that the graph already has."""

    def __init__(self, world: World, path: Path) -> None:
        self._world = world
        self._rows = {row[0]: row for row in _rows(path) if self._is_person(row)}
        self._nodes: dict[str, Node] = {}
        self._usual: dict[str, str] = {}  # author id -> the name in Wikidata, where it is another one
        self._same: dict[tuple[str, str], str] = {}  # (name, birth year) -> first author id
        for author_id in sorted(self._rows, key=int):
            self._same.setdefault(self._identity(author_id), author_id)

    @staticmethod
    def _is_person(row: list[str]) -> bool:
        known = wikipedia_title(row[5])[0] and "." not in row[1].split(",")[0]
        return bool(row[3] or row[4]) and bool(known)

    def _identity(self, author_id: str) -> tuple[str, str]:
        row = self._rows[author_id]
        return match_key(wikipedia_title(row[5])[0]), row[3] or row[4]

    def __contains__(self, author_id: str) -> bool:
        return author_id in self._rows

    def learn_names(self, works: list[Work], names_by_title: dict[str, set[str]]) -> None:
        """Learn that Mary Wollstonecraft Shelley is the Mary Shelley who wrote a book of the same title.

        Same title, same surname and same initial are enough to call two names one person.
        """
        found: dict[str, set[str]] = defaultdict(set)
        for work in works:
            author_id = self._same[self._identity(work.authors[0])]
            own = match_key(wikipedia_title(self._rows[author_id][5])[0]).split()
            for name in names_by_title.get(match_key(work.title), ()):
                other = match_key(name).split()
                if other != own and (other[0][0], other[-1]) == (own[0][0], own[-1]):
                    found[author_id].add(name)
        self._usual = {author_id: min(names) for author_id, names in found.items() if len(names) == 1}
        self._world.notes["gutenberg: author known by another name"] = len(self._usual)

    def is_merged(self, author_id: str) -> bool:
        """Whether another source knows the author."""
        return self._known(self._same[self._identity(author_id)]) is not None

    def _known(self, author_id: str) -> Node | None:
        """The person of the graph who is this author: same name, same time, and no namesake in the way."""
        row, usual = self._rows[author_id], self._usual.get(author_id, "")
        title, told_apart = wikipedia_title(row[5])
        if told_apart or title in _NAMESAKES:
            return None
        names = [usual, title, display_name(row[1])[0]]
        born = int(row[3]) if row[3] else int(row[4]) - 50
        for name in names:
            node = self._world.only(name, PERSON)
            if node is None or SOURCE in node.sources or modern(self._world, node, born):
                continue
            if node.born is not None and abs(node.born - born) > 1:
                continue
            if name not in (usual, title) and not _writes(self._world, node):
                continue
            return node
        return None

    def node(self, author_id: str) -> Node:
        """The author's node, made on first use."""
        first = self._same[self._identity(author_id)]
        if first not in self._nodes:
            self._nodes[first] = self._make(first)
        return self._nodes[first]

    def _make(self, author_id: str) -> Node:
        row = self._rows[author_id]
        node = self._known(author_id)
        title, told_apart = wikipedia_title(row[5])
        label = self._usual.get(author_id, title)
        if node is None:
            node = self._world.add_node(f"gutenberg-author-{author_id}", label, PERSON, SOURCE)
            node.namesakes = told_apart or title in _NAMESAKES
        else:
            self._world.notes["gutenberg: author merged"] += 1
        name, others = display_name(row[1])
        pen_names = [display_name(alias)[0] for alias in row[6].split("/") if "," in alias][:3]
        for alias in (label, title, name, *others, *pen_names):
            if " " in alias or alias == label:  # "Scott, Mrs." leaves a bare surname
                self._world.add_alias(node, alias, findable=alias in (label, title, name))
        had = {relation for _s, relation, _o in self._world.facts_of(node.key)}
        for relation, year, slot in (("P569", row[3], "born"), ("P570", row[4], "died")):
            if year and relation not in had:  # the day that another source gives is better than the year
                text = f"{-int(year)} BC" if int(year) < 0 else year
                self._world.add_fact(node, relation, literal("date", text), SOURCE)
                setattr(node, slot, int(year))
        return node


def _writes(world: World, node: Node) -> bool:
    jobs = {world.nodes[obj].label for _s, relation, obj in world.facts_of(node.key) if relation == "P106"}
    return bool(jobs & _WRITING)


def _works(folder: Path, authors: Authors) -> list[Work]:
    """Works in English, and works of other languages where the text is not known to be a translation."""
    by_id: dict[int, list[list[str]]] = defaultdict(list)
    for row in _rows(folder / "gutenberg_metadata.tsv.gz"):
        by_id[int(row[0])].append(row)
    works: dict[tuple[str, str], Work] = {}
    for number in sorted(by_id):
        rows = by_id[number]
        ids = list(dict.fromkeys(row[3] for row in rows if row[3]))
        title = main_title(rows[0][1])
        if not ids or any(i not in authors for i in ids) or len(ids) > 3:
            continue
        if len(title) > _MAX_TITLE or _NO_WORK.search(title) or rows[0][7] != "True":
            continue
        work = works.setdefault((ids[0], _ARTICLE.sub("", match_key(title))), Work(title, ids, number))
        work.editions.add(number)
        work.languages |= {code for row in rows for code in row[4].split("/")}
        work.full_titles.add(full_title(rows[0][1]))
        work.shelves |= {shelf for row in rows for shelf in _shelves(row[5])}
    of_edition = {number: work for work in works.values() for number in work.editions}
    for number, sort, text in _rows(folder / "gutenberg_subjects.tsv.gz"):
        work = of_edition.get(int(number))
        if work and sort == "lcc":
            work.classes.add(text[:2])
        elif work and text not in work.headings:
            work.headings.append(text)
    bearers = Counter(match_key(work.title) for work in works.values())
    return [
        work
        for work in works.values()
        if ("en" in work.languages or work.original_language()) and bearers[match_key(work.title)] <= _MAX_BEARERS
    ]


def _shelves(field_text: str) -> list[str]:
    """Bookshelves are joined by ``/``, which also stands inside of some names; good enough to count."""
    return [shelf for shelf in field_text.split("/") if shelf]


def _add_work(world: World, work: Work, authors: Authors, headings: Headings) -> None:
    node = world.add_node(f"gutenberg-{work.first_id}", work.title, BOOK, SOURCE)
    for author_id in work.authors:
        world.add_fact(node, "P50", authors.node(author_id), SOURCE)
    others = (title for title in work.full_titles if match_key(title) != match_key(work.title))
    full = min(others, key=lambda title: (len(title), title), default="")
    if full and len(full) <= _MAX_TITLE:
        world.add_alias(node, full)
    code = work.original_language()
    if code:
        language = world.get_or_add("language", _LANGUAGES[code], frozenset({"language"}), SOURCE)
        world.add_fact(node, "P407", language, SOURCE)
    sort = work.sort()
    if sort:
        world.add_class(node, sort, SOURCE)
    facts = dict.fromkeys((relation, obj.key) for line in work.headings for relation, obj in headings.facts(line))
    for relation, key in list(facts)[:_MAX_SUBJECTS]:
        world.add_fact(node, relation, world.nodes[key], SOURCE)
