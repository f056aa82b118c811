"""Which claim proves which goal: a table, by kind of problem, that reads no solver.

Each entry looks at what a problem asks for and at the answer, works out with NumPy what the claim
would have to be about, and compares. "Proved" may be said only where such a claim is among those
that a solution says reach its goal.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from kinds.compute import oracle
from regard.certify import Claim
from regard.kinds.compute.spec import quantity
from regard.kinds.noise.spec import value_symbols
from regard.language import parse, parse_limit
from regard.problems import key_instance, separator_instance, to_dict, token_instance
from regard.solving import Solution, Status

Reached = list[Claim]


def goal_claims(solution: Solution) -> Reached:
    """Return the claims that a solution says are its goal."""
    return [solution.certificate.claims[place] for place in solution.reaches]


def shows_goal(solution: Solution) -> bool:
    """Whether the claims that are said to be the goal are."""
    found = goal_claims(solution)
    return bool(found) and TABLE[solution.problem.kind](solution, found)


def _instance(problem: Any) -> list[Any]:
    """The instance of the problem, and the one with every parameter at its limit."""
    ends = {limit.name: float(limit.target) for limit in map(parse_limit, problem.given.limits)}
    found = [key_instance(problem.given)]
    if ends and all(map(math.isfinite, ends.values())):
        found.append(key_instance(problem.given, parameters=ends))
    return found


def _query(answer: dict[str, Any], name: str, instance: Any) -> Any:
    if isinstance(answer[name], list):
        return np.array(answer[name])
    numbers = {k: v for k, v in answer.items() if isinstance(v, int | float)}
    return np.asarray(parse(answer[name]).evaluate({**instance.symbols, **numbers}), float)


def _target(problem: Any, claim: Claim) -> bool:
    wanted = {problem.given.names[k]: float(w) for k, w in problem.goal.weights.items()}
    target = claim.fields["target"]
    return dict(zip(target["indices"], target["weights"], strict=True)) == wanted


def _close(a: Any, b: Any) -> bool:
    a, b = np.asarray(a, float), np.asarray(b, float)
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=1e-12, atol=1e-12))


def query(solution: Solution, found: Reached) -> bool:
    """A distance of the goal's own measure, at most its tolerance, for the query of the answer."""
    problem, arrays = solution.problem, solution.certificate.arrays
    if problem.goal.longest is not None or problem.goal.find == ["error"]:
        return _least(solution, found)
    random = problem.given.keys.law == "gaussian"
    values = problem.given.values
    known = values.law in ("fixed", "orthonormal") or getattr(values, "norms", None) is not None
    if solution.verdict is Status.IMPOSSIBLE:
        return any(_excludes(problem, claim) for claim in found)
    for claim in found:
        if claim.fields["bound"] > problem.goal.tolerance or not _target(problem, claim):
            return False
        if solution.certificate.scale != problem.given.scale:
            return False
        kinds = {"output_rms", "output_close"} if random else {"output_close" if known else
                                                               "weights_close"}  # fmt: skip
        if claim.kind not in kinds:
            return False
        keys = arrays["means" if claim.kind == "output_rms" else "keys"]
        asked = [
            instance
            for instance in _instance(problem)
            if np.array_equal(keys, instance.keys) and _noise_fits(claim, arrays, instance)
        ]
        stated = claim.witness.get("query", claim.witness.get("queries"))
        if not any(
            _close(np.ravel(stated), _query(dict(solution.answer), "q", one)) for one in asked
        ):
            return False
    return True


