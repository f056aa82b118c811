"""A counterexample that is played: the scene shows the very numbers that the verdict told.

The numbers are computed once more here, from the state that the scene opens in: by NumPy, not by regard.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest

from checking.answer_files import Entry, read_answers, thinned
from regard import problems
from regard.lab import scenes
from regard.lab.counterexamples.played_cases import scene_of
from regard.lab.table import Refused, ask
from regard.problems.writing import inline, to_toml

# Of each kind that has a scene: which scenes, and how many of its wrong answers at least.
PLAYED = {
    "band": ({"positions"}, 2),
    "compute": ({"step-by-step"}, 50),
    "condition": ({"step-by-step"}, 10),
    "feasibility": ({"step-by-step"}, 25),
    "heads": ({"step-by-step"}, 25),
    "identity": ({"step-by-step"}, 20),
    "key": ({"step-by-step", "where-to-look"}, 15),
    "offset": ({"positions"}, 8),
    "query": ({"step-by-step", "where-to-look"}, 60),
    "self_attention": ({"step-by-step"}, 25),
    "separator": ({"split-subspaces"}, 4),
}
NEVER = ("choice", "count", "gradient", "layers", "moments", "noise", "sequences", "symmetry")
WRONG = [(kind, entry) for kind in (*PLAYED, *NEVER) for entry in read_answers(kind).wrong]
FEW = thinned(WRONG, lambda kind, entry: (kind, entry["tag"] and "tagged"), 1)


VERDICTS: dict[str, dict[str, Any]] = {}


def typed(kind: str, entry: Entry) -> dict[str, Any]:
    """The verdict on an answer, as a person would have typed it."""
    key = f"{entry['problem']} {entry['answer']}"
    if key not in VERDICTS:
        VERDICTS[key] = asked_anew(kind, entry)
    return VERDICTS[key]


def asked_anew(kind: str, entry: Entry) -> dict[str, Any]:
    file = read_answers(kind)
    named = {"problem": entry["problem"]}
    if entry["problem"] in file.changes:
        named = {"file": to_toml(file.problem(entry["problem"]))}
    fields = {n: v if isinstance(v, str) else inline(v) for n, v in entry["answer"].items()}
    found: dict[str, Any] = ask("check_typed", {**named, "checked": fields}).data
    return found


def softmax(scores: Any) -> Any:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def numbers(value: Any) -> Any:
    """An array in which "1/3" is a third."""
    cells = [float(top) / float(bottom or 1) for top, _, bottom in
             (str(cell).partition("/") for cell in np.array(value).flat)]  # fmt: skip
    return np.array(cells).reshape(np.shape(value))


def by_hand(state: dict[str, Any]) -> dict[str, Any]:
    """One head: what "Step by step" shows in a state."""
    x, w_q, w_k, w_v = (numbers(state[part]) for part in ("x", "W_Q", "W_K", "W_V"))
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    times = w_q.shape[1] ** -0.5 if state["scale"] == "1/sqrt(d_k)" else numbers(state["scale"])
    z = times * (q @ k.T)
    a = softmax(z)
    return {"Q": q, "K": k, "V": v, "Z": z, "A": a, "C": a @ v}


def in_steps(told: dict[str, Any], state: dict[str, Any]) -> dict[str, Any]:
    """The numbers of a counterexample that "Step by step" has, by their names."""
    head = by_hand(state)
    found: dict[str, Any] = {}
    for name in told:
        if one := re.fullmatch(r"([QKVZAC]) (by definition|computed)", name):
            found[name] = head[one[1]][: len(told[name])]
        elif one := re.fullmatch(r"([qkvzac])_(\d) computed", name):
            found[name] = head[one[1].upper()][int(one[2]) - 1]
        elif name in ("alpha by definition", "alpha") and "alpha by definition" not in found:
            found[name] = head["A"][0]
    (row,) = [int(name[2:]) - 1 for name in told if re.fullmatch(r"c_\d", name)] or [0]
    if "weights" in told:
        heads = 2 if "q_2" in told else 1  # one query each, in the first rows
        weights = head["A"][row : row + heads].mean(axis=0)
        found |= {"weights": weights, f"c_{row + 1}": weights @ head["V"], "c": weights @ head["V"]}
    return found


def in_the_plane(told: dict[str, Any], state: dict[str, Any]) -> dict[str, Any]:
    weights = softmax(np.array(state["keys"]) @ np.array(state["own"]))
    return {"weights": weights, "wanted": np.array(state["target"])}


def on_two_lines(told: dict[str, Any], state: dict[str, Any]) -> dict[str, Any]:
    s, t = np.array(state["s"]), np.array(state["t"])
    mix = state["share"] * (s + t)
    out = np.array(state["own"]) @ mix
    return {"v": s, "w": t, "c": mix, "c' M": out, "M c": out}


def by_waves(told: dict[str, Any], state: dict[str, Any]) -> dict[str, Any]:
    """Scores by distance, and which waves are kept: those that turn less than `phase` in B/2."""
    width = state["d_model"]
    omega = 10_000.0 ** (-np.arange(0, width, 2) / width)
    if "scores" in told:
        away = told["t"] - np.arange(len(told["scores"])) - state["T"]
        return {"scores": np.cos(away[:, None] * omega).sum(axis=1)}
    turns = omega * state["B"] / 2
    return {
        "phases": turns,
        "zeroed": np.flatnonzero(turns > state["phase"]),
        "T": np.array(state["T"]),
        "B": np.array(state["B"]),
    }


SHOWN = {
    "step-by-step": in_steps,
    "where-to-look": in_the_plane,
    "split-subspaces": on_two_lines,
    "positions": by_waves,
}


def everything_is_answered(play: dict[str, Any]) -> None:
    """Every question of the scene, in the state that it opens in."""
    about = scenes.about(play["scene"])
    assert set(play["state"]) <= set(about["state"])
    whole = about["state"] | play["state"]
    for asked in about["asks"].values():
        data = ask(
            asked["question"], {p: whole[p] for p in asked["from"] if whole[p] is not None}
        ).data
        if play["scene"] == "step-by-step":
            assert data["entry"] is not None
        if play["scene"] == "positions" and whole["B"] is not None:
            kept = len(data["kept"])
            assert kept == np.sum(by_waves({}, whole)["phases"] <= whole["phase"])


@pytest.mark.parametrize(("kind", "entry"), FEW, ids=lambda p: p if isinstance(p, str) else "")
def test_what_is_played_has_the_numbers_of_the_counterexample(kind: str, entry: Entry) -> None:
    found = typed(kind, entry)
    play = found.get("play")
    if play is None:
        return
    assert kind in PLAYED
    assert play["scene"] in PLAYED[kind][0]
    told = found["counterexample"]["arrays"]
    with np.errstate(all="ignore"):
        shown = SHOWN[play["scene"]](told, play["state"])
    known = set(told) & set(shown)
    assert known - {"v", "w", "wanted", "T", "B"}, told
    for name in known:
        np.testing.assert_allclose(shown[name], np.array(told[name]), atol=2e-9, err_msg=name)
    computed = {name for name in told if name.endswith((" computed", " by definition"))}
    assert computed <= known
    everything_is_answered(play)


@cache
def counted() -> dict[str, Counter[str]]:
    """How many wrong answers of each kind are played, by scene."""
    found: dict[str, Counter[str]] = {}
    for kind, entry in WRONG:
        play = typed(kind, entry).get("play")
        found.setdefault(kind, Counter()).update([play["scene"]] if play else [])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*PLAYED, *NEVER])
def test_so_many_wrong_answers_of_each_kind_are_played(kind: str) -> None:
    places, least = PLAYED.get(kind, (set(), 0))
    assert set(counted()[kind]) == places
    assert sum(counted()[kind].values()) >= least


def test_every_kind_that_answers_can_be_checked_for_is_counted_here() -> None:
    judged = {kind for kind in problems.KINDS if kind != "code"}
    assert judged == {*PLAYED, *NEVER}


IDENTITY = [[1.0, 0.0], [0.0, 1.0]]
KEYS = {"keys": IDENTITY, "wanted": [0.5, 0.5]}
HALF = {"q": [1.0, 1.0], "weights": [0.5, 0.5]}


def test_keys_in_the_plane_are_played_with_the_query_of_the_answer() -> None:
    assert scene_of({**KEYS, **HALF}, 1.0) == {
        "scene": "where-to-look",
        "state": {"keys": IDENTITY, "target": [0.5, 0.5], "own": [1.0, 1.0]},
    }


@pytest.mark.parametrize(
    ("changed", "scale"),
    [
        ({"weights": [0.6, 0.4]}, 1.0),  # of something else than this query
        ({"weights": ["nan", "nan"]}, 1.0),
        ({"q": [1e308, 1e308]}, 1.0),  # further than any number that a scene takes
        ({"q": [1.0, 2.0]}, 1.0),
        ({}, "sqrt(2)/2"),  # a formula that the scene does not take
        ({"Z computed": [["1", "2"]]}, 0.5),  # not what this head computes
    ],
)
def test_what_no_scene_would_show_like_that_is_not_played(
    changed: dict[str, Any], scale: Any
) -> None:
    assert scene_of({**KEYS, **HALF, **changed}, scale) is None


def test_a_scaled_score_goes_where_scores_are_scaled() -> None:
    played = scene_of({**KEYS, **HALF}, 0.5)  # keys in the plane have no scale
    assert played is not None
    assert (played["scene"], played["state"]["scale"]) == ("step-by-step", "0.5")


def test_a_key_that_was_chosen_stands_where_the_weights_say() -> None:
    # Scores 1, 1.5 and 0: the key (1.5, 0) of the answer replaced the second one.
    powers = np.exp([1.0, 1.5, 0.0])
    arrays = {
        "keys": [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]],
        "k": [1.5, 0.0],
        "q": [1.0, 0.0],
        "weights": (powers / powers.sum()).tolist(),
        "wanted": [0.0, 0.0, 1.0],
    }
    played = scene_of(arrays, 1.0)
    assert played is not None
    assert played["scene"] == "where-to-look"
    assert played["state"]["keys"] == [[1.0, 0.0], [1.5, 0.0], [0.0, 0.0]]


def test_what_lies_outside_the_plane_is_played_in_numbers() -> None:
    keys = [[3.0, 0.0], [0.0, 3.0]]  # the plane ends at 2
    weights = softmax(np.array([3.0, 3.0])).tolist()
    played = scene_of({**KEYS, "keys": keys, "q": [1.0, 1.0], "weights": weights}, 1.0)
    assert played is not None
    assert played["scene"] == "step-by-step"


def test_a_token_that_was_chosen_takes_its_place() -> None:
    arrays = {
        "tokens": [[1.0, 0.0], [5.0, 5.0]],
        "x_2": [1.0, 0.0],
        "weights": [0.5, 0.5],
        "c_2": [1.0, 0.0],
    }
    played = scene_of(arrays, 1.0)
    assert played is not None
    assert played["state"]["x"] == [[1.0, 0.0], [1.0, 0.0]]


def test_fractions_stay_fractions_and_texts_are_no_numbers() -> None:
    given = {"tokens": [["1/3", 0]], "W_Q": [[3], [0]], "W_K": [[1], [1]], "W_V": [["1/2"], [0]]}
    played = scene_of({"q_1": [3.0], "q_1 computed": [1.0]}, 1, given)
    assert played is not None
    assert played["state"]["x"] == [["1/3", 0]]
    assert played["state"]["entry"] == "q_1[1]"
    given["W_Q"] = [["a third"], [0]]
    assert scene_of({"q_1": [3.0], "q_1 computed": [1.0]}, 1, given) is None


def test_waves_that_are_turned_the_other_way_are_played_as_steps_ahead() -> None:
    omega = 10_000.0 ** (-np.arange(0, 4, 2) / 4)
    scores = np.cos((3 - np.arange(5) + 3)[:, None] * omega).sum(axis=1)
    arrays = {"A": np.eye(4).tolist(), "T": 3, "t": 3, "scores": scores.tolist()}
    played = scene_of(arrays, None)
    assert played == {"scene": "positions", "state": {"T": -3, "d_model": 4}}
    assert scene_of({**arrays, "scores": (2 * scores).tolist()}, None) is None


def test_a_query_of_somebody_is_looked_at_in_place_of_the_designed_one() -> None:
    asked = {"keys": IDENTITY, "target": [1.0, 0.0], "own": [0.0, 2.0], "factor": 0.5}
    data = ask("design_query", asked).data
    weights = softmax(np.array([0.0, 1.0]))
    np.testing.assert_allclose(data["shown"]["weights"], weights, atol=1e-15)
    assert data["shown"]["off"] == pytest.approx(weights[1], abs=1e-15)
    assert data["ahead"]["by"] == -1  # the wanted key is behind
    assert data["status"] == "reached"
    with pytest.raises(Refused, match=r"own must have 2 numbers, as the keys have\. Got 1\."):
        ask("design_query", {**asked, "own": [1.0]})
