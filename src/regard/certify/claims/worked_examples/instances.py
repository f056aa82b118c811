"""Whether the values of an instance belong together: a forged one would prove anything.

Scores s are n numbers, s_j is one of them, u picks one of them, and ε lies between 0 and 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from regard.certify.certificate import Unusable, exact


def belonging(instance: Mapping[str, Any]) -> None:
    """Raise Unusable where a value contradicts the scores that it is said of."""
    if "epsilon" in instance and not 0 < exact(instance["epsilon"], "epsilon") < 1:
        raise Unusable("epsilon must lie between 0 and 1.")
    scores: Any = instance.get("s")
    if not isinstance(scores, list | tuple) and not hasattr(scores, "tolist"):
        return
    known = [exact(one, "s") for one in list(scores)]
    if "n" in instance and exact(instance["n"], "n") != len(known):
        raise Unusable("n must be the number of the scores.")
    for name, value in instance.items():
        if str(name).startswith("s_") and exact(value, str(name)) not in known:
            raise Unusable(f"{name} must be one of the scores.")
    if "u" in instance:
        picks = sorted(exact(one, "u") for one in list(instance["u"]))
        if len(picks) != len(known) or picks != [0] * (len(picks) - 1) + [1]:
            raise Unusable("u must pick one of the scores.")
