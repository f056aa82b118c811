"""What a mistake makes of an example: the numbers that somebody with it would get."""

from collections.abc import Callable, Iterator, Mapping

from regard.kinds.compute.instance import Example, Float64

Imitated = Iterator[Mapping[str, Float64]]  # once, or not where there is no room for the mistake
Imitate = Callable[[Example], Imitated]
