"""What cannot be meant by a problem of this kind is refused, in a sentence."""

from __future__ import annotations

from regard.certify.certificate import Unusable
from regard.kinds.count.instance.closed_forms import count
from regard.kinds.count.instance.sizes import setting, symbols_of
from regard.kinds.count.spec import (
    FRACTIONAL,
    NEEDED,
    QUANTITIES,
    SHAPES,
    SIZES,
    CountGiven,
    CountProblem,
    formula_of,
)
from regard.language import parse

_OF_PARAMETERS = ("parameters", "parameter_bytes", "forward_flops", "training_flops")


def check(problem: CountProblem) -> None:
    """Raise ValueError where a size, a symbol or what is asked for does not fit."""
    given, goal = problem.given, problem.goal
    if not (goal.find or goal.same or goal.orders):
        raise ValueError("goal: give `find`, `same` or `orders`")
    _formulas(given)
    used = set(given.model_copy(update={"values": {}}).symbols) | _defined_names(problem)
    unused = sorted(set(given.values) - used)
    if unused:
        raise ValueError(f"values: no size and no formula uses {unused[0]}")
    twice = [n for n, v in given.written().items() if not isinstance(v, str) and n in given.values]
    if twice:
        raise ValueError(f"values: {twice[0]} is a size with a number of its own")
    for name in ("", *given.others):
        _refuse_fractional_sizes(problem.configuration(name), f"others.{name}: " if name else "")
    _clashes(problem)
    for name in goal.find:
        if name not in goal.define:
            _quantity(problem, name, "goal.find")
    for name, text in goal.define.items():
        formula_of(f"goal.define.{name}", text)
    for name, text in problem.definitions.items():
        for part in sorted(parse(text).names - set(given.symbols)):
            _quantity(problem, part, f"goal.define.{name}")
            if problem.split(part)[0] in SHAPES:
                raise ValueError(f"goal.define.{name}: {part} is a shape and no number")
        _rational(problem, name, text)
    for name in goal.printed:
        if name not in goal.find or problem.split(name)[0] in SHAPES:
            raise ValueError(f"goal.printed: {name} is no number in `find`")
    for name in goal.same:
        _quantity(problem, name, "goal.same")
        if not given.others:
            raise ValueError("goal.same: there is one configuration only: give `others`")
    for name, order in goal.orders.items():
        if order.of not in goal.define:
            _quantity(problem, order.of, f"goal.orders.{name}")
        if order.symbol not in given.symbols:
            raise ValueError(
                f"goal.orders.{name}: {order.symbol} is no symbol: symbols are "
                f"{', '.join(given.symbols)}"
            )


def _rational(problem: CountProblem, name: str, text: str) -> None:
    """What is defined must be made of quantities by + - * / and whole powers."""
    symbols = symbols_of(problem.given)
    formula = parse(text)
    known = {one: symbols.symbol(one) for one in symbols.names}
    try:
        for one in formula.names - set(known):
            quantity, other = problem.split(one)
            known[one] = count(setting(problem.configuration(other), symbols), quantity)
        symbols.value(formula, known)
    except Unusable as reason:
        raise ValueError(
            f"goal.define.{name}: must be made of quantities by + - * / and whole powers, without "
            f"roots, rounding and pi: {reason}"
        ) from None


def _defined_names(problem: CountProblem) -> set[str]:
    texts = problem.goal.define.items()
    used = {name for key, text in texts for name in formula_of(f"goal.define.{key}", text).names}
    return used - set(problem.goal.define)


def _formulas(given: CountGiven) -> None:
    for name, value in given.written().items():
        if isinstance(value, str):
            formula_of(name, value)
    for other, changed in given.others.items():
        for name, value in changed.items():
            if name not in SIZES and name not in ("of", "conventions"):
                raise ValueError(f"others.{other}: {name} is no size: sizes are {', '.join(SIZES)}")
            if isinstance(value, str) and name in SIZES:
                formula_of(f"others.{other}.{name}", value)


