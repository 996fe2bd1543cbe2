"""The model pair: where it comes from, whether it is whole, whether the two fit each other and this machine."""
