"""Do these blocks make every query look at the key T steps before it?"""

from __future__ import annotations

from regard.checking.offset.judge import judge

__all__ = ["judge"]
