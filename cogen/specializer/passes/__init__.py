"""The passes over the residual flow graph; `passes.clean` puts them in order."""
