// Moves the figures of a report along their rows. All numbers and sentences are in the page.
for (const figure of document.querySelectorAll(".regard-slider")) {
  const data = JSON.parse(figure.querySelector("script").textContent);
  const drag = figure.querySelector(".regard-drag");
  const input = drag.querySelector("input");
  const says = figure.querySelector(".regard-says");
  const line = figure.querySelector(".regard-here");
  const dots = figure.querySelectorAll(".regard-dot");
  const fills = figure.querySelectorAll(".regard-bars .regard-fill");
  const values = figure.querySelectorAll(".regard-bars .regard-value");
  const gone = figure.querySelector(".regard-gone");
  const left = figure.querySelector(".regard-left");
  let row = data.at;

  function show(next) {
    row = Math.min(data.x.length - 1, Math.max(0, next));
    const place = data.places[row] + "%";
    says.innerHTML = data.says[row];
    line.setAttribute("x1", place);
    line.setAttribute("x2", place);
    dots.forEach((dot, i) => {
      dot.setAttribute("cx", place);
      dot.setAttribute("cy", data.heights[i][row] + "%");
    });
    fills.forEach((fill, i) => {
      fill.setAttribute("width", 100 * Math.min(1, Math.max(0, data.bars[row][i])) + "%");
      values[i].textContent = data.shares[row][i];
    });
    if (gone) {
      gone.setAttribute("cx", 100 * data.way[row] + "%");
      left.textContent = data.left[row];
    }
    input.value = data.places[row];
    input.setAttribute("aria-valuetext", data.symbol + " = " + data.shown[row]);
    figure.dataset.row = row;
  }

  function nearest(place) {
    let best = 0;
    data.places.forEach((p, i) => {
      if (Math.abs(p - place) < Math.abs(data.places[best] - place)) best = i;
    });
    return best;
  }

  const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -5, PageUp: 5 };
  input.addEventListener("input", () => show(nearest(Number(input.value))));
  input.addEventListener("keydown", (event) => {
    if (event.key in steps) show(row + steps[event.key]);
    else if (event.key === "Home") show(0);
    else if (event.key === "End") show(data.x.length - 1);
    else return;
    event.preventDefault();
  });
  drag.hidden = false;
  show(row);
}
