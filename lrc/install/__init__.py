"""How `lrc` lives in git's hooks and beside other hook tools: put in, found again, taken out without a trace."""
