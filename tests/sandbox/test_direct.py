"""Functions of this very process, as otter's and nbgrader's notebooks have them judged."""

from __future__ import annotations

from types import ModuleType

from regard.sandbox.box import Direct


def test_a_function_that_a_notebook_stops_took_too_long() -> None:
    def endless(x: float) -> float:
        raise KeyboardInterrupt  # what a time limit of a cell comes as

    module = ModuleType("notebook")
    module.__dict__["endless"] = endless
    failure = Direct(module, tensors=False).call("endless", 1.0).failure
    assert failure is not None
    assert failure.how == "too long"  # so that it is not called again
    assert "KeyboardInterrupt" not in failure.sentence
