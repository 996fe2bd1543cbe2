"""Where model files come from: a source brings an entry's bytes and never decides that they are right."""
