"""One folder per kind of problem; `regard.problems.registry` finds them by name.

| file | holds |
|---|---|
| `spec` | what is given and asked for, and what cannot be meant |
| `instance` | the arrays of an instance |
| `reading` | an answer, read and evaluated |
| `misconceptions` | each mistake once: tag, sentence, the wrong answer, how it is recognised |
| `judge` | is an answer right |
| `solve` | the mathematics: a `Finding`, with claims that prove it |
| `explain` | the words: an `Explanation` of a finding |
| `vary` | other numbers, the same question |
"""
