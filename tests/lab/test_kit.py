"""The parts that scenes are made of: how bounds are rounded, and what may be pasted."""

from __future__ import annotations

import random
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

from lab.browsing import Lab, open_scene

ROUNDED = """async (numbers) => {
  const { atMost, upTo } = await import("/static/kit/numbers.js");
  return numbers.map((x) => [atMost(x), upTo(x)]);
}"""
PASTED = """async (texts) => {
  const { readMatrix, whyNot } = await import("/static/kit/matrix.js");
  return texts.map((text) => readMatrix(text) ?? whyNot(text));
}"""
LABELS = """async (texts) => {
  const { typeset } = await import("/static/kit/math.js");
  return texts.map((text) => typeset(text).map((part) => part.localName ? `[${part.textContent}]` : part).join(""));
}"""
POINTS = """async (rows) => {
  const { aligned } = await import("/static/kit/table.js");
  const table = document.querySelector(".regard-entries-table tbody");
  table.replaceChildren(...aligned(rows));
  return [...table.rows].map((row) => [...row.cells].map((cell) => {
    const tail = cell.querySelector(".regard-tail");
    return [cell.textContent, tail ? tail.getBoundingClientRect().left : cell.getBoundingClientRect().right];
  }));
}"""
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def decimal(text: str) -> Decimal:
    """A number as the page writes it."""
    plain = text.replace("\u2212", "-").replace("\u00a0×\u00a0", "×")
    front, _, power = plain.partition("×10") if "×" in plain else ("", "", "")
    if "×" in plain:
        return Decimal(f"{front}e{power.translate(RAISED)}")
    if plain.startswith("10") and plain[2:].translate(RAISED) != plain[2:]:
        return Decimal(f"1e{plain[2:].translate(RAISED)}")
    return Decimal(plain)


def test_bounds_are_rounded_to_their_safe_side_however_small_they_are(
    browser: Any, lab: Lab
) -> None:
    draw = random.Random(0)
    numbers = [draw.uniform(1, 10) * 10.0 ** draw.randint(-300, 300) for _ in range(200)]
    numbers += [9.999, 99.96, 0.00099951, 1e-309, 2.5, 0.001]
    screen = open_scene(browser, lab, "split-subspaces")
    for x, (above, below) in zip(numbers, screen.page.evaluate(ROUNDED, numbers), strict=True):
        exact = Decimal(x)
        unit = Decimal(1).scaleb(exact.adjusted() - 2)
        for shown, way in ((above, ROUND_CEILING), (below, ROUND_FLOOR)):
            wanted = (exact / unit).to_integral_value(way) * unit
            close = (exact / unit).to_integral_value() * unit  # a number of three digits itself
            kept = abs(close - exact) <= exact * Decimal("1e-11")
            assert decimal(shown) == (close if kept else wanted)
    special = screen.page.evaluate(ROUNDED, [0, 5e-324, 1.7976931348623157e308])
    assert special[0] == ["0", "0"]
    assert not any("NaN" in text or "Inf" in text for pair in special for text in pair)
    screen.end()


def test_an_odd_paste_is_read_or_refused_with_the_cell_that_is_at_fault(
    browser: Any, lab: Lab
) -> None:
    square = [["1", "2"], ["3", "4"]]
    texts = {
        "1\t2\r\n3\t4\r\n": square,
        "\t1\t2\t\n\t3\t4\t\n\n": square,  # empty cells around
        "\n\n1\t2\n\n3\t4": square,
        "[[1, 2],\n\t[3, 4]]": square,
        "1\t\n\t2": "Row 1 has an empty cell.",
        "1\t\t3\n4\t\t6": "Row 1 has an empty cell.",
        "1\t2\n3\t": "Row 2 has an empty cell.",
        "x\ty\n1\t2": "“x” in row 1 is no number.",
        "1\t50%\n3\t4": "“50%” in row 1 is no number.",
        "1\t#DIV/0!": "“#DIV/0!” in row 1 is no number.",
        "1 2\n3": "Row 2 has 1 numbers, and row 1 has 2.",
        "": "Nothing was pasted: there is no number in it.",
        " \t\n": "Nothing was pasted: there is no number in it.",
        "[]": "Nothing was pasted: there is no number in it.",
    }
    screen = open_scene(browser, lab, "split-subspaces")
    assert screen.page.evaluate(PASTED, list(texts)) == list(texts.values())
    screen.end()


def test_an_empty_paste_leaves_the_matrix_and_says_why(browser: Any, lab: Lab) -> None:
    screen = open_scene(browser, lab, "choose-kqv")
    before = screen.state
    cell = screen.page.get_by_label("x 2, column 3", exact=False)
    cell.evaluate(
        """(cell) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text", "1\\t\\n\\t2");
          cell.dispatchEvent(new ClipboardEvent("paste", { clipboardData, cancelable: true }));
        }"""
    )
    notes = screen.page.locator(".regard-matrix .regard-note").all_inner_texts()
    assert notes == ["That is no matrix of numbers.", "Row 1 has an empty cell."]
    assert screen.state == before
    screen.end()


def test_letters_that_stand_alone_in_a_label_are_formulas_and_words_are_not(
    browser: Any, lab: Lab
) -> None:
    labels = {
        "Length of each u": "Length of each [u]",
        "M, share forgotten": "[M], share forgotten",
        "Noise of every key, α": "Noise of every key, [α]",
        "Project onto vₛ": "Project onto [vs]",
        "A key, I and a row": "A key, I and a row",
        "Best, any sign": "Best, any sign",
    }
    screen = open_scene(browser, lab, "split-subspaces")
    assert screen.page.evaluate(LABELS, list(labels)) == list(labels.values())
    screen.end()


def test_the_points_of_a_column_stand_below_each_other(browser: Any, lab: Lab) -> None:
    rows = [["2.134", "−0.4925"], ["0.5821", "4.568\u00a0×\u00a010⁻⁸"], ["−12.5", "3"]]
    screen = open_scene(browser, lab, "split-subspaces")
    shown = screen.page.evaluate(POINTS, rows)
    assert [[text for text, _ in row] for row in shown] == rows
    for column in range(2):
        places = [row[column][1] for row in shown]
        assert max(places) - min(places) < 0.5
    screen.end()
