"""Invented reading situations: a small graph, a question about it, and a plan that errs as planners do.

A scene is built the way an answer is: relations around a seed, a distribution
over relations for each hop, triples scored by weight x relation probability,
ten a hop, and the answer set with its scores. What the reader must cite are
the lines of the asked relation at the last hop; when they are not there, it must say so.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from kgask.corpus.names import NameMaker
from kgask.corpus.scene import Scene, SceneOptions
from kgask.corpus.scene_plans import hop_weights, relation_probs
from kgask.corpus.scene_relations import TOPIC, RelationBank, RelationWords
from kgask.read.cross_encoder.prompt import MAX_LINES, PromptLine

CITE, WAY, OTHER = "cite", "way", "other"
Step = tuple[RelationWords, str]  # a relation and the direction it is walked in
TOP_K, BEAM, SHOWN_WALKS, LEAST_PROB = 10, 6, 5, 1e-4  # as kgask.retrieve has them


@dataclass(slots=True)
class _Edge:
    start: int
    step: Step
    label: str
    end: int


@dataclass(frozen=True, slots=True)
class _Walk:
    keys: tuple[tuple[str, str], ...]
    prob: float
    ends: list[int]
    trail: list[list[_Edge]]  # edges of each hop


@dataclass(frozen=True, slots=True)
class _Scored:
    edge: _Edge
    hop: int
    score: float
    role: str  # CITE, WAY or OTHER: what the line is to the asked path


class SceneMaker:
    """Draws scenes; the same ``rng`` state always gives the same scene."""

    def __init__(self, bank: RelationBank, names: NameMaker, options: SceneOptions | None = None):
        self.bank, self.names = bank, names
        self.options = options or SceneOptions()

    def make(self, rng: random.Random) -> Scene:
        distractors = self.options.distractors
        if self.options.crowded and rng.random() < self.options.crowded:
            distractors = rng.randint(4, 20)
        hops = rng.choices((1, 2, 3), self.options.hops)[0] if distractors is None else 1
        scene = _Draft(self, self._path(hops, rng), rng, distractors).scene()
        return scene if scene.lines else self.make(rng)  # without lines the reader is never asked

    def _path(self, hops: int, rng: random.Random) -> list[Step]:
        first = self.bank.draw(rng)
        path = [first]
        while len(path) < hops:
            relation, direction = path[-1]
            path.append(self.bank.starting_at(relation.kinds(direction)[1], rng))
        return path


class _Draft:
    """A scene in the making."""

    def __init__(self, maker: SceneMaker, path: list[Step], rng: random.Random, distractors: int | None):
        self.bank, self.names_of, self.options = maker.bank, maker.names, maker.options
        self.path, self.rng = path, rng
        self.names: list[str] = []
        self.edges: dict[int, list[_Edge]] = defaultdict(list)
        self.labels: dict[tuple[str, str], str] = {}
        self.answerable = rng.random() >= self.options.unanswerable
        self.blind = rng.random() < self.options.blind
        self.astray = rng.random() < self.options.astray
        self.missing = -1 if self.answerable else self._missing_step()
        self.seed = self._entity(path[0][0].kinds(path[0][1])[0])
        self.crowded = distractors is not None
        if distractors is None:
            self._grow()
        else:
            self._grow_exactly(distractors)

    def _missing_step(self) -> int:
        """Which step of the asked path is not in the graph: mostly the last one."""
        last = len(self.path) - 1
        return last if self.rng.random() < 0.7 else self.rng.randint(0, last)

    def _entity(self, kinds: str) -> int:
        name = self.names_of.name(self.rng.choice(kinds or "PWLO?"), self.rng)
        while name in self.names:  # the same name twice would make the gold lines ambiguous
            name = f"{name} {self.names_of.name('?', self.rng)}"
        self.names.append(name)
        return len(self.names) - 1

    def _label(self, step: Step) -> str:
        key = (step[0].key, step[1])
        if key not in self.labels:
            self.labels[key] = step[0].line_label(step[1], self.rng)
        return self.labels[key]

    def _connect(self, start: int, step: Step, count: int) -> list[int]:
        label, kinds = self._label(step), step[0].kinds(step[1])[1]
        ends = [self._entity(kinds) for _ in range(count)]
        self.edges[start].extend(_Edge(start, step, label, end) for end in ends)
        return ends

    def _grow(self) -> None:
        """The asked path with its branches, and what else is known about each entity on it."""
        frontier = [self.seed]
        for index, step in enumerate(self.path):
            reached: list[int] = []
            for entity in frontier:
                if index != self.missing:
                    reached.extend(self._connect(entity, step, self._fan_out(len(frontier))))
                self._distract(entity, step, few=len(frontier) > 1)
            if index == self.missing or not reached:
                break
            frontier = reached[:TOP_K]
        else:
            if self.rng.random() < 0.4:  # the answers lead on, and a plan may look one hop too far
                for entity in frontier[:4]:
                    self._distract(entity, self.path[-1], few=True)

    def _fan_out(self, frontier: int) -> int:
        if frontier > 3:
            return 1 if self.rng.random() < 0.8 else 2
        return 1 if self.rng.random() < 0.55 else self.rng.choice((2, 2, 3, 3, 4, 5, 6, 8, 12))

    def _distract(self, entity: int, step: Step, few: bool) -> None:
        """What else is known about an entity of which ``step`` is asked."""
        rng = self.rng
        for _ in range(rng.randint(0, 2) if few else rng.choice((0, 1, 2, 3, 4, 5, 6, 8, 10))):
            self._tell_more(entity, step, 1 if rng.random() < 0.7 else rng.randint(2, 5))

    def _tell_more(self, entity: int, step: Step, count: int) -> None:
        """Triples of another relation than ``step``, often one that looks like it; none that would answer too."""
        rng = self.rng
        others = self.bank.look_alikes.get(step[0].key, [])
        draw = rng.random()
        if draw < 0.3 and others:
            other: Step = (rng.choice(others), step[1])
        else:
            other = self.bank.starting_at(step[0].kinds(step[1])[0], rng)
        taken = {_step_key(edge.step) for edge in self.edges[entity]} | self.bank.same_meaning(*step)
        texts = {self._label(step)} | {edge.label for edge in self.edges[entity]}
        if _step_key(other) not in taken and self._label(other) not in texts:
            self._connect(entity, other, count)

    def _grow_exactly(self, count: int) -> None:
        """One hop of gold triples, and ``count`` others: half about the seed, half about what its triples lead to."""
        step = self.path[0]
        gold = [] if self.missing == 0 else self._connect(self.seed, step, min(TOP_K, self._fan_out(1)))
        while len(self.edges[self.seed]) < len(gold) + count // 2:
            self._tell_more(self.seed, step, 1)
        reached = [edge.end for edge in self.edges[self.seed]]
        while sum(len(self.edges[entity]) for entity in reached) < count - count // 2:
            self._tell_more(self.rng.choice(reached), step, 1)

    def scene(self) -> Scene:
        scored, answers = self._planned()
        shuffled = self.blind or self.rng.random() < self.options.shuffled
        ordered = self._order(scored, shuffled)[:MAX_LINES]
        best = max(answers.values(), default=1.0)
        question = self._question()
        lines, cite, way = [], [], []
        for number, item in enumerate(ordered, start=1):
            ratio = answers[item.edge.end] / best if item.edge.end in answers else None
            score = item.score
            if self.blind:
                score, ratio = 1.0, 1.0
            start, end = self.names[item.edge.start], self.names[item.edge.end]
            lines.append(PromptLine(start, item.edge.label, end, item.hop, score, ratio))
            if self.astray:
                continue
            if item.role == CITE and ratio is not None:
                cite.append(number)
            elif item.role == WAY:
                way.append(number)
        kind = "none" if not cite else "one" if len(cite) == 1 else "several"
        return Scene(question, tuple(lines), tuple(cite), tuple(way), kind, len(self.path))

    def _planned(self) -> tuple[list[_Scored], dict[int, float]]:
        """Lines with plan scores, and the plan's answers."""
        if self.crowded:
            return self._all_scored()
        return self._walk() if self.rng.random() < 0.8 else self._spread()

    def _all_scored(self) -> tuple[list[_Scored], dict[int, float]]:
        """Every triple of a scene of one hop and a further one, whatever the plan thinks of it."""
        rng, asked = self.rng, _step_key(self.path[0])
        edges = self.edges[self.seed]
        probs = relation_probs(rng, self.options.wrong_plan, {_step_key(edge.step) for edge in edges}, asked)
        stop = rng.betavariate(8, 1)
        scored: list[_Scored] = []
        answers: dict[int, float] = defaultdict(float)
        for edge in edges:
            key = _step_key(edge.step)
            scored.append(_Scored(edge, 1, probs[key], _role(key == asked, 1, 1)))
            answers[edge.end] += probs[key] * stop
            on = self.edges[edge.end]
            further = relation_probs(rng, 0.0, {_step_key(edge.step) for edge in on}, None)
            for more in on:
                score = probs[key] * (1 - stop) * further[_step_key(more.step)]
                scored.append(_Scored(more, 2, score, OTHER))
                answers[more.end] += score
        return scored, dict(answers)

    def _walk(self) -> tuple[list[_Scored], dict[int, float]]:
        """As kgask retrieves: relation paths with their probabilities, STOP included, a beam of them at
        each hop."""
        rng = self.rng
        asked = [_step_key(step) for step in self.path]
        beam = [_Walk((), 1.0, [self.seed], [])]
        ended: list[_Walk] = []
        for hop in range(1, 4):
            stop = 1.0 if hop == 3 else rng.betavariate(8, 1) if hop >= len(asked) else rng.betavariate(1, 8)
            longer: list[_Walk] = []
            for walk in beam:
                edges = [edge for entity in walk.ends for edge in self.edges[entity] if edge.end != self.seed]
                on_path = list(walk.keys) == asked[: hop - 1] and hop <= len(asked)
                probs = relation_probs(
                    rng,
                    self.options.wrong_plan,
                    {_step_key(edge.step) for edge in edges},
                    asked[hop - 1] if on_path else None,
                )
                for key, prob in probs.items():
                    taken = [edge for edge in edges if _step_key(edge.step) == key]
                    if taken and walk.prob * prob > LEAST_PROB:
                        ends = list(dict.fromkeys(edge.end for edge in taken))
                        step = _Walk((*walk.keys, key), walk.prob * prob, ends, [*walk.trail, taken])
                        longer.append(_Walk(step.keys, step.prob * (1 - stop), ends, step.trail))
                        ended.append(_Walk(step.keys, step.prob * stop, ends, step.trail))
            beam = sorted(longer, key=lambda walk: -walk.prob)[:BEAM]
        return self._lines_of_walks(sorted(ended, key=lambda walk: -walk.prob), tuple(asked))

    def _lines_of_walks(
        self, ended: list[_Walk], asked: tuple[tuple[str, str], ...]
    ) -> tuple[list[_Scored], dict[int, float]]:
        """The best walks' triples, ``TOP_K`` a hop, and every walk's ends: see
        :mod:`kgask.retrieve.evidence`."""
        total = sum(walk.prob for walk in ended) or 1.0
        answers: dict[int, float] = defaultdict(float)
        for walk in ended:
            for entity in walk.ends:
                answers[entity] += walk.prob / total
        hops: dict[int, dict[int, _Scored]] = defaultdict(dict)
        for walk in ended[:SHOWN_WALKS]:
            needed = set(sorted(walk.ends, key=lambda entity: -answers[entity])[:TOP_K])
            for hop in range(len(walk.trail), 0, -1):
                edges = [edge for edge in walk.trail[hop - 1] if edge.end in needed]
                edges = edges[: max(0, TOP_K - len(hops[hop]))]
                needed = {edge.start for edge in edges}
                for edge in edges:
                    role = _role(walk.keys[:hop] == asked[:hop], hop, len(asked))
                    before = hops[hop].get(id(edge))
                    score = walk.prob + (before.score if before else 0.0)
                    hops[hop][id(edge)] = _Scored(edge, hop, score, role)
        return [item for hop in sorted(hops) for item in hops[hop].values()], dict(answers)

    def _spread(self) -> tuple[list[_Scored], dict[int, float]]:
        """The soft form: weights flow over every relation; the best triples of every hop, and the answer
        set."""
        rng = self.rng
        last = len(self.path)
        weights: dict[int, float] = {self.seed: 1.0}
        gold_entities = {self.seed}
        seen = {self.seed}
        scored: list[_Scored] = []
        answers: dict[int, float] = defaultdict(float)
        for hop, hop_weight in enumerate(hop_weights(rng, last), start=1):
            found, weights, gold_entities = self._hop(hop, weights, gold_entities, seen)
            for entity, weight in weights.items():
                answers[entity] += weight * hop_weight
            scored.extend(sorted(found, key=lambda item: -item.score)[:TOP_K])
        best = max(answers.values(), default=1.0)
        floor = best * rng.choice((0.0, 0.02, 0.1, 0.5))
        return scored, {entity: score for entity, score in answers.items() if score >= floor and score > 0}

    def _hop(
        self, hop: int, weights: dict[int, float], gold_entities: set[int], seen: set[int]
    ) -> tuple[list[_Scored], dict[int, float], set[int]]:
        edges = [edge for entity in weights for edge in self.edges[entity] if edge.end not in seen]
        asked = self.path[hop - 1] if hop <= len(self.path) else None
        keys = {_step_key(edge.step) for edge in edges}
        probs = relation_probs(self.rng, self.options.wrong_plan, keys, asked and _step_key(asked))
        found: list[_Scored] = []
        reached: dict[int, float] = defaultdict(float)
        gold_ends = set()
        for edge in edges:
            is_gold = asked is not None and edge.start in gold_entities and _step_key(edge.step) == _step_key(asked)
            score = weights[edge.start] * probs[_step_key(edge.step)]
            found.append(_Scored(edge, hop, score, _role(is_gold, hop, len(self.path))))
            reached[edge.end] = min(1.0, reached[edge.end] + score)
            if is_gold:
                gold_ends.add(edge.end)
        seen.update(reached)
        return found, {entity: weight for entity, weight in reached.items() if weight > 0.003}, gold_ends

    def _order(self, scored: Sequence[_Scored], shuffled: bool) -> list[_Scored]:
        rng = self.rng
        lines = list(scored)
        if shuffled:
            rng.shuffle(lines)
            return lines
        draw = rng.random()
        if draw < 0.8:
            return sorted(lines, key=lambda item: (item.hop, -item.score))
        if draw < 0.87:
            return sorted(lines, key=lambda item: -item.score)
        if draw < 0.94:
            return sorted(lines, key=lambda item: (-item.hop, -item.score))
        return self._by_path(lines)

    def _by_path(self, lines: list[_Scored]) -> list[_Scored]:
        """Each line followed by the lines that continue it."""
        following: dict[int, list[_Scored]] = defaultdict(list)
        for item in sorted(lines, key=lambda item: (item.hop, -item.score)):
            following[item.edge.start].append(item)
        ordered: list[_Scored] = []
        stack = list(reversed(following.pop(self.seed, [])))
        while stack:
            item = stack.pop()
            ordered.append(item)
            stack.extend(reversed(following.pop(item.edge.end, [])))
        return ordered + [item for rest in following.values() for item in rest]

    def _question(self) -> str:
        rng = self.rng
        topic = self._topic()
        for relation, direction in self.path[:-1]:
            topic = relation.phrase(direction, rng).replace(TOPIC, topic)
        relation, direction = self.path[-1]
        question = relation.question(direction, rng).replace(TOPIC, topic)
        if self.astray and rng.random() < 0.3:
            # A word of the question was taken for a name: "where was X born" linked to Max Born.
            words = [word for word in question.split() if word.isalpha() and len(word) > 3] or ["Name"]
            self.names[self.seed] = f"{self.names_of.name('?', rng).split()[0]} {rng.choice(words).capitalize()}"
        if rng.random() < 0.35:
            question = question.lower()
        elif rng.random() < 0.5:
            question = question[:1].upper() + question[1:]
        question = question.rstrip(" ?")
        return f"{question}?" if rng.random() < 0.65 else question

    def _topic(self) -> str:
        """What the question calls the seed, or (astray) what was wrongly taken for it."""
        rng, name = self.rng, self.names[self.seed]
        if self.astray:
            other = self.names_of.name("P?W"[rng.randrange(3)], rng)
            draw = rng.random()
            if draw < 0.35:
                return rng.choice([f"{name} {other}", f"{name}: {other}", f"{other} {name}", f"{name} and {other}"])
            if draw < 0.7 and " " in name:
                return f"{other} {name.rsplit(' ', 1)[1]}" if rng.random() < 0.5 else f"{name.split(' ', 1)[0]} {other}"
            return other
        draw = rng.random()
        if draw < self.options.renamed:
            return self.names_of.name("P?WO"[rng.randrange(4)], rng)
        if " " in name and draw < 0.1:
            return name.rsplit(" ", 1)[1]  # "Austen" for "Jane Austen"
        if len(name) > 4 and rng.random() < 0.04:
            at = rng.randrange(1, len(name))
            return name[: at - 1] + name[at:]  # a slip of the keyboard
        return name


def _role(on_path: bool, hop: int, n_hops: int) -> str:
    return OTHER if not on_path else CITE if hop == n_hops else WAY


def _step_key(step: Step) -> tuple[str, str]:
    return step[0].key, step[1]
