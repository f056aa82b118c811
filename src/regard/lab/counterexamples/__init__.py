"""Counterexamples of verdicts as states of scenes, to be played with."""