def _least(solution: Solution, found: Reached) -> bool:
    """The least error from both sides; or a query within the length; or none within the tolerance."""
    problem: Any = solution.problem
    goal, least = problem.goal, solution.finding.least  # type: ignore[attr-defined]
    if not _close(solution.certificate.arrays["keys"], _instance(problem)[0].keys):
        return False
    above = [c for c in found if c.kind in ("weights_close", "output_close")]
    below = [c for c in found if c not in above]
    floors = [c for c in below if c.kind == "floors_out_of_reach" and goal.longest is not None]
    for claim in floors:
        wanted = {problem.given.names[k]: w for k, w in goal.weights.items()}
        fields = claim.fields["floors"]
        for row, floor in zip(fields["indices"], fields["weights"], strict=True):
            if not math.isclose(wanted[row] - floor, least.low, rel_tol=1e-6):
                return False
        if claim.fields["radius"] != goal.longest:
            return False
    if solution.verdict is Status.IMPOSSIBLE:
        return bool(floors) and least.low > goal.tolerance
    if not above or not all(_target(problem, c) for c in above):
        return False
    if goal.find == ["query"]:
        q = np.asarray(solution.answer["q"])
        short = float(np.linalg.norm(q)) <= goal.longest * (1 + 1e-12)
        return (
            short
            and above[0].fields["bound"] <= goal.tolerance
            and _close(above[0].witness["query"], q)
        )
    error = solution.answer["error"]
    return (bool(below) or error <= 1e-8) and abs(
        above[0].fields["bound"] - error
    ) <= 1e-8 + 1e-2 * error


def _noise_fits(claim: Claim, arrays: Any, instance: Any) -> bool:
    if instance.covariances is None:
        return True
    if claim.kind == "output_rms":
        return _close(arrays["covariances"], instance.covariances)
    return not np.any(instance.covariances)  # a claim about keys that do not vary


def _excludes(problem: Any, claim: Claim) -> bool:
    """Whether a claim about all queries leaves no weights within the tolerance."""
    tolerance = problem.goal.tolerance
    wanted = {problem.given.names[k]: float(w) for k, w in problem.goal.weights.items()}
    if claim.kind == "ceiling":
        return wanted.get(claim.fields["key"], 0.0) - tolerance > claim.fields["bound"]
    # Others come with the design that refused; what they exclude is audited with it.
    return claim.kind not in ("mean_gap", "score_variance", "condition", "margin_at_least")


def heads(solution: Solution, found: Reached) -> bool:
    problem = solution.problem
    if solution.verdict is Status.IMPOSSIBLE:
        return any(_excludes(problem, claim) for claim in found)
    claim, *each = found
    if claim.kind != "output_rms" or claim.fields["bound"] > problem.goal.tolerance:
        return False
    if not _heads_apart(problem, each):
        return False
    shares = claim.witness["head_weights"] or ["1"]
    if not _target(problem, claim):
        return False
    for instance in _instance(problem):
        noise = instance.covariances
        noise = (
            np.zeros(solution.certificate.arrays["covariances"].shape) if noise is None else noise
        )
        if not _close(noise, solution.certificate.arrays["covariances"]):
            continue
        queries = [
            _query(dict(solution.answer), f"q_{h + 1}", instance) for h in range(problem.goal.heads)
        ]
        stated = claim.witness["queries"]
        counts = [sum(_close(q, one) for q in queries) for one in stated]
        total = sum(counts)
        return total == problem.goal.heads and [Fraction(k, total) for k in counts] == [
            Fraction(share) for share in shares
        ]
    return False


def _heads_apart(problem: Any, each: list[Claim]) -> bool:
    """Whether claims about single heads are those that the goal asks for: none, or one for each."""
    wanted = [{problem.given.names[k]: w for k, w in own.items()} for own in problem.goal.per_head]
    alone = []
    for claim in each:
        counts = [Fraction(share) for share in claim.witness["head_weights"]]
        near = claim.fields["bound"] <= problem.goal.heads * problem.goal.tolerance
        if claim.kind != "output_rms" or not near or sorted(counts)[-2:] != [0, 1]:
            return False
        target = claim.fields["target"]
        own = dict(zip(target["indices"], target["weights"], strict=True))
        alone.append((counts.index(Fraction(1)), own))
    heads = {head for head, _ in alone}
    return len(heads) == len(alone) == len(wanted) and all(own in wanted for _, own in alone)


def condition(solution: Solution, found: Reached) -> bool:
    (claim,) = found
    goal = solution.problem.goal
    return (
        claim.kind == "equivalence"
        and claim.fields["effect"] == goal.effect
        and claim.fields["condition"] == solution.answer["condition"]
        and (claim.fields["of"], claim.fields["other"]) == (goal.of, goal.other)
    )


