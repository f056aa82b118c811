"""What ends a run from outside: a cluster that is gone, a disk that is full, Ctrl-C."""

from __future__ import annotations

from regard.errors import RegardError

__all__ = ["ClusterError", "Interrupted"]


class ClusterError(RegardError):
    """A cluster or a disk that failed while it was at work; the message says how to go on."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run that can go on: a KeyboardInterrupt whose message says how."""
