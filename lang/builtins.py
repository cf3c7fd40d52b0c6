"""The names of the language: special forms, auxiliary keywords, primitives."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from cogen.lang import definitions, derived, forms, libraries, quasi, records
from cogen.lang.core import Expr
from cogen.lang.datum import Symbol, symbol
from cogen.lang.errors import CogenError
from cogen.lang.expander import Expander
from cogen.lang.formshapes import malformed, parts_of
from cogen.lang.prims import CONTROL, PRIMITIVES
from cogen.lang.printer import display_datum, write_datum
from cogen.lang.scope import Auxiliary, Binding, Env, PrimitiveBinding, Special
from cogen.lang.syntax import Syntax

AUXILIARY: Final = ("else", "=>", "...", "_", "unquote", "unquote-splicing")


def expand_syntax_error(x: Expander, form: Syntax, env: Env) -> Expr:
    """`(syntax-error "message" form ...)`: an error of the program's own, at the use."""
    shape = '(syntax-error "message" form ...)'
    parts = parts_of(form, shape, 1)
    if not isinstance(parts[0].value, str):
        raise malformed(form, "syntax-error", shape)
    shown = [display_datum(parts[0].value), *(write_datum(x.datum(part)) for part in parts[1:])]
    raise CogenError(" ".join(shown), form.span)


def expand_syntax_rules(x: Expander, form: Syntax, env: Env) -> Expr:
    """`syntax-rules` where an expression must stand."""
    raise CogenError(
        "`syntax-rules` where an expression must stand",
        form.span,
        "it defines a macro: (define-syntax name (syntax-rules ...))",
    )


_misplaced = definitions.definition_in_expression

FORMS: Final = (
    Special("quote", forms.expand_quote),
    Special("quasiquote", quasi.expand_quasiquote),
    Special("lambda", forms.expand_lambda_form),
    Special("if", forms.expand_if),
    Special("set!", forms.expand_set),
    Special("let", forms.expand_let),
    Special("let*", forms.expand_let_star),
    Special("letrec", forms.expand_letrec),
    Special("letrec*", forms.expand_letrec),
    Special("let-values", forms.expand_let_values),
    Special("let*-values", forms.expand_let_star_values),
    Special("do", forms.expand_do),
    Special("begin", definitions.expand_begin),
    Special("include", definitions.expand_include),
    Special("include-ci", definitions.expand_include),
    Special("cond-expand", definitions.expand_cond_expand),
    Special("let-syntax", definitions.expand_let_syntax),
    Special("letrec-syntax", definitions.expand_let_syntax),
    Special("define", _misplaced, definitions.scan_define),
    Special("define-values", _misplaced, definitions.scan_define_values),
    Special("define-syntax", _misplaced, definitions.scan_define_syntax),
    Special("define-record-type", _misplaced, records.scan_define_record),
    Special("import", _misplaced, libraries.scan_import),
    Special("define-library", _misplaced, libraries.scan_define_library),
    Special("syntax-rules", expand_syntax_rules),
    Special("syntax-error", expand_syntax_error),
    Special("and", derived.expand_and),
    Special("or", derived.expand_or),
    Special("when", derived.expand_when),
    Special("unless", derived.expand_unless),
    Special("cond", derived.expand_cond),
    Special("case", derived.expand_case),
    Special("case-lambda", derived.expand_case_lambda),
    Special("delay", derived.expand_delay),
    Special("delay-force", derived.expand_delay_force),
    Special("parameterize", derived.expand_parameterize),
    Special("guard", derived.expand_guard),
)


@cache
def builtins() -> Mapping[Symbol, Binding]:
    """What each name of the language means, the prelude's procedures apart."""
    table: dict[Symbol, Binding] = {symbol(name): Auxiliary(name) for name in AUXILIARY}
    table.update((symbol(name), PrimitiveBinding(name)) for name in (*PRIMITIVES, *CONTROL))
    table.update((symbol(form.name), form) for form in FORMS)
    return table
