"""The models that a scene may look into: those offered, and one made of designed heads."""
