"""The kinds of problems, one file per family: what is given and what is asked for."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, TypeAdapter

from regard.problems.kinds.code import CodeProblem
from regard.problems.kinds.compute import ComputeProblem
from regard.problems.kinds.condition import ConditionProblem
from regard.problems.kinds.identity import IdentityProblem
from regard.problems.kinds.moments import MomentsProblem
from regard.problems.kinds.noise import NoiseProblem
from regard.problems.kinds.positions import BandProblem, OffsetProblem
from regard.problems.kinds.query import HeadsProblem, QueryProblem
from regard.problems.kinds.separator import SeparatorProblem
from regard.problems.kinds.tokens import FeasibilityProblem, SelfAttentionProblem

Problem = (
    ComputeProblem
    | IdentityProblem
    | ConditionProblem
    | QueryProblem
    | HeadsProblem
    | SeparatorProblem
    | SelfAttentionProblem
    | FeasibilityProblem
    | OffsetProblem
    | BandProblem
    | MomentsProblem
    | NoiseProblem
    | CodeProblem
)
KINDS = (
    "compute",
    "identity",
    "condition",
    "query",
    "heads",
    "separator",
    "self_attention",
    "feasibility",
    "offset",
    "band",
    "moments",
    "noise",
    "code",
)
ADAPTER: TypeAdapter[Problem] = TypeAdapter(Annotated[Problem, Field(discriminator="kind")])
