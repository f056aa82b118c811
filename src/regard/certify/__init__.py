"""Certificates: claims about given arrays that a stranger can check.

`verify` reads the arrays and the witnesses and nothing derived from them, works in
ball arithmetic and rationals, and answers holds, fails or undecided. It shares no
code with what builds certificates.
"""

from __future__ import annotations

from regard.certify.certificate import Certificate, Claim
from regard.certify.verification import ClaimResult, Verification, verify

__all__ = ["Certificate", "Claim", "ClaimResult", "Verification", "verify"]
