"""What is printed in one screen: a solution, a verdict, a question."""
