"""How good the reviewer is: defects planted in real code, clean changes beside them, and what was found of both."""
