"""Slots that stand for sets and statements: noun phrases with one name or two, whole paths, facts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kgask.corpus.examples import MASK
from kgask.corpus.operator_files import Entry
from kgask.corpus.operator_slots import Bound, Filling, Token, UnfitError, kind_of, reversed_path
from kgask.corpus.operator_voices import joined

OWNED = 0.4  # share of "[MASK]'s children" where they may stand for "children of [MASK]"
HELD = 0.85  # share of the measured sets that are called by what has the measure
SAME_RELATION = 0.3  # share of second branches that are over the first one's relation
TWO_HOPS = 0.12  # share of the branches that go over two relations: "whose director was born in"
FORWARD = 0.3  # share of the sets that are what the named thing has ("children of"), not what has it
ALONE = {"alone", "alonepl"}  # forms that are verbs without a noun, after "who"
BARE = {"pre", "key"}  # forms that hold a name and no phrase
BOTH = ("both {x} and {y}",) * 3 + ("{x} and {y}",) * 3 + ("{x} as well as {y}", "{x} and also {y}", "{x} & {y}")
EITHER = ("{x} or {y}",) * 3 + ("either {x} or {y}",) * 2 + ("{x} or else {y}", "{x} and/or {y}")
EXCEPT = ("{x} but not {y}",) * 3 + ("{x} and not {y}", "{x}, but not {y}", "{x}, not {y}", "{x} yet not {y}")
NEITHER = ("neither {x} nor {y}",)


class SetFilling(Filling):
    """One template being filled, sets and statements too."""

    def _bind_branch(self, forms: set[str]) -> Bound:
        """A relation to a thing that is named: behind a noun, or as its verb."""
        entry = self._entry({form or "mod" for form in forms} or {"mod"})
        name = self.name("" if forms & BARE or not self.is_last else entry.ends)
        return Bound((*name.steps, *reversed_path(entry.path)), self._says(entry, name.say("")), entry)

    def _entry(self, forms: set[str], two_hops: bool = True) -> Entry:
        """How members relate to what is named; now and then over the relation of another branch of the question.

        Two relations are said at the end alone: of "who has a husband who
        died in A or was born in B" nobody knows who was born.
        """
        same = [b.entry for slot, b in self.bound.items() if kind_of(slot) == "branch" and b.entry]
        if same and self.rng.random() < SAME_RELATION and forms <= same[0].forms.keys():
            return same[0]
        through = self.lexicons.through(self.letter) if self.rng.random() < TWO_HOPS else ()
        if through and two_hops and self.is_last:
            first = self.rng.choice(through)
            then = self.rng.choice(self.lexicons.branches(first.ends))
            if "verbone" in then.forms and then.path != first.path:
                return self._said([joined(first, then)], forms)[1]
        return self._said(self.lexicons.branches(self.letter), forms)[1]

    def _says(self, entry: Entry, name: str) -> Callable[[str], str]:
        return lambda form: self.rng.choice(entry.forms[form or "mod"]).replace("{x}", name)

    # --- noun phrases ---------------------------------------------------------------------

    def _bind_set(self, forms: set[str]) -> Bound:
        """*films directed by [MASK]*; with a class of its own where that says more; or *children of [MASK]*."""
        leading = self.lexicons.leading(self.letter)
        if leading and self.rng.random() < FORWARD:
            return self._led(leading, forms)
        entry = self._entry(_entry_forms(forms))
        name = self.name(entry.ends)
        branch = (*name.steps, *reversed_path(entry.path))
        return self._phrase(entry, forms, name.say(""), (*branch, "AND"), branch)

    def _led(self, leading: Sequence[Entry], forms: set[str]) -> Bound:
        """What a named thing has several of."""
        entry = self.rng.choice(leading)
        name = self.name(entry.letters if len(entry.letters) == 1 else "")
        noun, one = (self.rng.choice(entry.forms[form]) for form in ("nouns", "noun"))
        of, ask = f"of {name.say('')}", f"{noun} does {name.say('')} have"
        said = {
            "": f"{noun} {of}",
            "one": f"{one} {of}",
            "noun": noun,
            "nounone": one,
            "mod": of,
            "modone": of,
            "ask": ask,
        }
        if not forms <= said.keys():
            raise UnfitError("forms that only a verb has")
        if len(name.steps) == 1 and self.leads and self.rng.random() < OWNED:
            said[""] = f"{name.say('')}'s {noun}"
        return Bound((*name.steps, *entry.path), lambda form: said[form], entry)

    def _bind_members(self, forms: set[str]) -> Bound:
        """*children of [MASK]* alone."""
        leading = self.lexicons.leading(self.letter)
        if not leading:
            raise UnfitError("nothing leads here")
        return self._led(leading, forms)

    def _bind_both(self, forms: set[str]) -> Bound:
        return self._two(forms, BOTH, lambda a, b, cls: (*cls, *a, "AND", *b, "AND") if cls else (*a, *b, "AND"))

    def _bind_either(self, forms: set[str]) -> Bound:
        return self._two(forms, EITHER, lambda a, b, cls: (*cls, *a, *b, "OR", "AND") if cls else (*a, *b, "OR"))

    def _bind_except(self, forms: set[str]) -> Bound:
        return self._two(forms, EXCEPT, lambda a, b, cls: (*cls, *a, "AND", *b, "MINUS") if cls else (*a, *b, "MINUS"))

    def _bind_neither(self, forms: set[str]) -> Bound:
        """*countries that border neither [MASK] nor [MASK]*: of a class, or of all that have the relation."""

        def steps(a: tuple[Token, ...], b: tuple[Token, ...], cls: tuple[Token, ...]) -> tuple[Token, ...]:
            return (*(cls or ("THING", a[-1])), *a, "MINUS", *b, "MINUS")

        return self._two(forms, NEITHER, steps)

    def _two(
        self,
        forms: set[str],
        names: Sequence[str],
        steps: Callable[[tuple[Token, ...], tuple[Token, ...], tuple[Token, ...]], tuple[Token, ...]],
    ) -> Bound:
        """A noun phrase about two named things over one relation."""
        entry = self._entry(_entry_forms(forms), two_hops=False)
        first, second = self.name(), self.name()
        way = reversed_path(entry.path)
        a, b = (*first.steps, *way), (*second.steps, *way)
        said = self.rng.choice(names).replace("{x}", first.say("")).replace("{y}", second.say(""))
        whole = names is NEITHER
        if whole and forms & ALONE:
            raise UnfitError("of whom is not said")
        return self._phrase(entry, forms, said, None, steps(a, b, ()), lambda cls: steps(a, b, cls), whole)

    def _measured_noun(self, entry: Entry) -> tuple[tuple[str, str], bool] | None:
        """As :meth:`ClassWords.noun`, now and then, a noun for what has the measure of the question."""
        held = self._holder() if self.rng.random() < HELD else None
        if held is None:
            return None
        general = held[0] in self.words.general[self.letter] and len(entry.letters) == 1
        return held, not general and held[0] not in entry.forms.get("noun", ())

    def _phrase(
        self,
        entry: Entry,
        forms: set[str],
        name: str,
        narrowed: tuple[Token, ...] | None,
        bare: tuple[Token, ...],
        of_class: Callable[[tuple[Token, ...]], tuple[Token, ...]] | None = None,
        always: bool = False,
    ) -> Bound:
        """A noun and what narrows it; ``bare`` steps where the noun says nothing beside the relation."""
        (several, one), own = self._measured_noun(entry) or self.words.noun(self.letter, entry, self.rng)
        single = forms & {"one", "nounone", "verbone"}
        if single and forms - {"one", "nounone", "verbone", "modone", "notone"}:
            raise UnfitError("one noun has one form")
        steps, noun = bare, one if single else several
        if (own or always) and self.typed and not forms & ALONE:
            pointed = self._class(several, one, {"one"} if single else {"many"})
            noun = pointed.say("one" if single else "many")
            steps = of_class(pointed.steps) if of_class else (*pointed.steps, *(narrowed or ()))
        says = self._says(entry, name)

        def say(form: str) -> str:
            match form:
                case "noun" | "nounone":
                    return noun
                case "mod" | "modone":
                    return says(form)
                case "alone" | "alonepl":
                    return says(_FORM_OF[form])
                case "any":
                    return says(form).replace("{n}", noun)
                case _:
                    return f"{noun} {says(_FORM_OF.get(form, form))}"

        return Bound(steps, say, entry)

    # --- questions and statements ---------------------------------------------------------

    def _bind_fact(self, forms: set[str]) -> Bound:
        entries = self.lexicons.facts_with(frozenset(forms))
        if not entries:
            raise UnfitError("no fact")
        entry = self.rng.choice(entries)
        subject, obj = self.name(), self.name()

        def say(form: str) -> str:
            said = self.rng.choice(entry.forms[form])
            return said.replace("{x}", subject.say("")).replace("{y}", obj.say(""))

        return Bound((*subject.steps, *entry.path, *obj.steps), say, entry)

    def _bind_path(self, _: set[str]) -> Bound:
        """A whole question that a path answers."""
        made = self.paths.draw(self.rng.choices((1, 2, 3), (6, 3, 1))[0])
        if made.text.count(MASK) != 1 or not made.path:
            raise UnfitError("no path")
        name = self.name()
        text = made.text.replace(MASK, name.say("")).rstrip("?")
        return Bound((*name.steps, *made.path), lambda _: text)


_FORM_OF = {
    "": "mod",
    "one": "modone",
    "alone": "verbone",
    "alonepl": "verb",
}  # form of a noun phrase -> of what stands behind its noun


def _entry_forms(forms: set[str]) -> set[str]:
    """The forms that a relation must have for these forms of a noun phrase."""
    return {_FORM_OF.get(form, form) for form in forms or {""} if form not in ("noun", "nounone")}
