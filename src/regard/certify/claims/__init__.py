"""What can be claimed, and how it is decided: a folder for each subject, a file for each idea."""
