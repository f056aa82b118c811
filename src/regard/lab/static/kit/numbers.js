// How numbers are written: three digits in sentences, four in tables, a true minus, U+202F before %.
// A number never rounds onto one that it does not reach, and a bound rounds to its safe side.

const NARROW = "\u202f";
const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

/** A number with so many significant digits; zeros at the end are dropped unless `keep`. */
export function number(x, digits = 3, keep = false) {
  if (typeof x !== "number") return x === "inf" ? "∞" : String(x);
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size < 0.001 || size >= 1e6) {
    const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
    const front = keep ? mantissa : String(Number(mantissa));
    return minus(front === "1" ? raised(exponent) : `${front}\u00a0×\u00a0${raised(exponent)}`);
  }
  let text = x.toPrecision(digits);
  for (let more = digits + 1; more < 16 && Number(text) !== x && lands(text); more += 1) {
    text = x.toPrecision(more);
  }
  if (text.includes("e")) text = String(Number(text));
  return minus(keep ? text : String(Number(text)));
}

/** A power of ten: "10⁻⁵" for "-05". */
export function raised(exponent) {
  return `10${[...String(Number(exponent))].map((c) => RAISED[c]).join("")}`;
}

/** Whether rounding ended on 0, ±0.5 or ±1, which a number that is not one of them must not. */
function lands(text) {
  return [0, 0.5, 1].includes(Math.abs(Number(text)));
}

/** A share as a percentage: from 0.01 % on, else "< 0.01 %"; `keep` as in `number`, for columns. */
export function percent(x, digits = 3, keep = false) {
  if (x === 0) return `0${NARROW}%`;
  if (x < 1e-4) return `<${NARROW}0.01${NARROW}%`;
  const p = 100 * x;
  let text = keep && p < 100 ? p.toPrecision(digits) : String(Number(p.toPrecision(digits)));
  if (Number(text) >= 100 && x < 1) text = p.toFixed(2) === "100.00" ? ">\u202f99.99" : p.toFixed(2);
  if (p < 1) text = p.toFixed(2);
  return `${text}${NARROW}%`;
}

/** A share that something stays below: rounded up. */
export function percentUp(x) {
  return percent(Math.min(1, Math.ceil(x * 1000 - 1e-9) / 1000));
}

/** A share that something stays above: rounded down. */
export function percentDown(x) {
  return percent(Math.max(0, Math.floor(x * 1000 + 1e-9) / 1000));
}

/** An upper bound, rounded up to so many digits. */
export function atMost(x, digits = 3) {
  return number(bounded(x, digits, 1), digits);
}

/** A lower bound, or a length up to which something holds: rounded down to so many digits. */
export function upTo(x, digits = 3) {
  return number(bounded(x, digits, -1), digits);
}

/** The number of so many digits next to x on one side (1: above), or x where it is one but for rounding. */
function bounded(x, digits, side) {
  const [mantissa, exponent] = Math.abs(x).toExponential(digits - 1).split("e").map(Number);
  const near = Number(`${mantissa}e${exponent}`);
  if (side * (x - Math.sign(x) * near) <= 1e-11 * Math.abs(x)) return Number.isFinite(near) ? Math.sign(x) * near : x;
  const away = side * Math.sign(x);
  const more = mantissa === 1 && away < 0 ? digits : digits - 1; // below 1.00 comes 0.999
  const beside = (mantissa + away * 10 ** -more).toFixed(more);
  return Math.sign(x) * Number(`${beside}e${exponent}`);
}

/** The hyphen of a negative number as a minus. */
export function minus(text) {
  return text.replace(/^-/, "−");
}

/** What a person typed as a number, or null. Decimal commas and a true minus are understood. */
export function readNumber(text) {
  const plain = text.trim().replace("−", "-").replace(/^(-?\d+),(\d+)$/, "$1.$2");
  if (!/^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(plain)) return null;
  const x = Number(plain);
  return Number.isFinite(x) ? x : null;
}
