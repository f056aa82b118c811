"""What several claims rest on: facts that are decided in one place."""
