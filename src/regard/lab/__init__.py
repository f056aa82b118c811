"""The lab: attention to see, drag and break, in the browser, in a notebook and as a file.

    questions/   what may be asked: one file each, pure functions from JSON data to JSON data
    table        all of them, found by their files
    scenes       what a scene is; static/scenes/ has them
    serving/     the page;  widget: the notebook;  pages/: the file

Every number that a scene shows is an answer to a question: there is no mathematics in JavaScript.
"""

from regard.lazy_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
