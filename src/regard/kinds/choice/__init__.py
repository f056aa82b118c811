"""Which of these statements are true, decided by proofs and counterexamples."""
