"""The passes over the residual flow graph; `cogen.spec.clean` puts them in order."""
