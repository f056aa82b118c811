"""A scene in a notebook: the same front end, answered by the Python that runs the notebook."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from regard.errors import ParameterError
from regard.lab import scenes
from regard.lab.pages.bundle import scene_module
from regard.lab.pages.style import style_sheet
from regard.lab.table import Refused, ask

try:
    import anywidget
    import traitlets
except ModuleNotFoundError as missing:
    raise ParameterError(
        f"lab.Scene: {missing.name} is not installed. A scene in a notebook needs it: "
        "pip install 'regard[notebook]'."
    ) from None


class Scene(anywidget.AnyWidget):
    """A scene of the lab, live in a notebook.

    Args:
        name: such as "where-to-look".
        **state: parts of its state that differ from how it begins.

    `scene.state` is what it shows, and setting it moves the picture; always set a whole new dict,
    such as `scene.state = {**scene.state, "factor": 2.0}`. `scene.results` has what the questions
    of that state find, as objects of the Python API.

    Example:
        >>> scene = Scene("where-to-look", factor=0.5)
        >>> scene.results["design"].query.round(2).tolist()
        [10.76, 1.71]
    """

    about = traitlets.Dict().tag(sync=True)
    state = traitlets.Dict().tag(sync=True)

    def __init__(self, name: str, **state: Any) -> None:
        told = scenes.about(name)
        unknown = sorted(set(state) - set(told["state"]))
        if unknown:
            raise ParameterError(
                f"lab.Scene: {unknown[0]!r} is no part of the state of {name}. "
                f"There are {', '.join(told['state'])}."
            )
        # Per instance: a notebook saves both texts with each widget, so only what this scene needs.
        self._esm = scene_module(name)
        self._css = style_sheet("none")
        super().__init__(about=told, state={**told["state"], **state})
        self.on_msg(self._asked)

    def _asked(self, _: Any, message: Any, __: Any) -> None:
        """Answer the front end."""
        if not isinstance(message, dict) or "ask" not in message:
            return  # a question taken back has been answered by then
        try:
            said: dict[str, Any] = {"answer": ask(message["ask"], message["arguments"]).data}
        except Refused as refused:
            said = {"problem": str(refused)}
        self.send({"id": message.get("id"), **said})

    @property
    def results(self) -> dict[str, Any]:
        """What the questions of the state find, by their names in the scene.

        A design that is impossible is the exception with its proof; a refused question is None.
        """
        found = scenes.answered(self.about, self.state)
        return {
            label: None if isinstance(one, Refused) else one.found for label, one in found.items()
        }

    def to_html(self, path: str | Path) -> None:
        """Write the scene as it is now to one HTML file that needs no server."""
        from regard.lab.pages.saved_page import saved_scene

        Path(path).write_text(saved_scene(self.about["name"], self.state), encoding="utf-8")

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """What a notebook saves: the live scene, and words and a table where there is none."""
        from regard.lab.pages.static_view import static_view

        given = super()._repr_mimebundle_(**options)
        data, metadata = given if isinstance(given, tuple) else (given, {})
        return {**(data or {}), "text/html": static_view(self.about, self.state)}, metadata
