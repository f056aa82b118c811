"""What positions add to scores, and what heads read off them."""
