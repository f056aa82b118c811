"""What wrong answers look like, by family: tags, each with the sentence that explains it."""
