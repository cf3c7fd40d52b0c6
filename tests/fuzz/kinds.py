"""All kinds of programs, by name."""

from tests.fuzz import arrays, formskind, kernels, language, signalkind
from tests.fuzz.case import Kind

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        language.KIND,
        kernels.KIND,
        signalkind.KIND,
        arrays.KIND,
        arrays.NESTS,
        formskind.KIND,
    )
}
