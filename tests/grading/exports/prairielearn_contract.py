"""PrairieLearn's documented contract: which keys a phase may change, and that all of it is JSON."""

from __future__ import annotations

import copy
import importlib.util
import json
from pathlib import Path
from typing import Any

MAY_CHANGE = {
    "generate": {"params", "correct_answers"},
    "parse": {"submitted_answers", "format_errors", "feedback", "correct_answers"},
    "grade": {
        *("params", "submitted_answers", "format_errors", "feedback", "correct_answers"),
        *("partial_scores", "score"),
    },
}
KEYS = {
    "generate": ("params", "correct_answers", "variant_seed", "options", "answers_names"),
    "parse": (
        *("params", "correct_answers", "submitted_answers", "raw_submitted_answers"),
        *("format_errors", "feedback", "variant_seed", "options"),
    ),
    "grade": (
        *("params", "correct_answers", "submitted_answers", "raw_submitted_answers"),
        *("format_errors", "feedback", "partial_scores", "score", "variant_seed", "options"),
    ),
}
Data = dict[str, Any]


class Question:
    """A question folder, run phase by phase as a server does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        spec = importlib.util.spec_from_file_location("server", folder / "server.py")
        assert spec is not None
        assert spec.loader is not None
        self.server = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.server)
        self.variant: Data = {}

    def generate(self, seed: int = 7) -> Data:
        start = {"params": {}, "correct_answers": {}, "answers_names": {}}
        self.variant = self._phase("generate", start, seed)
        return self.variant

    def submit(self, submitted: Data) -> Data:
        """Parse, and grade where nothing is a format error."""
        start = {
            "submitted_answers": copy.deepcopy(submitted),
            "raw_submitted_answers": submitted,
            "format_errors": {},
            "feedback": {},
            **{key: self.variant[key] for key in ("params", "correct_answers")},
        }
        parsed = self._phase("parse", start, 7)
        if parsed["format_errors"]:
            return parsed
        return self._phase("grade", {**parsed, "partial_scores": {}, "score": 0}, 7)

    def _phase(self, name: str, start: Data, seed: int) -> Data:
        options = {"question_path": str(self.folder)}
        data = _through_json({**start, "variant_seed": seed, "options": options})
        before = copy.deepcopy(data)
        assert set(data) == set(KEYS[name])
        assert getattr(self.server, name)(data) is None
        assert set(data) == set(before), "keys may be neither added nor removed"
        changed = {key for key in data if data[key] != before[key]}
        assert changed <= MAY_CHANGE[name], changed
        for part in data.get("partial_scores", {}).values():
            assert 0 <= part["score"] <= 1
            assert type(part["weight"]) is int
        for sentence in data.get("format_errors", {}).values():
            assert isinstance(sentence, str)
        return _through_json(data)


def _through_json(data: Data) -> Data:
    return json.loads(json.dumps(data, allow_nan=False))
