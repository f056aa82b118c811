"""Counting: parameters, shapes, operations, memory and bytes of attention, blocks and models."""
