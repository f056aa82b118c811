"""What people type into the fields of an answer, read where what is meant is beyond doubt."""
