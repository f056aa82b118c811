// "Copy as …": what is on the screen as text for elsewhere.

import { h } from "./dom.js";

/** A button that copies what `text()` returns; without a clipboard it shows the text to be copied. */
export function copyButton(label, text, announce) {
  const button = h("button", { type: "button", class: "regard-button regard-small", text: label });
  button.addEventListener("click", async () => {
    const copied = text();
    button.regardCopied = copied;
    try {
      await navigator.clipboard.writeText(copied);
      button.textContent = "Copied";
      announce(`${label}: copied.`);
    } catch {
      const area = h("textarea", { class: "regard-copied", readonly: true, rows: 8, "aria-label": label });
      area.value = copied;
      button.parentNode.querySelector(".regard-copied")?.remove();
      button.parentNode.append(area);
      area.select();
      announce(`${label}: select the text and copy it.`);
    }
    setTimeout(() => { button.textContent = label; }, 1500);
  });
  return button;
}

/** A number, a list or nested lists as Python and TOML write them; rows below each other. */
export function literal(value, indent = "") {
  if (!Array.isArray(value)) return typeof value === "string" ? JSON.stringify(value) : float(value);
  if (!Array.isArray(value[0])) return `[${value.map((x) => literal(x)).join(", ")}]`;
  const rows = value.map((row) => `${indent}    ${literal(row, `${indent}    `)},`);
  return `[\n${rows.join("\n")}\n${indent}]`;
}

/** A number that reads back to the same bits; whole ones with a point, so that arrays are floats. */
function float(x) {
  if (typeof x !== "number") return String(x);
  const text = String(x);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}
