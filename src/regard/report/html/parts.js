// Opens what a link leads to, in browsers that do not; keeps the address of what is open; opens all.
{
  const folds = document.querySelectorAll(".regard-shelf, .regard-part > details");
  const follow = () => {
    const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!place) return;
    for (let at = place.closest("details"); at; at = at.parentElement.closest("details")) at.open = true;
    place.scrollIntoView();
  };
  addEventListener("hashchange", follow);
  follow();
  for (const fold of folds) {
    const place = fold.querySelector(":scope > [id]");
    if (!place) continue;
    fold.querySelector("summary").addEventListener("click", () => {
      history.replaceState(null, "", fold.open ? location.pathname + location.search : "#" + place.id);
    });
  }
  const all = document.querySelector(".regard-all");
  if (all) {
    const say = () => (all.textContent = [...folds].every((fold) => fold.open) ? "Close all" : "Open all");
    all.addEventListener("click", () => {
      const open = ![...folds].every((fold) => fold.open);
      for (const fold of folds) fold.open = open;
      say();
    });
    for (const fold of folds) fold.addEventListener("toggle", say);
    all.hidden = false;
  }
}
