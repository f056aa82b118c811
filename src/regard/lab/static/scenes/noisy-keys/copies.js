// What is shown as Python and as a problem file.

import { literal } from "../../kit/copy.js";

const QUERIES = {
  one: "queries = C * np.array([mu[0] + mu[1]])",
  two: "queries = C * np.array([mu[0], mu[1]])",
  null_one: "queries = regard.design.robust(mu, noise, {0: 0.5, 1: 0.5}, heads=1, gap=C).queries",
  null_two: "queries = regard.design.robust(mu, noise, {0: 0.5, 1: 0.5}, heads=2, gap=C).queries",
};

/** Runnable code that gives the numbers on the screen. */
export function pythonCode({ heads, C, variance, alpha, n, values, seed }) {
  return `import numpy as np
import regard

n, C, variance, alpha = ${n}, ${literal(C)}, ${literal(variance)}, ${literal(alpha)}
values = np.array(${literal(values.slice(0, n))})
mu = np.eye(n)  # the means of the keys; key 0 is k_a, key 1 is k_b
noise = alpha * np.repeat(np.eye(n)[None], n, axis=0)
noise[0, 0, 0] += variance  # k_a varies in length
${QUERIES[heads]}
law = regard.analysis.key_noise(queries, mu, noise, values, rng=0)
wanted = (values[0] + values[1]) / 2
off = np.sqrt(law.variance + np.sum((law.mean - wanted) ** 2))
print("mean", law.mean, "off by", off)

draw = np.random.default_rng(${seed})
keys = mu + np.sqrt(alpha) * draw.standard_normal((300, n, n))
keys[:, 0, 0] += np.sqrt(variance) * draw.standard_normal(300)
outputs, _ = regard.attention_with_weights(queries, keys, values, scale=1.0)
cloud = outputs.mean(axis=1)  # over the heads
events = keys[:, 0] @ queries[0] < 0
print(np.count_nonzero(events), "of 300 draws have q·k_a < 0")
`;
}

/** A problem: what the plain heads put out, or which query or queries do better. */
export function problemFile({ heads, C, variance, alpha, n }) {
  const steered = heads.startsWith("null");
  const two = heads.endsWith("two");
  const queries = two ? ["C mu_a", "C mu_b"] : ["C (mu_a + mu_b)"];
  const plain = two ? "Two heads with the queries $q_1 = C \\\\mu_a$ and $q_2 = C \\\\mu_b$ are averaged." : "One head has the query $q = C(\\\\mu_a + \\\\mu_b)$.";
  const asked = steered
    ? `Find ${two ? "two queries, whose heads are averaged," : "a query"} with which the output stays near $(v_a + v_b)/2$.`
    : `${plain} What does the output look like from one draw of the keys to the next, for a large $C$?`;
  const given = steered
    ? `values = { law = "orthonormal" }
parameters = { alpha = ${literal(alpha)} }`
    : `values = { law = "arbitrary" }
parameters = { alpha = ${literal(alpha)}, C = ${literal(C)} }
limits = ["alpha -> 0", "C -> inf"]
queries = ${JSON.stringify(queries)}`;
  const goal = steered
    ? `weights = { a = 0.5, b = 0.5 }
tolerance = 0.2${two ? "\nheads = 2" : ""}`
    : `find = ["atoms", "mean", "variance"]`;
  return `schema = 1
id = "noisy-keys"
title = "Noisy keys"
kind = "${steered ? (two ? "heads" : "query") : "noise"}"
statement = "Keys are random, with orthonormal means; $k_a$ also varies in length. ${asked}"

[given]
scale = 1.0
n = ${n}
names = { a = 0, b = 1 }
${given}

[given.keys]
law = "gaussian"
mean = { law = "orthonormal" }
covariance = { a = "alpha I + ${literal(variance)} mu_a mu_a'", others = "alpha I" }

[goal]
${goal}
`;
}
