"""Problems of courses: variants against an oracle, golden numbers, and every way to ask."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinds.compute.oracle import attend, number, pick
from regard.checking import check
from regard.errors import InvalidProblem
from regard.problems import from_dict, load, names, to_dict
from regard.solving import Status, solve, variant

COURSES = [n for n in names() if load(n).kind == "compute" and not n.startswith("worked-")]
SEEDS = [pytest.param(s, marks=[pytest.mark.slow] if s % 10 else []) for s in range(20)]


def problem(given: dict[str, Any], *find: str, **goal: Any) -> Any:
    head = {"schema": 1, "id": "p", "title": "p", "kind": "compute", "statement": "p"}
    return from_dict({**head, "given": given, "goal": {"find": list(find), **goal}})


def numbers(answer: Any) -> np.ndarray:
    flat = np.ravel(np.array(answer, dtype=object))
    return np.array([number(x) for x in flat]).reshape(np.shape(np.array(answer, dtype=object)))


def agrees(solution: Any) -> None:
    found = attend(to_dict(solution.problem)["given"])
    for name, value in solution.answer.items():
        np.testing.assert_allclose(numbers(value), pick(found, name), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", COURSES)
def test_variants_agree_with_the_oracle(name: str, seed: int) -> None:
    varied = variant(load(name), seed)
    solution = solve(varied)
    assert solution.verdict is Status.COMPUTED
    assert set(solution.answer) == set(load(name).goal.find)
    agrees(solution)


@pytest.mark.parametrize("name", COURSES)
def test_variants_are_others_and_keep_the_question(name: str) -> None:
    given = [to_dict(variant(load(name), seed))["given"] for seed in range(4)]
    assert len({json.dumps(one) for one in given}) >= 2
    assert all(set(one) == set(to_dict(load(name))["given"]) for one in given)


def test_there_are_enough_problems_of_courses_and_each_names_one() -> None:
    assert len(COURSES) >= 18
    assert all(load(name).source for name in COURSES)


# Golden numbers of the theory, worked out beforehand.

Q, K = [[1, 0, 2, -1]], [[0, 1, 1, 1]]


@pytest.mark.parametrize(
    ("given", "name", "expected"),
    [
        (  # H55
            {"Q": [[1, 2, 3, 4]], "K": [[0, 0, 0, 0]], "positions": {"kind": "rotary", "start": 3}},
            "qr_1",
            [-1.27223251272018, -1.8388649851410237, 2.87866810043698, 4.088186635603437],
        ),
        (
            {
                "Q": [[1, 2, 3, 4]],
                "K": [[0, 0, 0, 0]],
                "positions": {"kind": "rotary", "start": 3, "pairs": "halves"},
            },
            "qr_1",
            [-1.413352520780047, 1.8791180666879923, -2.828857481741469, 4.058191135400941],
        ),
        (  # H56: query 4 steps after the key
            {"Q": Q, "K": K, "positions": {"kind": "rotary", "query_start": 4}},
            "z_1",
            [0.3623656139129522],
        ),
        (
            {"Q": Q, "K": K, "positions": {"kind": "rotary", "start": 4, "query_start": 0}},
            "z_1",
            [1.6360345994090038],
        ),
        (
            {"Q": Q, "K": K, "positions": {"kind": "rotary", "query_start": 4, "pairs": "halves"}},
            "z_1",
            [-3.023300509509496],
        ),
        (  # H58
            {"n": 1, "d_model": 6, "positions": {"kind": "sinusoidal", "start": 2}},
            "p_1",
            [
                0.9092974268256817,
                -0.4161468365471424,
                0.09269850077872722,
                0.9956942241237399,
                0.004308856046742812,
                0.9999907168366957,
            ],
        ),
        (  # H53
            {
                "scores": [[0] * 4] * 4,
                "is_causal": True,
                "positions": {"kind": "alibi", "slopes": ["1/2"]},
            },
            "a_4",
            [0.1015363240915518, 0.16740509727844333, 0.27600434470659363, 0.45505423392341127],
        ),
        # H62: after (1, 3, 2) and then (5, 4)
        (
            {"scores": [[1, 3, 2, 5, 4]], "tiles": 3},
            "rs_1",
            [1.503214724408055, 1.5713174316646532],
        ),
        ({"scores": [[1, 3, 2, 5, 4]], "tiles": 3}, "rm_1", [3, 5]),
        ({"scores": [[1, 3, 2, 5, 4]]}, "h_1", 0.9999728282753986),
        # H59
        ({"scores": [["10000", "9999", "9990"]]}, "lse_1", 10000.313294876976),
        ({"scores": [["10000", "9999", "9990"]]}, "h_1", 0.5825592615396739),
    ],
)
def test_golden_numbers(given: dict[str, Any], name: str, expected: Any) -> None:
    solution = solve(problem(given, name))
    assert solution.verdict is Status.COMPUTED, str(solution.verification)
    np.testing.assert_allclose(numbers(solution.answer[name]), expected, rtol=1e-12)
    assert check(solution.problem, {name: expected}).right


@pytest.mark.parametrize(
    ("heads", "slopes"),
    [  # H52
        (8, [2.0**-h for h in range(1, 9)]),
        (12, [*(2.0**-h for h in range(1, 9)), *(2.0 ** -(h - 0.5) for h in range(1, 5))]),
    ],
)
def test_alibi_slopes_of_many_heads(heads: int, slopes: list[float]) -> None:
    row = [0] * heads
    given = {"Q": [row, row], "K": [row, row], "heads": heads, "positions": {"kind": "alibi"}}
    find = [f"b_h{h}_2_1" for h in range(1, heads + 1)]
    answer = solve(problem(given, *find)).answer
    np.testing.assert_allclose([number(answer[n]) for n in find], -np.array(slopes), rtol=1e-14)
    assert check(problem(given, *find), dict(zip(find, (-s for s in slopes), strict=True))).right


def test_t5_buckets_are_those_of_whole_numbers() -> None:
    golden = Path(__file__).with_name("t5_buckets.json")
    data = json.loads(golden.read_text("utf-8"))  # H54: rel is key minus query
    from regard.kinds.compute.instance.positions import t5_bucket
    from regard.kinds.compute.solve.stages.positions import bucket

    for causal, name in ((False, "bidirectional"), (True, "causal")):
        for rule in (bucket, t5_bucket):
            assert [rule(r, 32, causal) for r in data["rel"]] == data[name]


def test_what_has_an_exact_form_is_given_in_it() -> None:
    given = {"tokens": [[1, 3], [2, -2]], "norm": {}, "residual": True, "scale": "1/sqrt(d_k)"}
    assert solve(problem(given, "N")).answer == {"N": [[-1, 1], [1, -1]]}
    cosines = {"Q": [[3, 4]], "K": [[4, 3], [0, 2]], "score": "cosine"}
    assert solve(problem(cosines, "z_1")).answer == {"z_1": ["24/25", "4/5"]}
    roots = {"Q": [["sqrt(2)/2", "sqrt(8)"]], "K": [["sqrt(2)", "1/sqrt(2)"]]}
    assert solve(problem(roots, "z_1")).answer == {"z_1": [3]}


def test_digits_are_as_many_as_are_asked_for_and_certain() -> None:
    import mpmath

    given = {"n": 1, "d_model": 2, "positions": {"kind": "sinusoidal", "start": 1}}
    headline = solve(problem(given, "p_1", digits=40)).headline
    with mpmath.workdps(60):
        assert mpmath.nstr(mpmath.sin(1), 40) in headline
        assert mpmath.nstr(mpmath.cos(1), 40) in headline


def test_sixty_four_tokens_are_traced_and_their_report_stays_short() -> None:
    rng = np.random.default_rng(7)
    sizes = {"tokens": (64, 5), "W_Q": (5, 3), "W_K": (5, 3), "W_V": (5, 2)}
    given: dict[str, Any] = {n: rng.integers(-1, 2, s).tolist() for n, s in sizes.items()}
    given |= {"is_causal": True, "scale": "1/sqrt(d_k)"}
    solution = solve(problem(given, "C"))
    assert solution.verdict is Status.COMPUTED
    agrees(solution)
    text = str(solution)
    assert len(text.splitlines()) < 700
    assert max(map(len, text.splitlines())) < 400


def test_a_cached_step_is_the_last_row_of_the_whole_sequence() -> None:
    W = {"W_Q": [[1, 0], [2, 1]], "W_K": [[0, 1], [1, 1]], "W_V": [[3, 1], [0, 2]]}
    whole = {"tokens": [[1, 0], [2, 1], [0, -1]], **W, "is_causal": True}
    first = solve(problem(whole, "K", "V", "c_3")).answer
    step = {"tokens": [[0, -1]], **W, "is_causal": True}
    step |= {"cached_K": first["K"][:2], "cached_V": first["V"][:2]}
    assert solve(problem(step, "c_1")).answer["c_1"] == first["c_3"]


@pytest.mark.parametrize(
    ("given", "find", "message"),
    [
        ({}, "Q", "nothing to compute with is given"),
        ({"Q": [[1]]}, "Z", "K is missing: Q is given"),
        ({"Q": [[1, 2]], "K": [[1]]}, "Z", "Q and K must be equally wide"),
        ({"Q": [[1]], "K": [[1]]}, "C", "it needs values, so give W_V or V"),
        ({"scores": [[1, 2]], "scale": "1/sqrt(d_k)"}, "A", "there is no d_k here"),
        ({"scores": [[1, 2]], "mask": [[0, 0]]}, "A", "query 1 may attend to no key"),
        ({"scores": [[1, 2]], "mask": [[1, 2]]}, "A", 'mask must hold 1 and 0, or 0 and "-inf"'),
        ({"scores": [[1, 2]], "mask": [[1], [1]]}, "A", "mask must have 1 rows (queries) of 2"),
        ({"scores": [[1, -1]], "normaliser": "sum"}, "A", "scores of some query sum to 0"),
        ({"scores": [[1, 2]], "temperature": 0}, "A", "temperature must be more than 0"),
        ({"tokens": [[1, 1]], "norm": {}}, "N", "variance 0: give an epsilon"),
        ({"tokens": [[1, 2]], "W_Q": [[1], [1]]}, "Q", "W_K is missing: give both"),
        ({"Q": [[1, 2]], "K": [[1, 2]], "heads": 2}, "A", "say which head, such as A_h1"),
        ({"Q": [[1, 2]], "K": [[1, 2]], "heads": 3}, "Q", "columns that 3 heads can share"),
        ({"tokens": [[1]], "positions": {"kind": "sinusoidal"}}, "P", "even width, not 1"),
        ({"tokens": [[1]], "positions": {"kind": "learned"}}, "P", "needs a table"),
        ({"scores": [["sqrt(x)", 1]]}, "A", "is no number"),
        ({"scores": [["sqrt(-1)", 1]]}, "A", "is not finite"),
        ({"tokens": [[1, 2]], "residual": True, "W_Q": [[1], [1]], "W_K": [[1], [1]],
          "W_V": [[1], [1]]}, "R", "the output has 1 entries, and a token 2"),
        ({"tokens": [[1, 2]], "colour": 3}, "Q", "is no key of a problem of kind compute"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused_with_the_key(
    given: dict[str, Any], find: str, message: str
) -> None:
    with pytest.raises(InvalidProblem) as caught:
        problem(given, find)
    assert message in str(caught.value)


def test_the_printed_answer_that_is_off_in_its_last_digit_is_found() -> None:
    solution = solve("printed-output-off-by-a-digit")
    (row,) = solution.finding.wrong
    assert row.printed == (1.718, 2.718)
    # 1 + 2/(1 + e^(1/√3)) = 1.71908…
    np.testing.assert_allclose(numbers(solution.answer["c_1"])[0], 1 + 2 / (1 + np.exp(3**-0.5)))


def test_answers_may_use_words_rows_entries_and_formulas() -> None:
    given = {"Q": [[1, 0]], "K": [[1, 1], [0, 2]], "V": [[1], [3]]}
    one = problem(given, "weights", "output_1", "a_1_2")
    weights = np.exp([1, 0]) / np.exp([1, 0]).sum()
    answer = {"A": [weights.tolist()], "c_1": "softmax(K q_1)' V"}
    assert check(one, answer).right
    assert check(one, {"a_1": weights.tolist(), "output": [[1 + 2 * weights[1]]]}).right


def test_variants_keep_what_the_statement_says_of_the_numbers() -> None:
    """Statements quote no number that a variant changes, but those printed wrongly elsewhere."""
    for seed in range(5):
        given = to_dict(variant(load("identity-for-everything"), seed))["given"]
        assert given["Q"] == given["K"] == given["V"]
        zeros = to_dict(variant(load("distances-cost-weight"), seed))["given"]["scores"]
        assert zeros == [[0] * 4] * 4
