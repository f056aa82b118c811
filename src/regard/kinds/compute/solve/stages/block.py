"""What stands around attention: residuals, norms and the feed-forward net."""

from __future__ import annotations

from regard.kinds.compute.solve.stages.recipe import Recipe


def add(recipe: Recipe) -> None:
    """Add R, L, F, T and Y."""
    given = recipe.given
    if not recipe.has("C"):
        return
    last = recipe.first("O", "C")
    if given.residual:
        last = recipe.do("R", "plus", recipe.first("XP", "given tokens"), last)
    post = given.norm is not None and given.norm.place == "post"
    if given.feed_forward is None:
        if post:
            add_norm(recipe, "Y", last, first=True)
        return
    before = last
    if given.norm is not None:
        before = add_norm(recipe, "L", last, first=post)
    _add_net(recipe, before)
    if post:
        recipe.do("T", "plus", before, "F")
        add_norm(recipe, "Y", "T", first=False)
    else:
        recipe.do("Y", "plus", last, "F")


def add_norm(recipe: Recipe, name: str, of: str, *, first: bool) -> str:
    """Add a norm; the second one of a block, unless given, has neither gain nor shift."""
    given = recipe.given
    norm, own = (given.norm, "norm") if first else (given.norm_2 or given.norm, "norm_2")
    assert norm is not None
    assert given.tokens is not None
    width = len(given.tokens[0])
    if name == "Y" and not given.residual:
        width = len(given.W_O[0]) if given.W_O is not None else (given.d_v or 0) * given.heads
    parts = []
    for part, plain in (("gain", 1), ("shift", 0)):
        array = recipe.array(f"{own}.{part}")
        parts.append(array or recipe.written(f"{part} of {name}", [[plain] * width]))
    return recipe.do(name, "normed", of, *parts, kind=norm.kind, epsilon=norm.epsilon)


def _add_net(recipe: Recipe, before: str) -> None:
    net = recipe.given.feed_forward
    assert net is not None
    first, second = recipe.array("W_1"), recipe.array("W_2")
    assert first is not None
    assert second is not None
    inner = recipe.do("x W_1", "times", before, first)
    if (bias := recipe.array("b_1")) is not None:
        inner = recipe.do("x W_1 + b_1", "plus", inner, bias)
    function = "identity" if net.activation == "none" else net.activation
    inner = recipe.do("activated", "mapped", inner, function=function)
    if (bias := recipe.array("b_2")) is not None:
        inner = recipe.do("F before the bias", "times", inner, second)
        recipe.do("F", "plus", inner, bias)
    else:
        recipe.do("F", "times", inner, second)