def compute(solution: Solution, found: Reached) -> bool:
    """Every row asked for is claimed, with the numbers of an oracle that shares nothing with it."""
    problem = solution.problem
    right = oracle.attend(to_dict(problem)["given"])
    claimed = {}
    for claim in found:
        if claim.kind != "stepwise" or claim.fields["bound"] > 1e-9 * (1 + _largest(claim)):
            return False
        for row, entries in zip(claim.fields["rows"], claim.fields["entries"], strict=True):
            claimed[claim.fields["quantity"], row] = [float(Fraction(x)) for x in entries]
    for name in problem.goal.find:
        asked = quantity(name, problem.given)
        whole = right[asked.name]
        for row in asked.rows(len(whole)):
            stated = claimed.get((asked.name, row - 1))
            wanted = np.ravel(whole[row - 1])
            if stated is None or not np.allclose(stated, wanted, rtol=1e-9, atol=1e-9):
                return False
    return True


def _largest(claim: Claim) -> float:
    flat = [x for row in claim.fields["entries"] for x in (row if isinstance(row, list) else [row])]
    return max(abs(float(Fraction(x) if isinstance(x, str) else x)) for x in flat)


def moments(solution: Solution, found: Reached) -> bool:
    answer, goal = solution.answer, solution.problem.goal
    if solution.verdict is Status.IMPOSSIBLE:
        return found[0].fields["variance"] == "0"
    stated = {"mean": found[0].fields["mean"], "variance": found[0].fields["variance"]}
    if "s" in goal.find and "s" in answer:
        last = found[-1].fields
        if "divided_by" in last:
            if (
                last["divided_by"] != answer["s"]
                or float(Fraction(last["variance"])) != goal.variance
            ):
                return False
        else:  # positions: s is the root of the variance over what is wanted
            numbers = solution.problem.given.parameters
            ratio = parse(stated["variance"]).evaluate(numbers) / goal.variance
            if not _close(parse(answer["s"]).evaluate(numbers) ** 2, ratio):
                return False
    return all(stated[name] == answer[name] for name in ("mean", "variance") if name in answer)


def noise(solution: Solution, found: Reached) -> bool:
    problem, arrays = solution.problem, solution.certificate.arrays
    kinds = {claim.kind for claim in found}
    wanted = set(problem.goal.find)
    if "independent" in wanted and "heads_independent" not in kinds:
        return False
    if wanted == {"independent"}:
        return True
    grows = any(math.isinf(parse_limit(text).target) for text in problem.given.limits)
    law = next((c for c in found if c.kind == ("hard_limit" if grows else "output_law")), None)
    if law is None:
        return False
    if "atoms" in wanted and not grows:  # a law that varies and has no limit has a density
        return solution.answer["atoms"] == [] and np.trace(law.fields["covariance"]) > 1e-6
    numbers = {**problem.given.parameters, "n": float(problem.given.n)}
    symbols = {**numbers, **value_symbols(problem.given, arrays["values"])}
    if grows:
        if bool(law.fields["nonnegative"]) != problem.given.ignore_negative:
            return not law.fields["nonnegative"] and len(law.fields["atoms"]) == 1
        for atom in solution.answer.get("atoms", []):
            chance = float(np.asarray(parse(atom["probability"]).evaluate(symbols)))
            point = np.asarray(parse(atom["value"]).evaluate(symbols), float)
            if not any(
                abs(chance - one["probability"]) < 1e-9 and _close(point, one["value"])
                for one in law.fields["atoms"]
            ):
                return False
        stated = law.fields["moments"]
        mean, variance = stated["mean"], stated["variance"]
    else:
        mean, variance = law.fields["mean"], np.trace(law.fields["covariance"])
    if "mean" in solution.answer:
        told = np.asarray(parse(solution.answer["mean"]).evaluate(symbols), float)
        if not np.allclose(told, mean, atol=1e-8):
            return False
    if "variance" in solution.answer:
        told = float(np.asarray(parse(solution.answer["variance"]).evaluate(symbols)))
        if abs(told - variance) > 1e-8 * max(1.0, abs(told)):
            return False
    return True


