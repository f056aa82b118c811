"""key_noise against golden values, a long-double reference, and a plain simulation of the keys."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy import stats

import regard
from regard.analysis import key_noise
from regard.core.kernels.threads import one_blas_thread

Long = np.longdouble
STEP = Long(0.2)  # of the reference: wrong by e^(-π²/0.2) < 1e-21
P = (1 + 0.8427007929497149) / 2  # Φ(√2) = (1 + erf 1)/2


# ---------------------------------------------------------------- the golden cases


def along_first(n: int, variance: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    """Orthonormal means, and noise along the first mean in its own key only."""
    means = np.eye(n)
    covariances = np.zeros((n, n, n))
    covariances[0, 0, 0] = variance
    return means, covariances


@pytest.mark.parametrize(
    ("m", "tau", "mean", "variance"),
    [
        (0, 1, 0.5, 0.04337903585809296),
        (1, 2, 0.6477264385258686, 0.08767866249459025),
        (-3, 50, 0.476093516980282, 0.24146919785492374),
    ],
)
def test_two_keys_give_the_golden_logit_normal_moments(m, tau, mean, variance):
    covariances = np.array([[[0.75 * tau**2]], [[0.25 * tau**2]]])
    law = key_noise([1.0], [[m], [0.0]], covariances, [[1.0], [0.0]])
    assert law.method == "exact"
    np.testing.assert_allclose(law.mean, [mean], rtol=1e-12)
    np.testing.assert_allclose(law.covariance, [[variance]], rtol=1e-12)


def test_isotropic_noise_turns_an_average_into_a_coin_flip_as_the_scale_grows():
    covariances = np.stack([0.01 * np.eye(2)] * 2)
    law = key_noise(np.ones(2), np.eye(2), covariances, np.eye(2), scale=[5.0, 50.0])
    np.testing.assert_allclose(law.mean, 0.5, rtol=1e-12)
    np.testing.assert_allclose(law.covariance[0, 0, 0], 0.04337903585809296, rtol=1e-12)
    np.testing.assert_allclose(law.covariance[1, 0, 0], 0.211, atol=5e-4)


def test_one_head_with_noise_along_its_target_has_the_golden_moments():
    law = key_noise(10 * (np.eye(4)[0] + np.eye(4)[1]), *along_first(4), np.eye(4))
    mean = [0.499995035348533, 0.49995956839288874, 2.269812928911939e-05, 2.269812928911939e-05]
    np.testing.assert_allclose(law.mean, mean, rtol=1e-9)
    np.testing.assert_allclose(law.variance, 0.3906058451189841, rtol=1e-9)
    np.testing.assert_allclose(law.covariance[0, 0], 0.19532065482977728, rtol=1e-9)


def test_the_variance_of_one_head_and_of_two_follows_the_table_of_finite_scales():
    means, covariances = along_first(4)
    scales = np.array([1.0, 5.0, 10.0, 100.0])
    one = key_noise(means[0] + means[1], means, covariances, np.eye(4), scale=scales)
    two = key_noise(means[:2], means, covariances, np.eye(4), scale=scales)
    np.testing.assert_allclose(one.variance, [0.032530, 0.294142, 0.390606, 0.488720], atol=6e-7)
    np.testing.assert_allclose(two.variance, [0.008431, 0.024681, 0.024311, 0.024112], atol=6e-7)


def test_in_the_limit_one_head_flips_a_coin_and_two_fail_where_the_key_turns_around():
    means, covariances = along_first(4)
    one = key_noise(means[0] + means[1], means, covariances, np.eye(4), method="limit")
    assert sorted(p for p, _ in one.atoms) == pytest.approx([0.5, 0.5], rel=1e-12)
    np.testing.assert_allclose(one.variance, 0.5, rtol=1e-12)
    two = key_noise(means[:2], means, covariances, np.eye(4), method="limit")
    (rare, turned), (usual, wanted) = sorted(two.atoms, key=lambda atom: atom[0])
    np.testing.assert_allclose([rare, usual], [1 - P, P], rtol=1e-9)
    np.testing.assert_allclose(wanted, [0.5, 0.5, 0, 0], atol=1e-15)
    np.testing.assert_allclose(turned, [0, 2 / 3, 1 / 6, 1 / 6], atol=1e-15)
    np.testing.assert_allclose(two.variance, 0.02415461446349348, rtol=1e-9)
    mean = [0.4606751982374287, 0.5131082672541905, 0.013108267254190427, 0.013108267254190427]
    np.testing.assert_allclose(two.mean, mean, rtol=1e-9)
    np.testing.assert_allclose(one.variance / two.variance, 20.699978497097693, rtol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_ties_of_a_limit_survive_a_rotation_of_the_keys(seed):
    rotated = np.linalg.qr(np.random.default_rng(seed).standard_normal((11, 5)))[0].T
    covariances = np.zeros((5, 11, 11))
    covariances[0] = np.outer(rotated[0], rotated[0]) / 2
    law = key_noise(rotated[:2], rotated, covariances, np.eye(5), method="limit")
    (rare, turned), (usual, wanted) = sorted(law.atoms, key=lambda atom: atom[0])
    np.testing.assert_allclose([rare, usual], [1 - P, P], rtol=1e-9)
    np.testing.assert_allclose(turned, [0, 5 / 8, 1 / 8, 1 / 8, 1 / 8], atol=1e-14)
    np.testing.assert_allclose(wanted, [0.5, 0.5, 0, 0, 0], atol=1e-14)


def test_the_winner_of_three_gaussian_scores_has_the_golden_law():
    variances = np.array([1.0, 0.25, 4.0])
    law = key_noise([1.0], [[1], [0.5], [0]], variances[:, None, None], np.eye(3), method="limit")
    chances = [0.5078266470258938, 0.2101468603743706, 0.28202649259973567]
    np.testing.assert_allclose(law.mean, chances, rtol=1e-9)


def test_a_query_without_a_scale_reaches_only_half_of_its_key():
    means, covariances = along_first(4)
    still = key_noise(means[0], means, 0 * covariances, np.eye(4))
    np.testing.assert_allclose(still.mean[0], 0.4753668864186717, rtol=1e-12)
    np.testing.assert_allclose(
        np.linalg.norm(still.mean - np.eye(4)[0]), 0.6057941387039428, rtol=1e-12
    )
    noisy = key_noise(means[0], means, covariances, np.eye(4))
    np.testing.assert_allclose(noisy.mean[0], 0.47786272050707024, rtol=1e-9)
    np.testing.assert_allclose(np.sqrt(noisy.covariance[0, 0]), 0.15903577797159826, rtol=1e-9)


@pytest.mark.parametrize("method", ["exact", "qmc", "limit"])
def test_noise_along_a_key_that_the_query_ignores_has_no_effect(method):
    means, _ = along_first(4)
    covariances = np.zeros((4, 4, 4))
    covariances[2, 2, 2] = 17.0
    law = key_noise(10 * (means[0] + means[1]), means, covariances, np.eye(4), method=method)
    rest = 2.2698934351217197e-05
    mean = [0.5, 0.5, 0, 0] if method == "limit" else [0.4999773010656488] * 2 + [rest] * 2
    np.testing.assert_allclose(law.mean, mean, rtol=1e-10, atol=1e-15)
    np.testing.assert_allclose(law.covariance, 0, atol=max(law.error, 1e-15))


def test_an_average_that_is_right_in_the_mean_is_almost_never_realised():
    law = key_noise(10 * np.ones(2), *along_first(2), np.eye(2))
    between = law.probability([1.0, 0.0], 0.6) - law.probability([1.0, 0.0], 0.4)
    np.testing.assert_allclose(between, 0.045726778153049305, rtol=1e-10)


def test_different_queries_do_not_make_heads_independent():
    means = np.eye(2)
    covariances = np.zeros((2, 2, 2))
    covariances[0] = 0.25
    both = [key_noise(3 * means, means, covariances, np.eye(2), head_weights=w).covariance[0, 0]
            for w in ([1, 0], [0, 1], [1, 1])]  # fmt: skip
    correlation = (both[2] - both[0] - both[1]) / 2 / np.sqrt(both[0] * both[1])
    np.testing.assert_allclose(correlation, 0.4519656688, atol=6e-11)


# ---------------------------------------------------------------- a reference in this file


@dataclass
class Problem:
    queries: np.ndarray
    means: np.ndarray
    covariances: np.ndarray
    values: np.ndarray
    head_weights: np.ndarray
    kind: str

    def law(self, method: str, **more: object) -> regard.analysis.OutputLaw:
        return key_noise(
            self.queries,
            self.means,
            self.covariances,
            self.values,
            head_weights=self.head_weights,
            method=method,
            **more,
        )


def draw_problem(seed: int) -> Problem:
    """Up to twelve keys, one to four heads; covariances of all kinds."""
    rng = np.random.default_rng([7, seed])
    n, d = int(rng.integers(1, 13)), int(rng.choice([2, 3, 5, 7, 11]))
    heads = int(rng.choice([1, 2, 3, 4], p=[0.5, 0.25, 0.15, 0.1]))
    kind = ["full", "rank one", "some zero", "mixed sizes", "small", "large", "proportional"][
        seed % 7
    ]
    roots = rng.standard_normal((n, d, 1 if kind == "rank one" else d))
    covariances = roots @ np.swapaxes(roots, 1, 2) / roots.shape[2]
    if kind == "some zero":
        covariances *= rng.integers(0, 2, n)[:, None, None]
    if kind == "mixed sizes":
        covariances *= 10 ** rng.uniform(-7, 1, n)[:, None, None]
    if kind == "small":
        covariances *= 10 ** rng.uniform(-9, -2)
    if kind == "large":
        covariances *= 30.0 if heads == 1 else 3.0
    queries = rng.standard_normal((heads, d)) * 10 ** rng.uniform(-0.7, 0.2) / np.sqrt(d) * 2
    if kind == "proportional":  # and of both signs: perfectly correlated heads
        queries = queries[:1] * np.array([1.0, -0.7, 1.0, 2.0])[:heads, None]
    weights = rng.standard_normal(heads) if seed % 3 == 0 else np.full(heads, 1 / heads)
    means = rng.standard_normal((n, d)) + (3.0 if seed % 5 == 0 else 0.0)
    values = rng.standard_normal((n, int(rng.integers(1, 4))))
    return Problem(queries, means, covariances, values, weights, kind)


def gaussian(mean: np.floating, deviation: np.floating) -> tuple[np.ndarray, np.ndarray]:
    """Points and masses of the trapezoidal rule for a Gaussian; one point if it does not vary."""
    if deviation == 0:
        return np.array([mean]), np.ones(1, Long)
    step = min(STEP, deviation / 3)
    count = int(np.ceil(10 * deviation / step))
    z = step * np.arange(-count, count + 1).astype(Long)
    masses = np.exp(-z * z / (2 * deviation * deviation))
    return mean + z, masses / np.sum(masses)


def double_exponentials(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    power = np.exp(np.minimum(x, x.dtype.type(60)))
    stays = np.exp(-power)
    return stays, power * stays, power * power * stays


def line(means: np.ndarray, deviations: np.ndarray, reach: float = 10.0) -> np.ndarray:
    """Where the integrals are not yet 0: to 5 `reach` above, they decay like e^{−t}."""
    low = np.max(means - reach * deviations) - 4.5
    high = np.max(means + reach * deviations) + 5 * reach
    return low + STEP * np.arange(int((high - low) / STEP) + 2).astype(Long)


def averaged(means: np.ndarray, deviations: np.ndarray, t: np.ndarray) -> np.ndarray:
    """E e^{r(s−t)} exp(−e^{s−t}) for r = 0, 1, 2, as an array (3, n, t)."""
    table = np.empty((3, len(means), len(t)), means.dtype)
    for j, (mean, deviation) in enumerate(zip(means, deviations, strict=True)):
        if deviation < 3 * STEP:
            x, masses = gaussian(mean, deviation)
            for r, values in enumerate(double_exponentials(x[:, None] - t)):
                table[r, j] = masses @ values
            continue
        # Points s in line with t: then s − t takes few values.
        first = int((mean - 10 * deviation - t[0]) / STEP)
        count = int(20 * deviation / STEP) + 2
        s = t[0] + STEP * np.arange(first, first + count)
        masses = np.exp(-(((s - mean) / deviation) ** 2) / 2)
        masses /= np.sum(masses)
        lags = STEP * np.arange(first - len(t) + 1, first + count).astype(Long)
        for r, values in enumerate(double_exponentials(lags)):
            windows = np.lib.stride_tricks.sliding_window_view(values, len(t))
            table[r, j] = (masses @ windows)[::-1]
    return table


def reference_one(means: np.ndarray, deviations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """E α and E α αᵀ in long double, without a division anywhere."""
    n, t = len(means), line(means, deviations)
    table = averaged(means, deviations, t)
    first, second = np.empty(n, Long), np.empty((n, n), Long)
    for i in range(n):
        others = np.prod(np.delete(table[0], i, axis=0), axis=0)
        first[i] = STEP * np.sum(table[1, i] * others)
        second[i, i] = STEP * np.sum(table[2, i] * others)
        for j in range(i):
            rest = np.prod(np.delete(table[0], [i, j], axis=0), axis=0)
            second[i, j] = second[j, i] = STEP * np.sum(table[1, i] * table[1, j] * rest)
    return first, second


def reference_pair(means: np.ndarray, covariances: np.ndarray) -> np.ndarray:
    """E α_i β_j for two heads: another step than the library's, and densities of both scores."""
    n = means.shape[1]
    deviations = np.sqrt(np.maximum(np.diagonal(covariances, axis1=1, axis2=2).T, 0))
    t, u = (line(m, s, 8.3).astype(float) for m, s in zip(means, deviations, strict=True))
    tables = []
    for k in range(n):
        a, b = (0, 1) if covariances[k, 0, 0] >= covariances[k, 1, 1] else (1, 0)
        x, masses = (v.astype(float) for v in gaussian(means[a, k], deviations[a, k]))
        x, masses = x[masses > 1e-19], masses[masses > 1e-19]
        slope = covariances[k, 0, 1] / covariances[k, a, a] if deviations[a, k] > 0 else Long(0)
        rest = np.sqrt(np.maximum(covariances[k, b, b] - slope * covariances[k, 0, 1], 0))
        centres = (means[b, k] + slope * (x - means[a, k])).astype(float)
        ends = [(t, u)[a], (t, u)[b]]
        if rest > 1.6 * STEP:
            reach = 9 * float(rest)
            y = np.arange(np.min(centres) - reach, np.max(centres) + reach, float(STEP))
            joint = np.exp(-0.5 * ((y - centres[:, None]) / float(rest)) ** 2)
            joint /= np.sum(joint, axis=1, keepdims=True)
            behind = [joint @ values for values in double_exponentials(y[:, None] - ends[1])[:2]]
        else:
            away, chances = np.polynomial.hermite_e.hermegauss(20 if rest > 0 else 1)
            away, chances = float(rest) * away, chances / np.sum(chances)
            behind = [np.zeros((len(x), len(ends[1]))) for _ in range(2)]
            for z, p in zip(away, chances, strict=True):
                values = double_exponentials(centres[:, None] + z - ends[1])
                behind = [total + p * v for total, v in zip(behind, values[:2], strict=True)]
        ahead = [masses[:, None] * v for v in double_exponentials(x[:, None] - ends[0])[:2]]
        pieces = [[left.T @ right for right in behind] for left in ahead]
        tables.append(pieces if a == 0 else [[pieces[s][r].T for s in (0, 1)] for r in (0, 1)])
    stays = [np.maximum(piece[0][0], 1e-280) for piece in tables]
    product = np.prod(stays, axis=0).ravel() * float(STEP) ** 2
    left = np.array([(p[1][0] / s).ravel() for p, s in zip(tables, stays, strict=True)])
    right = np.array([(p[0][1] / s).ravel() for p, s in zip(tables, stays, strict=True)])
    joint = (left * product) @ right.T
    for k, (piece, stay) in enumerate(zip(tables, stays, strict=True)):
        joint[k, k] = np.sum((piece[1][1] / stay).ravel() * product)
    return joint


