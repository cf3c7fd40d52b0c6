"""The commands of `cogen`, each module imported when its command is asked for (`cogen.cli`)."""
