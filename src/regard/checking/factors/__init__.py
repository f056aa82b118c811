"""The factor C that an answer leaves open: what it is tried with, and what an answer says of it."""
