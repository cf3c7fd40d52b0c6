"""L0: text -> tree -> checked tree -> interpreter."""
