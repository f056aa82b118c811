"""Problems as folders for the graders that courses use: Gradescope, otter, nbgrader, PrairieLearn.

Each folder is thin: it holds the problems and asks the installed regard, so that an answer gets the
same score and the same tag there as from `regard check`.
"""
