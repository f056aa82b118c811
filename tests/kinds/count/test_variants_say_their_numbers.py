"""The text of a variant says the numbers that count, each of them, also where the original did not."""

from __future__ import annotations

import re

import pytest

from regard import problems
from regard.solving.variants import variant

HEAD = 'schema = 1\nid = "x"\ntitle = "X"\n'
MODEL = f"""{HEAD}
kind = "count"
statement = "A model has 12 layers of width 768 with 12 heads, and 1.3 billion tokens. How many parameters?"
[given]
of = "model"
d_model = 768
heads = 12
d_ff = 3072
layers = 12
vocabulary = 1000
tokens = 1_300_000_000
[goal]
find = ["block_parameters", "training_flops"]
"""


@pytest.mark.parametrize("seed", range(6))
def test_every_changed_size_stands_in_the_text(seed: int) -> None:
    varied = variant(problems.loads(MODEL), seed)
    told = {int(one) for one in re.findall(r"(?<![\w.])[0-9]+(?![\w.])", varied.statement)}
    for name in ("d_model", "heads", "layers", "d_ff", "vocabulary", "tokens"):
        value = getattr(varied.given, name)
        original = getattr(problems.loads(MODEL).given, name)
        assert value in told or value == original, (name, varied.statement)
    assert f"{varied.given.layers} layers" in varied.statement
    assert f"{varied.given.heads} heads" in varied.statement


def test_numbers_of_gradients_are_told() -> None:
    varied = variant(
        problems.loads(
            f"""{HEAD}
            kind = "gradient"
            statement = "The scores are 1, 2, 3, 0 and 1, and g is (1, 0, 0, 0, 1). What is the gradient?"
            given = {{ forward = "softmax", numbers = {{ s = [1, 2, 3, 0, 1], g = [1, 0, 0, 0, 1] }} }}
            goal = {{ find = ["ds"] }}
            """
        ),
        1,
    )
    for name in ("s", "g"):
        numbers = ", ".join(str(x) for x in varied.given.numbers[name])
        assert f"`{name} = [{numbers}]`" in varied.statement


def test_a_letter_in_the_text_keeps_its_name() -> None:
    text = f"""{HEAD}
    kind = "symmetry"
    statement = "Which B keeps the scores of $Q$ and $K$ when keys are multiplied by M?"
    given = {{ shapes = {{ Q = ["N", "D"], K = ["N", "D"], M = ["D", "D"] }} }}
    goal = {{ unknown = {{ B = ["D", "D"] }}, such_that = "(Q B) (K M)' = Q K'" }}
    """
    names = set()
    for seed in range(6):
        varied = variant(problems.loads(text), seed)
        assert "B" in varied.goal.unknown
        assert "M" in varied.given.shapes
        names |= set(varied.given.shapes)
        assert all(f"${name}$" in varied.statement for name in set(varied.given.shapes) - {"M"})
    assert len(names) > 3  # those in formulas do change
