"""The lab: attention to see, drag and break, in the browser, in a notebook and as a file.

    questions/   what may be asked: one file each, pure functions from JSON data to JSON data
    table        all of them, found by their files
    scenes       what a scene is; static/scenes/ has them
    server       the page;  widget: the notebook;  saved_page: the file

Every number that a scene shows is an answer to a question: there is no mathematics in JavaScript.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regard.lazy_names import lazy_names

if TYPE_CHECKING:
    from regard.lab.designed_model import demonstration_model
    from regard.lab.offered_models import offer_model
    from regard.lab.server import serve
    from regard.lab.table import ask
    from regard.lab.widget import Scene
else:  # a checker of types reads the lines above
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "designed_model": "demonstration_model",
            "offered_models": "offer_model",
            "server": "serve",
            "table": "ask",
            "widget": "Scene",
        },
    )

__all__ = ["Scene", "ask", "demonstration_model", "offer_model", "serve"]
