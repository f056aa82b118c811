"""One folder per kind of problem; `regard.problems.registry` finds them by name.

| file | holds |
|---|---|
| `spec` | what is given and asked for, and what cannot be meant |
| `fields` | which fields an answer has, and how one is written |
| `instance` | the arrays of an instance |
| `reading` | an answer, read and evaluated |
| `misconceptions` | each mistake once: tag, sentence, the wrong answer, how it is recognised |
| `judge` | is an answer right |
| `solve` | the mathematics: a `Finding`, with claims that prove it |
| `explain` | the words: an `Explanation` of a finding |
| `hints` | what to say before the first step, where steps settle parts of the answer (`choice`) |
| `vary` | other numbers, the same question |
| `start` | the file that an answer begins with, where an answer is a program (`code`) |
| `template.toml` | a commented problem to start from, for `regard new` |

A file that grows long becomes a folder of the same name. What is looked up in them by name:

    spec            PROBLEM, the class of the problems
    fields          fields(problem) -> tuple[AnswerField, ...]; perhaps goals(problem), the names
                    that `points` are given for and that the judge puts into GoalResult.part;
                    INSTANCE_FIRST: wrong on the instance earns nothing on others; SHOWS_ARRAYS:
                    whoever answers needs the arrays of `given`, which are shown with the statement
    misconceptions  MISTAKES, OFTEN; BY_EXAMPLE: the counterexample is told, not the goal missed
    judge           judge(problem, answer) -> Verdict; perhaps replay(problem, answer, seed), which
                    returns a Counterexample, hint(message), added to what cannot be read, and for
                    reading: accept(problem, answer), sizes_of_ones(problem) and
                    has_shape_of(problem, name, formula)
    solve           solve(problem) -> Finding
    explain         explain(problem, finding) -> Explanation
    hints           hints(problem) -> tuple of sentences that come before the steps as hints
    vary            vary(problem, rng) -> dict of the tables that change, such as the whole `given`

`instance` and `reading` are for the other files of the kind.
"""
