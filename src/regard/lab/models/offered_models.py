"""Which models a scene may look into: those that the person who started it named, and our own.

A page asks for a model by its name here, never by a path, so it reads no file that was not offered.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regard.errors import ParameterError

if TYPE_CHECKING:
    from regard.models import Inspection, Model

DEMONSTRATION = "demonstration"
PERIOD = 24  # tokens that are drawn, and then repeated once: a map shows all of them
_paths: dict[str, Path] = {}


def offer_model(path: str | Path) -> str:
    """Let scenes look into a model; return the name that they know it by.

    Args:
        path: what `regard.models.load` opens: a file, a folder or an archive.

    Raises:
        InvalidModel: it cannot be read, or is no model that is known here.

    `Scene("heads-of-a-model", model=offer_model(path))` shows it.
    """
    from regard.models import load

    load(path)  # what is wrong with it is said now, and not on the page
    place = Path(path)
    known = next((name for name, one in _paths.items() if one == place), None)
    if known is not None:
        return known
    base = place.resolve().name
    taken = {DEMONSTRATION, *_paths}
    name = next(n for n in (base, *(f"{base} ({i})" for i in range(2, 10**6))) if n not in taken)
    _paths[name] = place
    return name


def offered_models() -> tuple[str, ...]:
    """Return the names of all that may be looked into."""
    return (DEMONSTRATION, *_paths)


def path_of(name: str) -> str | None:
    """Return the path that a model was offered by; None for regard's own."""
    return None if name == DEMONSTRATION else str(_paths[name])


def opened(name: str) -> Model:
    """Return a model by its name here."""
    if name == DEMONSTRATION:
        from regard.lab.models.designed_model import demonstration_model

        return demonstration_model()
    if name not in _paths:
        raise ParameterError(
            f"There is no model {name!r} here, only {', '.join(offered_models())}. "
            f"Start the lab with one: regard lab PATH."
        )
    from regard.models import load

    return load(_paths[name])


def drawn_tokens(model: Model) -> Any:
    """Return ids that are drawn, always the same, and repeated once."""
    import numpy as np

    known = model.vocabulary
    if known is None or model.architecture.weights_only:
        reason = model.architecture.weights_only or "it has no table of tokens"
        raise ParameterError(f"No tokens can be run through this model: {reason}.")
    period = min(PERIOD, (model.longest or 2 * PERIOD) // 2)
    return np.tile(np.random.default_rng(0).choice(known, period, replace=known < period), 2)


@lru_cache(maxsize=8)
def inspected(name: str, on_tokens: bool) -> Inspection:
    """Return the reading of all heads of a model; it is kept, since it may take long."""
    from regard.models import inspect

    model = opened(name)
    return inspect(model, drawn_tokens(model) if on_tokens else None)