def reference(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of the output from scores in long double."""
    q, sigma = problem.queries.astype(Long), problem.covariances.astype(Long)
    means = q @ problem.means.astype(Long).T
    covariances = np.einsum("hd,nde,ge->nhg", q, sigma, q)
    away = problem.values - np.mean(problem.values.astype(Long), axis=0)
    mean = np.sum(problem.head_weights.astype(Long)) * np.mean(problem.values.astype(Long), axis=0)
    covariance = np.zeros((away.shape[1],) * 2, Long)
    firsts = []
    for h, w in enumerate(problem.head_weights):
        deviations = np.sqrt(np.maximum(covariances[:, h, h], 0))
        first, second = reference_one(means[h], deviations)
        firsts.append(first)
        mean = mean + w * (first @ away)
        covariance += w * w * (away.T @ (second - np.outer(first, first)) @ away)
    for g in range(len(q)):
        for h in range(g):
            pair = [g, h]
            joint = reference_pair(means[pair], covariances[:, pair][:, :, pair])
            cross = away.T @ (joint - np.outer(firsts[g], firsts[h])) @ away
            covariance += problem.head_weights[g] * problem.head_weights[h] * (cross + cross.T)
    return mean, covariance


def test_the_reference_agrees_with_a_direct_sum_over_three_scores():
    means, deviations = np.array([0.3, -1.0, 1.5], Long), np.array([1.2, 0.4, 2.0], Long)
    first, second = reference_one(means, deviations)
    rules = [gaussian(m, s) for m, s in zip(means, deviations, strict=True)]
    scores = np.stack(np.meshgrid(*(x for x, _ in rules), indexing="ij"), axis=-1)
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights /= np.sum(weights, axis=-1, keepdims=True)
    masses = np.einsum("a,b,c->abc", *(p for _, p in rules))
    direct = np.einsum("abc,abci->i", masses, weights)
    np.testing.assert_allclose(first.astype(float), direct.astype(float), rtol=1e-15)
    direct = np.einsum("abc,abci,abcj->ij", masses, weights, weights, optimize=True)
    np.testing.assert_allclose(second.astype(float), direct.astype(float), rtol=1e-14)


def test_the_reference_of_two_heads_agrees_with_a_direct_sum_over_two_differences():
    means = np.array([[0.5, -0.2], [1.0, 0.4]], Long)
    roots = np.random.default_rng(3).standard_normal((2, 2, 2))
    covariances = (roots @ np.swapaxes(roots, 1, 2)).astype(Long)
    m, c = means[:, 0] - means[:, 1], np.sum(covariances, axis=0)
    x, p = gaussian(m[0], np.sqrt(c[0, 0]))
    slope = c[0, 1] / c[0, 0]
    z, r = gaussian(Long(0), np.sqrt(c[1, 1] - slope * c[0, 1]))
    y = m[1] + slope * (x[:, None] - m[0]) + z
    joint = np.einsum("a,b,a,ab->", p, r, 1 / (1 + np.exp(-x)), 1 / (1 + np.exp(-y)))
    np.testing.assert_allclose(reference_pair(means, covariances)[0, 0], float(joint), rtol=1e-14)


# ---------------------------------------------------------------- the grid of random problems


def simulate(problem: Problem, count: int, seed: int) -> np.ndarray:
    """Outputs for keys that are drawn themselves."""
    rng = np.random.default_rng([11, seed])
    sizes, vectors = np.linalg.eigh(problem.covariances)
    roots = vectors * np.sqrt(np.maximum(sizes, 0))[:, None, :]
    noise = rng.standard_normal((count, *problem.means.shape))
    keys = problem.means + np.einsum("nde,pne->pnd", roots, noise)
    scores = np.einsum("hd,pnd->phn", problem.queries, keys)
    scores = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    scores /= np.sum(scores, axis=-1, keepdims=True)
    return np.einsum("h,phn,nv->pv", problem.head_weights, scores, problem.values)


def assert_simulation_agrees(
    law: regard.analysis.OutputLaw, outputs: np.ndarray, problem: Problem
) -> None:
    """Six standard errors, and what may be missed by not seeing a rare event."""
    count = len(outputs)
    size = np.max(np.abs(problem.values)) * np.sum(np.abs(problem.head_weights))
    away = outputs - law.mean
    squares = np.einsum("pv,pw->pvw", away, away)
    for given, seen in ((0 * law.mean, away), (law.covariance, squares)):
        error = 6 * np.std(seen, axis=0) / np.sqrt(count) + 40 * max(size, size**2) / count
        np.testing.assert_array_less(np.abs(np.mean(seen, axis=0) - given), error + law.error)


def check_grid(seeds: range) -> None:
    exceeded, tight = 0, 0
    for seed in seeds:
        problem = draw_problem(seed)
        exact = problem.law("exact")
        assert exact.method == "exact"
        assert type(exact.error) is float
        mean, covariance = reference(problem)
        error = float(
            max(np.max(np.abs(exact.mean - mean)), np.max(np.abs(exact.covariance - covariance)))
        )
        assert error <= exact.error, f"problem {seed}, {problem.kind}: {error} > {exact.error}"
        tight += exact.error <= max(100 * error, 1e-12)
        sampled = problem.law("qmc", tolerance=0.02, rng=seed)
        assert sampled.method == "qmc"
        apart = max(
            np.max(np.abs(sampled.mean - exact.mean)),
            np.max(np.abs(sampled.covariance - exact.covariance)),
        )
        exceeded += bool(apart > sampled.error + exact.error)
        assert_simulation_agrees(exact, simulate(problem, 1 << 13, seed), problem)
    assert tight >= 0.95 * len(seeds)
    # Promised: one in a hundred. More than this many would have a chance of 1e-3.
    assert exceeded <= stats.binom.isf(1e-3, len(seeds), 0.01)


@pytest.mark.slow
def test_exact_sampled_and_simulated_laws_agree_within_honest_errors():
    with one_blas_thread():
        check_grid(range(49))


@pytest.mark.slow
def test_exact_sampled_and_simulated_laws_agree_on_five_hundred_problems():
    with one_blas_thread():
        check_grid(range(500))


def winners(means: np.ndarray, deviations: np.ndarray) -> np.ndarray:
    """P(s_i is the highest) by a plain sum on 40001 points."""
    low, high = np.min(means - 9 * deviations), np.max(means + 9 * deviations)
    x = np.linspace(low, high, 40001)[:, None]
    below = stats.norm.cdf(x, means, deviations)
    density = stats.norm.pdf(x, means, deviations)
    others = [np.prod(np.delete(below, i, axis=1), axis=1) for i in range(len(means))]
    return np.array([density[:, i] @ rest for i, rest in enumerate(others)]) * (x[1] - x[0])


@pytest.mark.parametrize("seed", range(20))
def test_the_limit_of_one_head_is_the_law_of_the_winner(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 13))
    means, deviations = rng.standard_normal(n), 10 ** rng.uniform(-0.5, 0.5, n)
    law = key_noise(
        [1.0], means[:, None], deviations[:, None, None] ** 2, np.eye(n), method="limit"
    )
    chances = winners(means, deviations)
    np.testing.assert_allclose(law.mean, chances, atol=1e-10)
    np.testing.assert_allclose(
        law.covariance, np.diag(chances) - np.outer(chances, chances), atol=2e-10
    )


@pytest.mark.parametrize(
    "seed",
    [0, 1, 5, *(pytest.param(s, marks=pytest.mark.slow) for s in range(10) if s not in (0, 1, 5))],
)
def test_the_limit_of_several_heads_is_what_a_large_scale_samples(seed):
    rng = np.random.default_rng(seed)
    n, d, heads = int(rng.integers(2, 6)), 3, int(rng.integers(2, 4))
    roots = rng.standard_normal((n, d, 1 + seed % 2))
    problem = Problem(
        1e9 * rng.standard_normal((heads, d)),
        rng.standard_normal((n, d)),
        roots @ np.swapaxes(roots, 1, 2),
        rng.standard_normal((n, 2)),
        rng.standard_normal(heads),
        "limit",
    )
    law = problem.law("limit")
    np.testing.assert_allclose(sum(p for p, _ in law.atoms), 1, atol=1e-12)
    assert_simulation_agrees(law, simulate(problem, 1 << 15, seed), problem)


def test_scores_of_very_different_spread_have_a_right_limit():
    variances = np.array([1.0, 1e-12, 1e12])
    law = key_noise([1.0], [[1], [0.5], [0]], variances[:, None, None], np.eye(3), method="limit")
    # The third wins against the larger of 0.5 and N(1, 1), whose mean is 1 + φ(½) − ½ Φ(−½).
    top = 1 + stats.norm.pdf(0.5) - 0.5 * stats.norm.cdf(-0.5)
    np.testing.assert_allclose(law.mean[2], 0.5 - top * 1e-6 / np.sqrt(2 * np.pi), atol=1e-11)


# ---------------------------------------------------------------- corners


def test_a_head_that_hardly_sees_the_noise_of_another_does_not_spoil_it():
    rng = np.random.default_rng(0)
    lines = rng.standard_normal((3, 11))
    hardly = np.linalg.lstsq(lines, np.full(3, 1e-8), rcond=None)[0]
    hardly += 0.5 * np.sum(np.linalg.svd(lines)[2][3:], axis=0)
    queries = np.array([hardly, 0.3 * rng.standard_normal(11)])
    covariances = np.einsum("nd,ne->nde", lines, lines)
    means, values = rng.standard_normal((3, 11)), np.eye(3)
    law = key_noise(queries, means, covariances, values, method="exact")
    alone = key_noise(queries[1], means, covariances, values, method="exact")
    # The first head varies by 1e-8 or so, and adds nothing else.
    np.testing.assert_allclose(law.covariance, alone.covariance / 4, atol=1e-8)


@pytest.mark.parametrize("offset", [1e3, 1e6, 1e9])
def test_the_stated_error_covers_the_rounding_of_large_scores(offset):
    rng = np.random.default_rng(5)
    roots = rng.standard_normal((5, 7, 7))
    problem = Problem(
        rng.standard_normal((1, 7)),
        rng.standard_normal((5, 7)) + offset * rng.standard_normal(7),
        roots @ np.swapaxes(roots, 1, 2) / 7,
        np.eye(5),
        np.ones(1),
        "offset",
    )
    law = problem.law("exact")
    mean, covariance = reference(problem)
    np.testing.assert_array_less(np.abs(law.mean - mean).astype(float), law.error)
    np.testing.assert_array_less(np.abs(law.covariance - covariance).astype(float), law.error)


@pytest.mark.parametrize("method", ["exact", "qmc", "limit"])
def test_one_key_gets_all_the_weight_whatever_its_noise(method):
    law = key_noise(np.ones((3, 2)), [[1.0, 2.0]], [np.eye(2)], [[5.0, -7.0]], method=method)
    np.testing.assert_allclose(law.mean, [5, -7], rtol=1e-14)
    np.testing.assert_allclose(law.covariance, 0, atol=1e-13)


def test_identical_heads_are_no_better_than_one():
    problem = draw_problem(0)
    twice = np.repeat(problem.queries[:1], 2, axis=0)
    rest = problem.means, problem.covariances, problem.values
    one = key_noise(problem.queries[0], *rest, method="exact")
    two = key_noise(twice, *rest, method="exact")
    np.testing.assert_allclose(two.covariance, one.covariance, atol=one.error + two.error)
    none = key_noise(twice, *rest, method="exact", head_weights=[1.0, -1.0])
    np.testing.assert_allclose(none.covariance, 0, atol=none.error)


def test_without_noise_the_law_is_the_output_of_attention():
    problem = draw_problem(0)
    still = np.zeros_like(problem.covariances)
    law = key_noise(problem.queries, problem.means, still, problem.values)
    outputs = regard.attention(problem.queries, problem.means, problem.values, scale=1.0)
    np.testing.assert_allclose(law.mean, np.mean(outputs, axis=0), atol=1e-12)
    np.testing.assert_allclose(law.covariance, 0, atol=law.error)


@pytest.mark.parametrize(("heads", "keys"), [(1, 2), (1, 5), (2, 3)])
def test_a_batch_is_the_same_as_its_problems_one_by_one(heads, keys):
    rng = np.random.default_rng(1)
    queries = rng.standard_normal((2, 1, heads, 7))
    means = rng.standard_normal((keys, 7))
    roots = rng.standard_normal((3, keys, 7, 7))
    covariances = roots @ np.swapaxes(roots, -1, -2) / 7
    values = rng.standard_normal((keys, 2))
    scale = np.array([[0.5], [2.0]])
    law = key_noise(queries, means, covariances, values, scale=scale)
    assert law.mean.shape == (2, 3, 2)
    assert law.covariance.shape == (2, 3, 2, 2)
    assert law.sample(13, 0).shape == (13, 2, 3, 2)
    for i in range(2):
        for j in range(3):
            one = key_noise(queries[i, 0], means, covariances[j], values, scale=float(scale[i, 0]))
            np.testing.assert_allclose(law.mean[i, j], one.mean, atol=1e-14)
            np.testing.assert_allclose(law.covariance[i, j], one.covariance, atol=1e-14)


def test_auto_falls_back_to_sampling_where_exact_refuses_by_name():
    rng = np.random.default_rng(2)
    roots = 1e5 * rng.standard_normal((5, 7, 7))
    given = rng.standard_normal((2, 7)), rng.standard_normal((5, 7)), roots @ roots.mT, np.eye(5)
    law = key_noise(*given, tolerance=0.05)
    assert law.method == "qmc"
    with pytest.raises(regard.ParameterError, match=r"analysis\.key_noise: .*method='exact'"):
        key_noise(*given, method="exact")


def test_samples_quantiles_and_probabilities_follow_the_same_law():
    law = draw_problem(1).law("exact")
    outputs = law.sample(1 << 14, 3)
    direction = np.arange(1.0, 1 + outputs.shape[1])
    along = outputs @ direction
    for p in (0.1, 0.5, 0.9):
        level = law.quantile(p, direction)
        assert law.probability(direction, level) == pytest.approx(p, abs=2e-4)
        assert np.mean(along <= level) == pytest.approx(p, abs=0.02)


def damaged(**changes: object) -> dict[str, object]:
    covariances = np.stack([np.diag([1.0, 2.0, 3.0])] * 5)
    given: dict[str, object] = {
        "queries": np.ones((2, 3)),
        "means": np.ones((5, 3)),
        "covariances": covariances,
        "values": np.ones((5, 2)),
    }
    return given | changes


BENT = np.stack([np.diag([1.0, 2.0, 3.0])] * 5)
BENT[4, 0, 1] = 0.25
NEGATIVE = np.stack([np.diag([1.0, 2.0, 3.0])] * 5)
NEGATIVE[3, 1, 1] = -0.5
UNKNOWN = np.stack([np.diag([1.0, 2.0, 3.0])] * 5)
UNKNOWN[2, 1, 1] = np.nan


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"covariances": BENT}, r"covariances\[4\] must be symmetric.*differ by 0.25"),
        ({"covariances": NEGATIVE}, r"covariances\[3\] must be positive.*eigenvalue is -0.5"),
        ({"covariances": UNKNOWN}, r"covariances must be finite. Got nan in"),
        ({"covariances": np.eye(3)}, r"covariances needs at least 3 axes"),
        ({"covariances": BENT[:4]}, r"covariances needs n = 5"),
        ({"means": np.full((5, 3), np.inf)}, r"means must be finite"),
        ({"means": np.ones(3)}, r"means needs at least 2 axes"),
        ({"queries": np.ones((2, 4))}, r"queries needs d = 3"),
        ({"queries": np.full((2, 3), 1e200), "means": np.full((5, 3), 1e200)}, r"overflow"),
        ({"values": np.ones((4, 2))}, r"values needs n = 5"),
        ({"values": np.ones(5)}, r"values needs at least 2 axes"),
        ({"head_weights": [1.0, 2.0, 3.0]}, r"head_weights needs heads = 2, \(\.\.\., heads\)"),
        ({"head_weights": [1.0, np.nan]}, r"head_weights must be finite"),
        ({"scale": np.nan}, r"scale must be finite"),
        ({"method": "guess"}, r"method must be one of"),
        ({"tolerance": 0.0}, r"tolerance must be a positive"),
        ({"rng": "seven"}, r"rng must be a numpy.random.Generator"),
        ({"means": np.ones((2, 5, 3)), "scale": np.ones(3)}, r"batch axes do not broadcast"),
    ],
)
def test_what_cannot_be_a_law_is_refused_by_name(changes, words):
    with pytest.raises(regard.RegardError, match=rf"^analysis\.key_noise: .*{words}"):
        key_noise(**damaged(**changes))


def test_one_call_compares_different_numbers_of_heads() -> None:
    rng = np.random.default_rng(11)
    queries, means = rng.standard_normal((3, 5)), rng.standard_normal((7, 5))
    factors = 0.5 * rng.standard_normal((7, 5, 5))
    covariances = factors @ np.swapaxes(factors, 1, 2)
    values = rng.standard_normal((7, 2))
    shares = np.array([[1, 0, 0], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3]])
    together = regard.analysis.key_noise(queries, means, covariances, values, head_weights=shares)
    for heads in (1, 2, 3):
        alone = regard.analysis.key_noise(queries[:heads], means, covariances, values)
        np.testing.assert_allclose(together.mean[heads - 1], alone.mean, atol=1e-12)
        np.testing.assert_allclose(together.covariance[heads - 1], alone.covariance, atol=1e-12)


def test_the_rounding_of_one_head_ties_no_scores_of_another():
    # A long query blurs its own scores by 1e-7, and the limit of the short one needs 1e-8.
    means = np.array([[1.0, 1.0], [1.0, 1.0 + 1e-8]])
    queries = np.array([[1e9, 0.0], [0.0, 1.0]])
    none = np.zeros((2, 2, 2))
    for heads, expected in ((0, [0.5, 0.5]), (1, [0.0, 1.0])):
        weights = np.eye(2)[heads]
        law = key_noise(queries, means, none, np.eye(2), head_weights=weights, method="limit")
        np.testing.assert_allclose(law.mean, expected, atol=1e-12)
    batch = key_noise(queries[:, None], means, none, np.eye(2), method="limit")
    np.testing.assert_allclose(batch.mean, [[0.5, 0.5], [0.0, 1.0]], atol=1e-12)
    # A key that is far below ties none of those that are near the top.
    far = np.array([[-1e9], [1.0], [1.0 + 1e-8]])
    law = key_noise([1.0], far, np.zeros((3, 1, 1)), np.eye(3), method="limit")
    np.testing.assert_allclose(law.mean, [0.0, 0.0, 1.0], atol=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_an_output_that_equals_the_level_is_not_above_it(seed):
    # Weights without noise, and atoms of limits: direction · c is the level up to rounding.
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 6)), 3
    means, values = rng.standard_normal((n, d)), rng.standard_normal((n, 2))
    query, direction = rng.standard_normal(d), rng.standard_normal(2)
    still = np.zeros((n, d, d))
    weights = np.exp(means @ query - np.max(means @ query))
    level = float(direction @ (weights @ values / weights.sum()))
    law = key_noise(query, means, still, values)
    assert law.probability(direction, level) == 1.0
    assert law.probability(direction, level - 1e-6) == 0.0
    noise = still + np.eye(d) / 10
    limit = key_noise(query, means, noise, values, method="limit")
    heights = np.sort(values @ direction)
    total = 0.0
    for height in heights:  # the values themselves are the atoms
        before, total = total, limit.probability(direction, height)
        assert total > before or limit.probability(direction, height - 1e-9) == before
    assert total == pytest.approx(1.0, abs=1e-12)


def test_quantiles_over_many_keys_need_little_memory():
    import tracemalloc

    rng = np.random.default_rng(3)
    n = 1000
    law = key_noise(
        rng.standard_normal(2),
        rng.standard_normal((n, 2)),
        np.tile(np.eye(2) / 9, (n, 1, 1)),
        rng.standard_normal((n, 1)),
    )
    tracemalloc.start()
    middle = law.quantile(0.5, [1.0])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6  # all points at once would be 1.6 GB
    # Nearly normal, as a sum of very many small parts.
    assert abs(middle - float(law.mean[0])) < 0.1 * float(np.sqrt(law.variance))
