"""What a person is shown, as plain data, and its renderers; knows nothing of attention.

>>> from regard.report import Report, Table, Text, number
>>> table = Table(("key", "weight"), (("k_0", number(0.75)), ("k_1", number(0.25))))
>>> print(Report("Two keys", (Text("Most of the weight is on the first."), table)))
Two keys
========
<BLANKLINE>
Most of the weight is on the first.
<BLANKLINE>
key  weight
---  ------
k_0    0.75
k_1    0.25
"""

from regard.lazy_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
