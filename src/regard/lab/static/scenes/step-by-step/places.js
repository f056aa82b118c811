// Which number is meant, what it was made of, and how large the matrices are. Only places, no numbers.

const WIDTHS = { q: "d_k", k: "d_k", v: "d_v", z: "n", a: "n", c: "d_v" };

/** "q_3[1]" or "z_3,1" as a letter, a row and a column, counted from 0. */
export function placeOf(entry) {
  const [, letter, i, j] = entry.match(/^([qkvzac])_(\d+)(?:,|\[)(\d+)\]?$/) ?? ["", "q", "1", "1"];
  return { letter, i: Number(i) - 1, j: Number(j) - 1 };
}

/** The name of an entry as the engine reads it. */
export function entryName(letter, i, j) {
  return letter === "z" || letter === "a" ? `${letter}_${i + 1},${j + 1}` : `${letter}_${i + 1}[${j + 1}]`;
}

/**
 * By the name of a matrix, whether the cell (row, column) is one that the entry was made of; `visible`
 * are the keys that each query sees.
 */
export function sourcesOf(entry, visible) {
  const { letter, i, j } = placeOf(entry);
  const row = (r) => r === i;
  const sees = (key) => visible[i]?.includes(key) ?? false;
  if ("qkv".includes(letter)) return { x: row, [`W_${letter.toUpperCase()}`]: (_, c) => c === j };
  if (letter === "z") return { q: row, k: (r) => r === j };
  if (letter === "a") return { z: (r, c) => r === i && sees(c) };
  return { a: (r, c) => r === i && sees(c), v: (r, c) => c === j && sees(r) };
}

/** The sizes of the matrices. */
export function sizesOf({ x, W_Q, W_V }) {
  return { n: x.length, d_model: x[0].length, d_k: W_Q[0].length, d_v: W_V[0].length };
}

/** The entry, or the nearest one that there is. */
export function within(entry, sizes) {
  const { letter, i, j } = placeOf(entry);
  return entryName(letter, Math.min(i, sizes.n - 1), Math.min(j, sizes[WIDTHS[letter]] - 1));
}

/** The matrices cut, or filled up with zeros, to other sizes. */
export function resized({ x, W_Q, W_K, W_V }, { n, d_model, d_k, d_v }) {
  const cut = (rows, height, width) => Array.from({ length: height }, (_, i) => Array.from({ length: width }, (_, j) => rows[i]?.[j] ?? 0));
  return { x: cut(x, n, d_model), W_Q: cut(W_Q, d_model, d_k), W_K: cut(W_K, d_model, d_k), W_V: cut(W_V, d_model, d_v) };
}

/** The masks for n tokens: rows are cut, or filled up with ones; padding begins within them. */
export function masksFor({ mask, key_lengths }, n) {
  const rows = mask && Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => mask[i]?.[j] ?? 1));
  return { mask: rows, key_lengths: key_lengths === null ? null : Math.min(key_lengths, n) };
}

/** Numbers as they were written: 0.1 as text is one tenth, as a float it would not be. */
export function exactRows(rows) {
  return rows.map((row) => row.map((x) => (typeof x === "number" && !Number.isInteger(x) ? String(x) : x)));
}
