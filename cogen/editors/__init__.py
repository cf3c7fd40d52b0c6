"""What editors and pages need to show programs: words, lexers, a grammar, and modes of editors."""
