"""The claim that heads over random keys come near a target in the root mean square.

Keys k_i ~ N(μ_i, Σ_i) are independent, and c = Σ_h w_h c_h is the output. Values v_i are those of
the certificate, or unit vectors (then c is the weights), or known by their diameter D alone, where
‖Σ x_i v_i‖ ≤ D/2 Σ |x_i| for x that sum to 0. The target is c* = Σ p_i v_i.

    output_rms   √E ‖c − c*‖² ≤ bound

It is proved by the bounds of `certify.lemmas.rms_bounds`, in balls, from the queries as they
are rounded; every Σ_i must be positive semidefinite. Errors of several heads add up at most
(Minkowski): √E‖Σ w_h x_h‖² ≤ Σ |w_h| √E‖x_h‖². Where ‖Ec − c*‖ alone is above the bound, the claim
fails; where neither is shown it is undecided.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx

from regard.certify import balls, reading
from regard.certify.balls import BALLS, EXACT, Decision, Outcome
from regard.certify.certificate import Certificate, Claim, Float64, Unusable
from regard.certify.claims.claim_type import ClaimType
from regard.certify.claims.random_keys.output_law import MOST_BITS
from regard.certify.claims.random_keys.random_heads import head_weights_of
from regard.certify.claims.words import keys_in_words
from regard.certify.lemmas.random_keys import Law, read_law
from regard.certify.lemmas.rms_bounds import MOST_PAIRS, Distances, Scores, noise_parts, one_key

MOST_ENTRIES = 3_000_000  # multiplications that show covariances to be semidefinite


def claim(
    target: Any,
    bound: float,
    *,
    queries: Any,
    head_weights: Any = None,
    of: str = "output",
    diameter: float | None = None,
) -> Claim:
    """Return the claim that the output is within bound of its target, in the root mean square.

    Args:
        target: {"indices": …, "weights": …}, the p of c* = Σ p_i v_i.
        bound: of √E ‖c − c*‖².
        queries: (heads, d).
        head_weights: what each head counts; by default 1 over their number.
        of: "output", with the values of the certificate; "weights", with unit vectors for values;
            or "diameter", for all values that are at most `diameter` apart.
        diameter: of the values.
    """
    fields = {"target": target, "bound": bound, "of": of, "diameter": diameter}
    return Claim("output_rms", fields, {"queries": queries, "head_weights": head_weights})


class _Task:
    """The arrays of a claim, read once."""

    def __init__(self, claim: Claim, certificate: Certificate) -> None:
        self.law: Law = read_law(certificate)
        self.count, width = self.law.means.shape
        if self.count < 2:
            raise Unusable("there must be two keys at least.")
        self.queries = claim.witnessed.matrix("queries", columns=width)
        if not len(self.queries):
            raise Unusable("there must be a query.")
        self.shares = head_weights_of(claim, len(self.queries))
        target = claim.stated.weighted("target", self.count)
        self.target = [balls.rational(target.get(i, 0)) for i in range(self.count)]
        self.of = claim.stated.part("of")
        self.values: Float64 | None = None
        self.diameter: Any = None
        if self.of == "output":
            self.values = reading.given(certificate, "values", self.count)
        elif self.of == "diameter":
            self.diameter = claim.stated.positive_or_zero("diameter")
            if sum(self.target) != 1 or sum(self.shares) != 1:
                raise Unusable("the weights of target, and those of the heads, must sum to 1.")
        elif self.of != "weights":
            raise Unusable('of must be "output", "weights" or "diameter".')
        require_semidefinite(self.law.covariances)

    def scores(self) -> Scores:
        """Means and joint variances, from the queries as they are rounded."""
        found = [self.law.scores(query, BALLS) for query in self.queries]
        width = self.queries.shape[1]
        q = [[arb(self.law.scale) * arb(x) for x in row] for row in self.queries.tolist()]
        joint: list[list[list[arb]]] = [[[] for _ in found] for _ in found]
        for h in range(len(found)):
            joint[h][h] = [e.nonnegative_part() for e in found[h][1]]
            pulled = (
                balls.products(self.law.covariances.reshape(-1, width), q[h], BALLS) if h else []
            )
            for g in range(h):
                joint[h][g] = joint[g][h] = [
                    abs(
                        sum(
                            (x * y for x, y in zip(q[g], pulled[at : at + width], strict=True)),
                            arb(0),
                        )
                    )
                    for at in range(0, len(pulled), width)
                ]
        return Scores([means for means, _ in found], joint, [abs(arb(w)) for w in self.shares])

    def distances(self) -> Distances:
        """Bounds on how far apart values are: of the rows given, or the diameter that is stated."""
        diameter = arb(2).sqrt() if self.diameter is None else arb(self.diameter)
        return Distances(self.values, self.count, diameter)

    def missed(self, weights: list[list[arb]]) -> arb:
        """‖c − c*‖ for heads with these weights."""
        off = [-arb(p) for p in self.target]
        for share, alpha in zip(self.shares, weights, strict=True):
            off = [x + arb(share) * a for x, a in zip(off, alpha, strict=True)]
        if self.of == "weights":
            return balls.norm(off)
        if self.of == "diameter":
            return arb(self.diameter) / 2 * sum((abs(x) for x in off), arb(0))
        assert self.values is not None
        table = arb_mat(self.count, self.values.shape[1], self.values.ravel().tolist())
        return balls.norm((arb_mat(1, self.count, off) * table).entries())


def require_semidefinite(covariances: Float64) -> None:
    """Raise Unusable unless every matrix is positive semidefinite, decided in rationals."""
    count, width, _ = covariances.shape
    different = np.unique(covariances.reshape(count, -1), axis=0).reshape(-1, width, width)
    work = 0
    for matrix_ in different:
        diagonal = np.diagonal(matrix_)
        if np.array_equal(matrix_, np.diag(diagonal)):
            sound: bool | None = bool((diagonal >= 0).all())
        else:
            used = np.flatnonzero(matrix_.any(axis=1))  # rows of zeros change nothing
            work += len(used) ** 3
            if work > MOST_ENTRIES:
                raise Unusable("the covariances are too large to be shown semidefinite.")
            small = matrix_[np.ix_(used, used)].tolist()
            sound = balls.definite([[EXACT.number(x) for x in row] for row in small], semi=True)
        if not sound:
            raise Unusable("a covariance is not positive semidefinite.")


def _say_output_rms(claim: Claim) -> str:
    fields = claim.fields
    places, weights = fields["target"]["indices"], fields["target"]["weights"]
    what = {
        "output": "the output is off from",
        "weights": "the weights are off from",
        "diameter": "for all values at most {} apart, the output is off from",
    }[fields["of"]].format(fields["diameter"])
    listed = (
        ", ".join(reading.exactly(w) for w in weights) if len(places) <= 5 else "its target weights"
    )
    counts = claim.witness.get("head_weights") or []
    if len(counts) > 1 and sorted(map(str, counts)) == [*["0"] * (len(counts) - 1), "1"]:
        what = what.replace(" off", f" (head {[str(one) for one in counts].index('1')} alone) off")
    return (
        f"over random keys {what} {listed} on {keys_in_words(places)} by at most "
        f"{reading.up(fields['bound'])} in the root mean square"
    )


def output_rms(claim: Claim, certificate: Certificate) -> Decision:
    """Prove the bound by exponentials; refute it where even the mean is further off."""
    task = _Task(claim, certificate)
    bound = arb(claim.stated.positive_or_zero("bound"))

    last = Outcome(None, "nothing was computed.")

    def test() -> Outcome:
        nonlocal last
        if ctx.prec > MOST_BITS:
            return last
        scores, distances = task.scores(), task.distances()
        found: list[arb] = []
        for pairs in (False, True)[: 1 + (task.count <= MOST_PAIRS)]:
            parts = noise_parts(scores, distances, pairs=pairs)
            missed = task.missed(parts.weights)
            found.append(((missed + parts.bias) ** 2 + parts.variance).sqrt())
            if found[-1] <= bound:
                return Outcome(True, f"It is at most {balls.show(found[-1].upper())}.")
        if missed - parts.bias > bound:  # ‖Ec − c*‖ alone, which is at most the root mean square
            return Outcome(False, f"It is at least {balls.show((missed - parts.bias).lower())}.")
        if bound > 0:
            found.append(_looking_at_one(task, scores, distances, bound))
            if found[-1] <= bound:
                return Outcome(True, f"It is at most {balls.show(found[-1].upper())}.")
        if all(one > bound for one in found):  # more bits would not help
            least = min(one.mid() for one in found)
            raise Unusable(
                f"what can be proved is at most {balls.show(least)}, which is not enough."
            )
        last = Outcome(None, f"It is at most {balls.show(found[-1].upper())}.")
        return last

    return balls.constructed(balls.settle(test))


def _looking_at_one(task: _Task, scores: Scores, distances: Distances, bound: arb) -> arb:
    """Return the bound where heads that look at one key each are bounded one by one."""
    pairs = task.count <= MOST_PAIRS
    alone, weights = arb(0), noise_parts(scores, distances, pairs=False).weights
    left = []
    for h in range(len(task.queries)):
        key, away = one_key(scores, h, bound)
        one = noise_parts(scores.only([h]), distances, pairs=pairs)
        lost = (1 - one.weights[0][key]) * distances.widest[key] * scores.shares[h]
        by_parts = ((lost + one.bias) ** 2 + one.variance).sqrt()
        by_key = scores.shares[h] * distances.widest[key] * away
        if by_key < by_parts:
            alone += by_key
            weights[h] = [arb(int(i == key)) for i in range(task.count)]
        else:
            left.append(h)
    rest = noise_parts(scores.only(left), distances, pairs=pairs)
    return ((task.missed(weights) + rest.bias) ** 2 + rest.variance).sqrt() + alone


CLAIM_TYPES = {
    "output_rms": ClaimType(output_rms, _say_output_rms),
}