def separator(solution: Solution, found: Reached) -> bool:
    problem = solution.problem
    if solution.verdict is Status.IMPOSSIBLE:
        return found[0].kind == "no_separator"
    S, T = separator_instance(problem.given)
    kept, dropped = (S, T) if problem.goal.recover == "S" else (T, S)
    M = np.asarray(parse(solution.answer["M"]).evaluate({"S": S, "T": T}), float)
    M = M if problem.goal.side == "M c" else M.T
    claim = found[0]
    arrays = solution.certificate.arrays
    fits = (
        _close(arrays["S"], kept) and _close(arrays["T"], dropped) and _close(claim.witness["M"], M)
    )
    exact = claim.fields["bound"] <= 1e-9 * (1 + np.max(np.abs(M)))
    fixed = problem.given.S.law == problem.given.T.law == "fixed"
    general = fixed or any(
        claim.kind == "separating_formula"
        and claim.fields["orthogonal"] <= problem.given.orthogonal
        and solution.answer["M"] in claim.fields["formula"]
        for claim in found
    )
    return claim.kind == "separates" and fits and exact and general


def offset(solution: Solution, found: Reached) -> bool:
    (claim,) = found
    given, goal = solution.problem.given, solution.problem.goal
    block = np.asarray(claim.witness["A"])[:2, :2]
    turn = np.array(
        [[math.cos(given.T), -math.sin(given.T)], [math.sin(given.T), math.cos(given.T)]]
    )
    size = np.linalg.norm(block) / math.sqrt(2)
    rotated = size == 0 or bool(np.allclose(block, size * turn, atol=1e-9 * size))
    return (
        claim.kind == "offset_mass"
        and claim.fields["bound"] >= 1 - goal.tolerance
        and (claim.fields["T"], claim.fields["n"]) == (given.T, given.n)
        and rotated
    )


