"""What happened to each commit: which review saw it, what went past the review, and how.

One append-only file a repository, shared by its linked work trees. It never holds code, messages of findings or
secrets: identities, keyed hashes, counts and names only.
"""