def _clashes(problem: CountProblem) -> None:
    """A name must not mean two things: a symbol and another size, or a quantity."""
    given = problem.given
    written = given.written()
    for name in given.symbols:
        if name in SIZES and written.get(name, name) != name and isinstance(written[name], str):
            raise ValueError(
                f"{name} is a size ({written[name]}) and a symbol of its own in another size: "
                "call the symbol otherwise"
            )
    if given.n_k == "n" and isinstance(given.n, int | float):
        raise ValueError(
            f"n_k: n is the number of queries here, {given.n}: call the number of keys otherwise, "
            'such as n_k = "m"'
        )
    for name in (*problem.goal.define, *problem.goal.orders):
        if name in QUANTITIES or name in given.symbols:
            raise ValueError(f"goal: {name} is a quantity or a symbol already: choose another name")


def _refuse_fractional_sizes(given: CountGiven, where: str) -> None:
    """Sizes are whole numbers above 0, as far as they are numbers."""
    symbols = symbols_of(given)
    try:
        sizes = setting(given, symbols).sizes
    except Unusable as problem:
        raise ValueError(f"{where}sizes must be made of + - * / ^ and symbols: {problem}") from None
    for name, ratio in sizes.items():
        value = symbols.here(ratio)
        if value is None:
            continue
        if value <= 0 or (name not in FRACTIONAL and value.denominator != 1):
            made = " = d_model/heads" if name == "d_k" and "d_k" not in given.written() else ""
            need = "above 0" if name in FRACTIONAL else "a whole number above 0"
            raise ValueError(f"{where}{name}{made} must be {need}, and it is {value}")
    pairs = (("window", "n_k", "at most"), ("key_heads", "heads", "a divisor of"))
    for small, large, rule in pairs:
        if small in sizes and large in sizes:
            one, other = symbols.here(sizes[small]), symbols.here(sizes[large])
            if one is None or other is None:
                continue
            fits = one <= other if rule == "at most" else (other / one).denominator == 1
            if not fits:
                raise ValueError(f"{where}{small} must be {rule} {large} ({other}), not {one}")
    causal = given.conventions.causal

    if causal and given.n_k is not None and given.n != given.n_k:
        raise ValueError(f"{where}conventions.causal: n and n_k must be the same")
    if given.conventions.rolling_cache and "window" not in sizes:
        raise ValueError(f"{where}conventions.rolling_cache: needs a window")
    if "window" in sizes and causal is not True:
        raise ValueError(f"{where}window: needs conventions.causal = true")


def _quantity(problem: CountProblem, name: str, where: str) -> None:
    quantity, other = problem.split(name)
    if quantity not in QUANTITIES:
        known = ", ".join(QUANTITIES)
        raise ValueError(f"{where}: {name} is nothing that can be counted: use {known}")
    given = problem.configuration(other)
    sizes = setting(given).sizes
    need = list(QUANTITIES[quantity])
    if quantity == "parameter_bytes" and "parameter_count" in sizes:
        return
    if quantity in ("parameters", "parameter_bytes", "multiplications", "additions", "flops"):
        need += NEEDED[given.of]
        if quantity in ("multiplications", "additions", "flops") and given.of != "product":
            need += ["n"]
        if quantity in ("parameters", "parameter_bytes") and given.of == "product":
            raise ValueError(f"{where}: a product has no parameters")
    if quantity in ("forward_flops", "training_flops") and "parameter_count" not in sizes:
        need += NEEDED[given.of]
        if given.of == "product":
            need += ["parameter_count"]
    if given.of == "head" and quantity in _OF_PARAMETERS and "parameter_count" not in sizes:
        need += ["d_model"]
    if given.conventions.training_attention and quantity == "training_flops":
        need += ["n", "d_model", "layers"]
    missing = [size for size in dict.fromkeys(need) if size not in sizes]
    if missing:
        instead = ""
        if quantity == "parameters" and "parameter_count" in sizes:
            instead = ": the number that is given is called parameter_count"
        raise ValueError(
            f"{where}: {name} needs the size {missing[0]}, which is not given{instead}"
        )
