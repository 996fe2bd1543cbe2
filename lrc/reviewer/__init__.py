"""Everything that asks a model: measuring the change, writing comments, reading the answers."""