def band(solution: Solution, found: Reached) -> bool:
    given = solution.problem.given
    claim = found[0]
    fields = claim.fields
    if (fields["T"], fields["B"], fields["n"]) != (given.T, given.B, given.n):
        return False
    if solution.verdict is Status.IMPOSSIBLE:
        return claim.kind == "band_optimal" and fields["bound"] <= 0
    A = np.asarray(claim.witness["A"])
    speeds = given.base ** (-2 * np.arange(given.d_model // 2) / given.d_model)
    zeroed = speeds * given.B / 2 > solution.problem.goal.phase
    empty = [not np.any(A[2 * i : 2 * i + 2]) for i in range(len(speeds))]
    right = list(zeroed) == empty or not np.any(A)
    return (
        claim.kind == "band_gap"
        and right
        and (fields["bound"] > 0 or solution.verdict is not Status.PROVED)
    )


def self_attention(solution: Solution, found: Reached) -> bool:
    if solution.verdict is Status.IMPOSSIBLE:
        return True  # what a refused design excludes is audited with it
    goal = solution.problem.goal
    kinds = {claim.kind for claim in found}
    asked = {"pattern_close"} if getattr(goal, "attend", None) else set()
    asked |= {"outputs_close"} if getattr(goal, "outputs", None) else set()
    return kinds >= asked and kinds <= {"pattern_close", "outputs_close"}


def feasibility(solution: Solution, found: Reached) -> bool:
    problem = solution.problem
    goal_text = next(iter(problem.goal.output.values()))
    _, symbols = token_instance(problem.given)
    goal = np.asarray(parse(goal_text).evaluate(symbols), float)
    size = float(np.linalg.norm(goal)) or 1.0
    allowed = problem.goal.tolerance * size
    if solution.verdict is Status.IMPOSSIBLE:
        vectors = [np.asarray(parse(t).evaluate(symbols), float) for t in problem.given.change.add]
        return all(
            any(
                claim.kind == "multiples_out_of_reach"
                and _close(claim.fields["added"], vector)
                and _close(claim.fields["goal"], goal)
                and claim.fields["bound"] >= allowed * (1 - 1e-12)
                and (claim.fields["larger"] or not problem.given.limits or solution.assumes)
                for claim in found
            )
            for vector in vectors
            if np.any(vector)
        )
    claim = found[-1]
    return (
        claim.kind == "outputs_close"
        and claim.fields["bound"] <= allowed * (1 + 1e-12)
        and _close(claim.fields["outputs"][0]["vector"], goal)
    )


def identity(solution: Solution, found: Reached) -> bool:
    return {claim.kind for claim in found} <= {"identity", "identity_fails", "always_above"}


def count(solution: Solution, found: Reached) -> bool:
    """A count or a shape for every quantity, with the number or the formula of the answer."""
    stated = {claim.fields["quantity"]: claim.fields for claim in found if claim.kind == "count"}
    shapes = {
        claim.fields["array"]: claim.fields["axes"] for claim in found if claim.kind == "shape"
    }
    numbers = {name: float(x) for name, x in solution.problem.given.numbers().items()}
    for name, said in solution.answer.items():
        if name.startswith("same_"):
            quantity = name.removeprefix("same_")
            every = [f for n, f in stated.items() if n == quantity or n.startswith(f"{quantity}_")]
            values = {fields["number"] or fields["formula"] for fields in every}
            if len(every) < 2 or (len(values) == 1) is not said:
                return False
        elif isinstance(said, list):
            axes = shapes[name.removeprefix("shape_")]
            worth = [float(parse(axis).evaluate(numbers)) for axis in axes]
            if worth != [float(x) for x in said]:
                return False
        elif name in stated:
            fields = stated[name]
            both = f"{fields['formula']} = {fields['number']}"
            if str(said) not in (fields["number"], fields["formula"], both):
                return False
        elif name not in solution.problem.goal.orders:
            return False
    return True


SHOWS = {"identity", "rank_at_most", "always_compared", "positions_share"}
REFUTES = {"identity_fails", "rank_exceeds", "comparison_fails", "positions_differ"}


def choice(solution: Solution, found: Reached) -> bool:
    """What is true is shown and what is false refuted, but for !=, where it is the other way."""
    problem: Any = solution.problem
    reached = [claim.kind for claim in found]
    for statement in problem.goal.statements:
        settled = solution.finding.settled[statement.label]  # type: ignore[attr-defined]
        unequal = statement.says is not None and "!=" in statement.says
        wanted = SHOWS if settled.truth != unequal else REFUTES
        kinds = {claim.kind for claim in settled.claims}
        if not kinds or not kinds <= wanted or not kinds <= set(reached):
            return False
    return True


def gradient(solution: Solution, found: Reached) -> bool:
    """The gradient in that very array, and the formula or the entries of the answer; or the bound."""
    answer = solution.answer
    if "bound" in answer:
        claim = found[0]
        of = solution.problem.goal.bound
        return claim.kind == "saturation" and claim.fields == {"of": of, "bound": answer["bound"]}
    of = [claim.fields.get("of", claim.fields.get("what")) for claim in found]
    wanted = [
        name if claim.kind == "evaluated" else name.removeprefix("d")
        for name, claim in zip(answer, found, strict=True)
    ]
    if solution.problem.given.forward == "softmax":
        wanted = [
            one if claim.kind == "evaluated" else "s"
            for one, claim in zip(wanted, found, strict=True)
        ]
    entries = all(
        _close(claim.fields["entries"], answer[claim.fields["what"]])
        for claim in found
        if claim.kind == "evaluated"
    )
    return of == wanted and entries


def symmetry(solution: Solution, found: Reached) -> bool:
    """One claim for each thing that is asked for: it stays or it does not, and what it becomes."""
    asked = [getattr(solution.finding, name) for name in ("invariant", "formula")]
    settled = [one for one in asked if one is not None]
    kinds = {claim.kind for claim in found}
    return bool(settled) and all(
        {claim.kind for claim in one.claims} == {"identity" if one.truth else "identity_fails"}
        and {claim.kind for claim in one.claims} <= kinds
        for one in settled
    )


def key(solution: Solution, found: Reached) -> bool:
    """The key of the answer within the tolerance, none within it, or the least error from both sides."""
    problem: Any = solution.problem
    given, goal = problem.given, problem.goal
    instance = key_instance(given)
    query = given.query
    query = parse(query).evaluate(instance.symbols) if isinstance(query, str) else query
    arrays = solution.certificate.arrays
    if not _close(arrays["query"], [query]) or not _close(arrays["keys"], instance.keys):
        return False
    for claim in found:
        if claim.fields["row"] != given.names[given.replace]:
            return False
        if goal.weights is not None and not _target(problem, claim):
            return False
    above = [c.fields["bound"] for c in found if c.kind == "replaced_key"]
    below = [c for c in found if c.kind == "no_key"]
    radius = goal.norm or goal.longest
    if any(c.fields["radius"] not in (None, radius) for c in below):
        return False
    if "error" in goal.find:
        error = solution.answer["error"]
        low = max([c.fields["bound"] for c in below], default=0.0)
        if not (low <= error + 1e-9 and min(above) >= error - 1e-9 and min(above) - low < 1e-8):
            return False
    if "key" not in goal.find:
        return True
    if solution.verdict is Status.IMPOSSIBLE:
        return any(c.fields["bound"] > goal.tolerance for c in below)
    claim = next(
        c for c in found if c.kind == "replaced_key" and c.fields["bound"] <= goal.tolerance
    )
    symbols = {**instance.symbols, "q": np.asarray(query, float)}
    if "w" in solution.answer:
        symbols["w"] = parse(solution.answer["w"]).evaluate(symbols)
    return _close(claim.witness["key"], parse(solution.answer["k"]).evaluate(symbols))


def sequences(solution: Solution, found: Reached) -> bool:
    """The task of the goal over all sequences, to within its tolerance; or two that look alike."""
    problem: Any = solution.problem
    (claim,) = found
    same_task = claim.fields["task"] == problem.goal.copy_what
    causal = claim.fields["causal"] == problem.given.is_causal
    if claim.kind == "order_unseen":
        return same_task and causal and claim.fields["bound"] > problem.goal.tolerance
    of = problem.goal.of
    named = claim.fields["of"] == (None if of is None else problem.given.vocabulary.index(of))
    within = claim.fields["bound"] <= problem.goal.tolerance
    write = problem.goal.write
    named &= claim.fields["write"] == (
        None if write is None else problem.given.vocabulary.index(write)
    )
    return claim.kind == "every_sequence" and same_task and causal and named and within


def layers(solution: Solution, found: Reached) -> bool:
    """The task of the goal over all sequences, to within its tolerance."""
    problem: Any = solution.problem
    (claim,) = found
    same = (claim.fields["task"], claim.fields["start"]) == (
        problem.goal.bring,
        problem.given.start,
    )
    arrays = solution.certificate.arrays
    sizes = (
        len(problem.given.vocabulary) + problem.given.start,
        problem.given.length + problem.given.start,
    )
    fits = (len(arrays["tokens"]), len(arrays["positions"])) == sizes
    return (
        claim.kind == "two_layers"
        and same
        and fits
        and claim.fields["bound"] <= problem.goal.tolerance
    )


def code(solution: Solution, found: Reached) -> bool:
    return solution.verdict is Status.ARGUED  # runs on instances are no proof


TABLE: dict[str, Callable[[Solution, Reached], bool]] = {
    "query": query,
    "heads": heads,
    "condition": condition,
    "compute": compute,
    "moments": moments,
    "noise": noise,
    "separator": separator,
    "offset": offset,
    "band": band,
    "self_attention": self_attention,
    "feasibility": feasibility,
    "identity": identity,
    "count": count,
    "gradient": gradient,
    "choice": choice,
    "symmetry": symmetry,
    "code": code,
    "sequences": sequences,
    "key": key,
    "layers": layers,
}
