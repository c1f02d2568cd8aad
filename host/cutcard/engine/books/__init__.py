"""What is procedure and not data in a rulebook: one package for each, named by where it applies."""
