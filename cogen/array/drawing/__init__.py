"""Pictures of the data-flow of functions, as DOT and as SVG."""
