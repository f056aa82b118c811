// Several matrices out of one text: X, W_Q, W_K and W_V as a handout or a program has them.

import { readMatrix, written } from "../../kit/matrix.js";

const NAME = /(?:^|[\s;,$])\\?(?:mathbf\{)?(X|x|W_?\{?([QKVqkv])\}?)\}?\s*(?:=|:)\s*/g;

/** By their names in the state, the matrices that a text gives; null if it names fewer than two. */
export function readMatrices(text, most) {
  const marks = [...text.matchAll(NAME)];
  if (marks.length < 2) return null;
  const found = {};
  for (const [i, mark] of marks.entries()) {
    const part = text.slice(mark.index + mark[0].length, marks[i + 1]?.index ?? text.length);
    const rows = readMatrix(part.trim().replace(/[\s;,$.\\]+$/, ""));
    if (!rows || rows.length > most || rows[0].length > most) return null;
    found[mark[2] ? `W_${mark[2].toUpperCase()}` : "x"] = rows.map((row) => row.map(written));
  }
  return Object.keys(found).length > 1 ? found : null;
}
