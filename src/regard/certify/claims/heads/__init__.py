"""Claims about heads over tokens: what their matrices do, and what no matrices can do."""
