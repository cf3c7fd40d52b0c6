"""Interpreters as people write them who know nothing of the specializer, with programs for them.

NAME.scm is an interpreter: no `lift`, no `dcall`, nothing that only a specializer needs.
NAME.cases says how it is called and what its programs must become:

    file  ::= (interpreter (call ENTRY PARAMETER …)     `program`, or a binding time
                           (left NAME …)                what no residual program may mention
                           (data SYMBOL …))             symbols that it may quote
              case … [grow]
    case  ::= (case NAME (program DATUM) (run (INPUT …) RESULT) … [(ideal FORM …)])
              | (same INTERPRETER CASE)                the case of another interpreter
    grow  ::= (grow UNITS (program TEMPLATE) (run (INPUT …)) …)

An ideal is the residual program as one would write it by hand; its size counts, and it is run
like a residual program. A case without one has an ideal in proportion to the first. `grow`
makes programs of 1, 2, 4 and 8 times UNITS alike parts: of a template, `(%each PART …)` is
repeated, the names in it that contain `%` (`%+`) get the number of the part (of the next one),
`%` alone is that number, `%n` how many there are, `(%at A B)` the integer A*%+B, and
`(%string S …)` the strings and numbers put together, `(%nest PART LAST)` the parts in each other:
the next one stands for `%rest` in PART.
"""
