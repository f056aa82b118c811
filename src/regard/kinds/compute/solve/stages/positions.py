"""Queries and keys turned by their positions, or mapped to features of linear attention."""

from __future__ import annotations

from regard.kinds.compute.solve.stages.recipe import Recipe


def add(recipe: Recipe) -> None:
    """Add QR and KR, or QF, KF and KV."""
    given, p = recipe.given, recipe.given.positions
    if given.turns:
        assert p is not None
        options = {"base": p.base, "pairs": p.pairs}
        recipe.do("QR", "rotary", "Q", start=given.first_query, heads=given.heads, **options)
        before = given.turned_before
        start, own = given.first_key + before, "new K" if before else "K"
        turned = "new KR" if before else "KR"
        recipe.do(turned, "rotary", own, start=start, heads=given.groups, **options)
        if before:
            recipe.do("KR", "below", "given cached_K", turned)
    if given.feature_map is not None:
        for letter in "QK":
            recipe.do(f"{letter}F", "mapped", letter, function=given.feature_map)
        if given.d_v is not None and not given.hides:
            turned = recipe.do("KF on its side", "transposed", "KF")
            recipe.do("KV", "times", turned, "V")


def biases(recipe: Recipe, head: int) -> list[list[object]]:
    """Return the biases that positions add to the scores of a head, counted from 0."""
    given, p = recipe.given, recipe.given.positions
    assert p is not None
    ahead = given.first_key - given.first_query
    later = [[ahead + j - i for j in range(given.n_k)] for i in range(given.n_q)]
    if p.kind == "alibi":
        slope = p.slopes[head] if p.slopes else alibi_slope(head + 1, given.heads)
        return [[f"0 - ({slope}) * {abs(d)}" if d else 0 for d in row] for row in later]
    table: list[object] = list(p.biases(head))
    if p.kind == "relative":
        return [[table[d + len(table) // 2] for d in row] for row in later]
    return [[table[bucket(d, len(table), given.is_causal)] for d in row] for row in later]


def alibi_slope(head: int, heads: int) -> str:
    """Return the slope of a head, counted from 1, as a formula: powers of two or of their root."""
    power = 1 << (heads.bit_length() - 1)
    if head <= power:
        above, below = 8 * head, power
    else:
        above, below = 4 * (2 * (head - power) - 1), power
    if above % below == 0:
        return f"1/{2 ** (above // below)}"
    return f"exp(0 - log(2) * {above}/{below})"


def bucket(later: int, buckets: int, causal: bool, longest: int = 128) -> int:
    """Return the bucket of an offset, key minus query, in whole numbers.

    With E exact buckets on a side of B, a distance n >= E is in bucket E + b with the largest b
    below B - E for which n >= E (longest/E)^(b/(B - E)).
    """
    first, distance = 0, max(-later, 0)
    if not causal:
        buckets //= 2
        first, distance = (buckets if later > 0 else 0), abs(later)
    exact = buckets // 2
    if distance < exact:
        return first + distance
    rest = buckets - exact
    # (n/E)^rest >= (longest/E)^b, without fractions.
    reached = [b for b in range(rest) if distance**rest * exact**b >= exact**rest * longest**b]
    return first + exact + max(reached)
