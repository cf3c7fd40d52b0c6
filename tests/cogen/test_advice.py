"""Advice: what is found out about a program before it is specialized, and what is done with it."""

from __future__ import annotations

import pytest

import cogen
from cogen import binding_times
from cogen.binding_times import BT, parse_bt
from cogen.lang import il
from cogen.lang.ilutil import bound_names, parameters
from cogen.specializer.advice.advise import Advice
from cogen.specializer.advice.bounds import Bounds
from cogen.specializer.advice.flow import Flow
from cogen.specializer.advice.lifts import Lift
from cogen.specializer.advice.sizes import LIST, PART, SAME, WHOLE, Relation, Sizes
from cogen.specializer.advice.texts import is_user
from cogen.specializer.advice.values import DATA, GROUND, NUMBER, TRUTH, UNKNOWN, Made
from tests.corpus.cases import Case, interpreter, names
from tests.corpus.measure import expected, results

# Which values get where


def flow_of(text: str, *times: str) -> Flow:
    """The values of a program that is specialized from `f` on."""
    return Flow(cogen.loads(text), "f", list(map(parse_bt, times)))


def held(flow: Flow, name: str) -> list[str]:
    """What a variable of the user's procedures may hold in any context, sorted; a procedure as its
    name after `procedure`, what other places make as its kind."""
    nodes = [
        flow.variable(context, variable)
        for function, context in flow.bodies
        if is_user(function)
        for variable in (*parameters(function), *bound_names(function.body))
        if plain(variable) == name
    ]
    assert nodes
    return sorted({told(token) for node in nodes for token in node.tokens})


def owner(flow: Flow, name: str) -> il.Function:
    (function,) = {f for f, _ in flow.bodies if is_user(f) and name in parameters(f)}
    return function


def told(token: object) -> str:
    if not isinstance(token, Made):
        return token if isinstance(token, str) else "continuation"
    if token.kind in ("procedure", "global"):
        return f"procedure {token.place.name}"
    return token.kind


def test_binding_times_are_tokens() -> None:
    text = (
        "(define (f a b c d e) (g a b c d e)) (define (g p q r s u) (if (null? p) p (g p q r s u)))"
    )
    flow = flow_of(text, "_", "(static 3)", "(static (x y))", "(static #t)", "(cons _ _)")
    assert [held(flow, name) for name in "pqrsu"] == [[DATA], [NUMBER], [GROUND], [TRUTH], ["pair"]]


def test_what_is_computed_is_known_if_its_operands_are() -> None:
    text = """
(define (f a b) (g (+ a 1) (+ b 1) (< b 3) (< a b) (lift b)))
(define (g p q r s u) (if (null? p) p (g p q r s u)))
"""
    flow = flow_of(text, "_", "(static 3)")
    found = [held(flow, name) for name in "pqrsu"]
    assert found == [[DATA], [NUMBER], [TRUTH], [DATA], [DATA]]


def test_parts_come_out_of_what_they_were_put_into() -> None:
    text = """
(define-record-type point (make-point x y) point? (x point-x set-x!) (y point-y))
(define (f a b)
  (let ((l (list a (lambda (u) u))) (v (vector b)) (p (make-point a b)))
    (vector-set! v 0 "text")
    (set-x! p 'name)
    (g (car l) (cadr l) (vector-ref v 0) (point-x p))))
(define (g p q r s) (if (null? p) p (g p q r s)))
"""
    flow = flow_of(text, "_", "(static 3)")
    assert held(flow, "p")[0] == DATA
    assert any(token.startswith("procedure ") for token in held(flow, "q"))
    assert held(flow, "r") == [NUMBER]
    assert {DATA, GROUND} <= set(held(flow, "s"))


def test_what_loops_of_the_library_go_through_comes_out() -> None:
    text = """
(define (f a) (g (car (reverse (list a 'name))) (string->list "text") (string->symbol "n")))
(define (g p q r) (if (null? p) p (g p q r)))
"""
    flow = flow_of(text, "_")
    assert [held(flow, name) for name in "pqr"] == [[DATA, GROUND], [GROUND], [GROUND]]


RECORDS = """
(define-record-type procedure (make-procedure body) procedure-record? (body procedure-body))
(define (f a e) (g (procedure-body a) (procedure-body (if (null? a) a (make-procedure e)))))
(define (g p q) (if (null? p) p (g p q)))
"""


KINDS = """
(define-record-type a (make-a x) a? (x a-x))
(define-record-type b (make-b x) b? (x b-x))
(define (f x) (g (if (car x) (make-a x) (if (cdr x) (make-b x) (if (pair? x) x 7)))))
(define (g v) (if (or (a? v) (b? v)) (h v) (k v)))
(define (h p) p)
(define (k q) q)
"""


def test_what_several_arms_know_is_known_where_they_meet() -> None:
    flow = flow_of(KINDS, "_")
    assert held(flow, "p") == ["record"]
    assert held(flow, "q") == [DATA, NUMBER]


def test_what_is_asked_for_a_record_that_nothing_makes_may_be_data() -> None:
    text = KINDS.replace("(make-b x)", "x").replace("(make-a x)", "x")
    assert held(flow_of(text, "_"), "p") == [DATA]


def test_calls_of_values_stop_what_grows_in_some_procedures_only() -> None:
    """The continuation is lifted in the procedures of the interpreted program, not in primitives:
    these are unfolded."""
    for one in interpreter("scheme-procedures").cases:
        (step,) = [s for s in advice_for(one).steps if s.calls > 1][1:]
        grows = [lift for lift in step.lifts if lift.reason.startswith("grows")]
        assert {plain(lift.name) for lift in grows} == {"k"}
        assert {source_of(lift).split("\n")[0] for lift in grows} == {
            "(lambda (args k) (eval-k body (extend-env* env params args) k))"
        }


def test_records_that_the_program_makes_are_no_data_of_the_run() -> None:
    flow = flow_of(RECORDS, "_", "(static (x))")
    assert held(flow, "p") == [DATA]
    assert held(flow, "q") == [GROUND]


TAGGED = """
(define (f a e) (g a (list 'closure e 1) (vector 'closure e) (cons 1 a)))
(define (g a l v d)
  (let ((u (if (null? a) a l)) (w (if (null? a) a v)) (x (if (null? a) a d)))
    (if (eq? (car u) 'closure)
        (if (eqv? (vector-ref w 0) 'closure)
            (if (eq? (car x) 'closure) (h (cadr u) (vector-ref w 1) (cdr x)) 1)
            2)
        3)))
(define (h p q r) (if (null? p) p (h p q r)))
"""


def test_what_begins_with_the_symbol_that_is_asked_for_is_meant() -> None:
    """... and if nothing is made that does, all that there is."""
    flow = flow_of(TAGGED, "_", "(static (x))")
    assert [held(flow, name) for name in "pqr"] == [[GROUND], [GROUND], [DATA]]


def test_a_closure_is_called_where_it_gets() -> None:
    text = """
(define (f a) (twice (lambda (u) (if (pair? u) u 'none)) a))
(define (twice h x) (h (h x)))
"""
    flow = flow_of(text, "_")
    (token,) = held(flow, "h")
    assert token.startswith("procedure ")
    assert held(flow, "u") == [DATA, GROUND]


def test_map_of_names_and_map_of_values_are_two() -> None:
    text = """
(define (f e x) (g (map (lambda (u) u) e) (map (lambda (v) (+ v x)) '(1 2))))
(define (g names values) (h (car names) (car values)))
(define (h name value) (if (null? name) name (h name value)))
"""
    flow = flow_of(text, "(static (a b))", "_")
    assert held(flow, "name") == [GROUND]
    assert held(flow, "v") == [GROUND]
    assert DATA in held(flow, "value")


@pytest.mark.parametrize(("depth", "wanted"), [(2, [GROUND]), (0, [DATA, GROUND])])
def test_contexts_are_as_deep_as_is_said(depth: int, wanted: list[str]) -> None:
    text = """
(define (f e x) (g (first (list e)) (first (list x))))
(define (first l) (car l))
(define (g name value) (if (null? name) name (g name value)))
"""
    times = list(map(parse_bt, ["(static (a b))", "_"]))
    flow = Flow(cogen.loads(text), "f", times, depth)
    assert held(flow, "name") == wanted


def test_procedures_of_a_recursion_share_their_context() -> None:
    text = """
(define (f e x) (even e x))
(define (even p x) (if (null? p) x (odd (cdr p) x)))
(define (odd q x) (even (cdr q) x))
"""
    flow = flow_of(text, "(static (a b))", "_")
    even, odd = owner(flow, "p"), owner(flow, "q")
    assert flow.contexts(even) == flow.contexts(odd)
    assert len(flow.contexts(even)) == 1


def test_rest_parameters_are_lists_of_what_is_left() -> None:
    text = """
(define (f x) (g 'a x))
(define (g first . others) (h others (if (pair? others) (car others) 'none)))
(define (h l one) l)
"""
    flow = flow_of(text, "_")
    assert held(flow, "first") == [GROUND]
    assert held(flow, "l") == ["pair"]
    assert held(flow, "one") == [DATA]  # it is never empty


def test_arms_that_nothing_leads_to_are_left_out() -> None:
    """`map` of one list never is one of several."""
    flow = flow_of("(define (f x) (map car (list x '(b))))", "_")
    names = {function.name for function, _ in flow.bodies}
    assert "%map" in names
    assert not {"%map*", "%map-pairwise"} & names
    flow = flow_of("(define (f x) (map cons (list x 'a) '(b c)))", "_")
    names = {function.name for function, _ in flow.bodies}
    assert "%map-pairwise" in names
    assert not {"%map*", "%map"} & names


def test_a_rest_parameter_of_the_entry_holds_what_is_given() -> None:
    flow = flow_of(
        "(define (f a . l) (g (car l))) (define (g p) (if (null? p) p (g p)))", "(static 1)", "_"
    )
    assert DATA in held(flow, "p")


def test_apply_gives_any_element_to_any_parameter() -> None:
    text = """
(define (f x) (g (list 'a x)))
(define (g l) (apply h 1 l))
(define (h p q r) p)
"""
    flow = flow_of(text, "_")
    assert held(flow, "p") == [NUMBER]
    assert held(flow, "q") == held(flow, "r") == [DATA, GROUND]


def test_a_continuation_goes_where_it_was_taken() -> None:
    text = """
(define (f x) (g (call/cc (lambda (k) (loop k x)))))
(define (loop k x) (if (null? x) (k 'early) (if (pair? x) (loop k (cdr x)) x)))
(define (g p) (if (null? p) p (g p)))
"""
    flow = flow_of(text, "_")
    assert held(flow, "k") == ["continuation"]
    assert held(flow, "p") == [DATA, GROUND]


def test_what_residual_code_gets_it_may_call_with_anything() -> None:
    text = "(define (f x) (x (lambda (u) (list u (lambda (v) v)))))"
    flow = flow_of(text, "_")
    assert held(flow, "u") == held(flow, "v") == [UNKNOWN]


def test_assigned_globals_hold_what_they_are_assigned() -> None:
    text = """
(define state 'start)
(define (f x) (set! state x) (g state))
(define (g p) (if (null? p) p (g p)))
"""
    assert held(flow_of(text, "_"), "p") == [DATA, GROUND]


# How sizes compare


def relations(text: str, source: str, target: str) -> list[dict[str, Relation]]:
    """The relations of the calls from one procedure to another one."""
    arcs = Sizes(cogen.loads(text)).arcs
    return [
        dict(arc.relations)
        for arc in arcs
        if arc.call is not None and (arc.source.name, arc.target.name) == (source, target)
    ]


SIZES = [
    # an argument of a call by a procedure of x, what it is of x
    ("x", {("x", SAME)}),
    ("(car x)", {("x", PART)}),
    ("(caddr x)", {("x", PART)}),
    ("(cons x x)", {("x", WHOLE)}),
    ("(vector x)", {("x", WHOLE)}),
    ("(make-point 1 x)", {("x", WHOLE)}),
    ("(point-y x)", {("x", PART)}),
    ("(lambda () x)", {("x", WHOLE)}),
    ("(car (cons x x))", {("x", SAME), ("x", WHOLE), ("", "")}),
    ("(map not x)", {("x", SAME)}),
    ("(if (pair? x) (cdr x) x)", {("x", PART), ("x", SAME)}),
    ("(length x)", {("", ""), ("", "empty")}),
    ("(cons (car x) '())", {("x", LIST)}),
    ("(car (picked x))", {("x", PART)}),
    ("(cdr (picked x))", {("x", LIST)}),
    ("(tail-of x)", {("x", SAME), ("x", PART)}),
    ("(around x)", {("x", WHOLE), ("", "empty")}),
    ("(cdr (assq 'a x))", {("x", PART)}),
    ('(if (pair? x) (car x) (error "none" x))', {("x", PART)}),
]


@pytest.mark.parametrize(("argument", "wanted"), SIZES)
def test_sizes_of_arguments(argument: str, wanted: set[tuple[str, str]]) -> None:
    text = f"""
(define-record-type point (make-point h v) point? (h point-h) (v point-y))
(define (f x) (g {argument}))
(define (g y) y)
(define (tail-of l) (if (pair? l) (tail-of (cdr l)) l))
(define (around l) (if (pair? l) (list l) '()))
(define (picked l) (if (pair? l) (cons (car l) (picked (cdr l))) (quote ())))
"""
    (found,) = relations(text, "f", "g")
    assert named(found["y"]) == wanted


def named(relation: Relation) -> set[tuple[str, str]]:
    """A relation to variables as the program calls them."""
    return {(plain(name), kind) for name, kind in relation}


def test_what_is_looked_up_is_a_part() -> None:
    text = """
(define (f x n) (g (find n x)))
(define (find name l) (if (eq? name (caar l)) (cdar l) (find name (cdr l))))
(define (g y) y)
"""
    (found,) = relations(text, "f", "g")
    assert named(found["y"]) == {("x", PART)}


def test_rest_parameters_are_built_around_the_arguments() -> None:
    (found,) = relations("(define (f x) (g 1 x)) (define (g a . r) r)", "f", "g")
    assert found["r"] == {("x", WHOLE)}


@pytest.mark.parametrize("each", ["map", "own-map"])
def test_a_procedure_that_is_passed_on_is_called_with_parts(each: str) -> None:
    text = f"""
(define (f x) ({each} (lambda (one) (f one)) (cdr x)))
(define (own-map h l) (if (null? l) '() (cons (h (car l)) (own-map h (cdr l)))))
"""
    arcs = [arc for arc in Sizes(cogen.loads(text)).arcs if "one" in parameters(arc.target)]
    (made,) = [arc for arc in arcs if arc.source.name == "f"]
    assert made.call is None
    assert made.relations["one"] == {("x", PART)}


def test_variables_that_are_cut_tell_nothing() -> None:
    program = cogen.loads("(define (f x) (g (car x))) (define (g y) y)")
    (arc,) = [a for a in Sizes(program, frozenset({"x"})).arcs if a.target.name == "g"]
    assert arc.relations["y"] == {("", "")}


# What grows


def stops(text: str, *times: str) -> set[tuple[str, str]]:
    """The procedures that are called, and the parameters, where something is given up."""
    program = cogen.loads(text)
    return stops_of(program, "f", list(map(parse_bt, times)))


def stops_of(program: il.Program, entry: str, times: list[BT]) -> set[tuple[str, str]]:
    found = Bounds(Flow(program, entry, times), Sizes(program)).stops
    return {(plain(arc.target.name), plain(name)) for arc, name in found}


def plain(name: str) -> str:
    """A name without the number that tells it from others."""
    return name.partition(".")[0]


def test_an_environment_may_grow_while_the_expression_gets_smaller() -> None:
    text = """
(define (f e x) (value e (list x)))
(define (value e env)
  (cond ((number? e) e)
        ((symbol? e) (car env))
        (else (value (cadr e) (cons (value (car e) env) env)))))
"""
    assert stops(text, "(static ((1 x) x))", "_") == set()


def test_it_is_given_up_where_the_expression_is_another_one() -> None:
    text = """
(define (f program x) (value (cdar program) (list x) program))
(define (value e env program)
  (cond ((number? e) e)
        ((symbol? e) (car env))
        ((eq? (car e) 'call)
         (value (cdr (assq (cadr e) program)) (cons (value (caddr e) env program) env) program))
        (else (value (cadr e) (cons (value (car e) env program) env) program))))
"""
    program = "((main call other x) (other call main x))"
    assert stops(text, f"(static {program})", "_") == {("value", "env")}


def test_a_list_that_grows_under_a_dynamic_test_is_given_up() -> None:
    text = """
(define (f n) (let loop ((i 0) (found '())) (if (< i n) (loop (+ i 1) (cons i found)) found)))
"""
    assert stops(text, "_") == {("loop", "found")}


def test_a_list_that_grows_along_static_data_is_kept() -> None:
    text = """
(define (f l x) (let loop ((l l) (found '())) (if (pair? l) (loop (cdr l) (cons x found)) found)))
"""
    assert stops(text, "(static (1 2 3))", "_") == set()


def test_what_grows_in_continuations_is_given_up_where_they_are_entered() -> None:
    """Each round goes through procedures that are passed on within others."""
    text = """
(define (f events) (react events '()))
(define (react events found)
  (if (null? events)
      found
      (act '(a b) found
           (lambda (found) (enter found (lambda (found) (react (cdr events) found)))))))
(define (enter found k) (act '(c) found (lambda (found) (k found))))
(define (act actions found k)
  (if (null? actions) (k found) (act (cdr actions) (cons (car actions) found) k)))
"""
    found = stops(text, "_")
    assert found
    assert {name for _, name in found} == {"found"}
    assert ("act", "found") not in found


def test_lists_of_parts_are_anchors() -> None:
    """What is picked from a piece of a program is smaller, and its path may grow meanwhile."""
    text = """
(define (f chart events) (enter chart '() events))
(define (enter state path events)
  (let ((inner (picked (cdr state))))
    (if (null? inner) (cons events path) (enter (car inner) (cons (car state) path) events))))
(define (picked l)
  (cond ((null? l) '()) ((pair? (car l)) (cons (car l) (picked (cdr l)))) (else (picked (cdr l)))))
"""
    assert stops(text, "(static (a (b x (c)) y))", "_") == set()


CORPUS_STOPS = [
    ("brainf-vector/copy", {("next", "output")}),
    ("turing/flip", {("go", "left")}),
    ("trie/two", {("next", "found")}),
    ("scheme-cps/factorial", {("call-named", "k"), ("evaluate", "k")}),
]


@pytest.mark.parametrize(("name", "wanted"), CORPUS_STOPS)
def test_stops_in_interpreters(name: str, wanted: set[tuple[str, str]]) -> None:
    one = case(name)
    found = stops_of(one.interpreter.loaded, one.interpreter.entry, one.times)
    assert found == wanted


# What is put into programs


def case(name: str) -> Case:
    owner, _, one = name.partition("/")
    (found,) = [c for c in interpreter(owner).cases if c.name == one]
    return found


def advice_for(one: Case) -> Advice:
    return Advice(one.interpreter.loaded, one.interpreter.entry, one.times)


CASES = [interpreter(name).cases[0] for name in names()]


@pytest.mark.one_in(16)
@pytest.mark.parametrize("one", CASES, ids=lambda one: one.id)
def test_programs_with_lifts_mean_the_same(one: Case) -> None:
    wanted = expected(one)
    for step in advice_for(one).steps:
        assert step.lifts
        assert step.program != one.interpreter.loaded
        assert results(one, step.program, known=True) == wanted


LIFTS = [
    # a case; reasons of its last step, and for each some of the variables
    ("scheme-alist/forty-five", {"is a value": set()}),
    ("stack-vm/primes", {"is read": set(), "grows": {"stack"}}),
    ("binary-schema/message", {"grows": {"found"}}),
]


@pytest.mark.parametrize(("name", "wanted"), LIFTS)
def test_lifts_say_what_and_why(name: str, wanted: dict[str, set[str]]) -> None:
    steps = advice_for(case(name)).steps
    first, last = steps[0], steps[-1]
    assert set(first.lifts) <= set(last.lifts)
    assert all(lift.place is not None for lift in last.lifts)
    for reason, variables in wanted.items():
        found = {plain(lift.name) for lift in last.lifts if lift.reason.startswith(reason)}
        assert found >= variables
        assert found


def test_lists_of_the_interpreted_program_are_lifted_and_no_others() -> None:
    """Environments and lists of arguments stay as they are."""
    steps = advice_for(case("scheme-alist/forty-five")).steps
    wholes = [lift for lift in steps[-1].lifts if lift.reason.startswith("is a value")]
    assert [source_of(lift) for lift in wholes] == ["(cons (car args) (cadr args))"]


def test_a_list_that_may_be_data_further_on_is_lifted() -> None:
    """What a machine writes in front of its tape, of which the rest comes later."""
    lifts = advice_for(case("turing/increment")).steps[0].lifts
    wholes = [lift for lift in lifts if lift.reason.startswith("is a value")]
    assert [source_of(lift) for lift in wholes] == ["(cons (car rule) right)"]


def test_what_grows_is_lifted_where_a_continuation_is_entered() -> None:
    steps = advice_for(case("statechart/lamp")).steps
    places = [source_of(lift) for lift in steps[-1].lifts if lift.reason.startswith("grows")]
    assert places
    others = [place for place in places if not place.startswith("(lambda (")]
    assert others == ["(find-state name (cons (car inner) path))"]


def source_of(lift: Lift) -> str:
    """The text of the place of a lift."""
    assert lift.place is not None
    return lift.place.source.text[lift.place.start : lift.place.end]


def test_there_is_nothing_to_say_of_data_alone() -> None:
    text = "(define (f l x) (if (null? l) x (f (cdr l) (+ x 1))))"
    program = cogen.loads(text)
    assert Advice(program, "f", [parse_bt("(static (1 2))"), parse_bt("_")]).steps == []


# When advice is asked for

LIST_LOOP = """
(define (f n) (let loop ((i 0) (found '())) (if (< i n) (loop (+ i 1) (cons i found)) found)))
"""


def test_what_is_usual_is_specialized_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Advice is not even made where a program is specialized with the usual effort."""

    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("cogen.specializer.analyses.analyses.Advice", refuse)
    for name in ("mp/reverse", "format/report", "imperative-vector/sum"):
        owner, _, _ = name.partition("/")
        one = interpreter(owner).cases[0]
        assert cogen.specialize(one.interpreter.loaded, one.interpreter.entry, *one.times).scheme


ADVISED = [
    "turing/flip",
    "trie/two",
    "brainf-vector/copy",
    "statechart/lamp",
    "scheme-alist/forty-five",
]


@pytest.mark.one_in(12)
@pytest.mark.parametrize("name", ADVISED)
def test_generated_specializers_give_the_text_of_the_specializer(name: str) -> None:
    one = case(name)
    program, entry = one.interpreter.loaded, one.interpreter.entry
    text = cogen.specialize(program, entry, *one.times).scheme
    division = [
        binding_times.Later() if isinstance(bt, binding_times.Static) else bt for bt in one.times
    ]
    assert cogen.generate(program, entry, *division)(*one.times).scheme == text


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", ADVISED)
def test_advised_programs_lead_to_residual_ones_that_are_right(name: str) -> None:
    one = case(name)
    residual = cogen.specialize(one.interpreter.loaded, one.interpreter.entry, *one.times)
    assert results(one, residual.program.program, known=False) == expected(one)


def test_which_variables_are_one_makes_no_versions_of_procedures() -> None:
    """... as those in a frame of the interpreted program that nothing looks at any more."""
    owner = interpreter("scheme-ribs")
    case = next(one for one in owner.cases if one.name == "sums")
    residual = cogen.specialize(owner.loaded, owner.entry, *case.times)
    assert residual.scheme.count("(define (") == 2


ARGUMENTS = """
(define (run program x)
  (call 'main (list x) program))
(define (call name values program)
  (let ((d (cdr (assq name program))))
    (value (cadr d) (list (cons (car d) (list->vector values))) program)))
(define (value e env program)
  (cond ((number? e) e)
        ((symbol? e) (look e (caar env) (cdar env) 0))
        ((eq? (car e) 'if)
         (if (= 0 (value (cadr e) env program))
             (value (caddr e) env program)
             (value (cadddr e) env program)))
        ((eq? (car e) '-) (- (value (cadr e) env program) (value (caddr e) env program)))
        (else (call (car e) (map (lambda (a) (value a env program)) (cdr e)) program))))
(define (look x names values i)
  (if (eq? x (car names)) (vector-ref values i) (look x (cdr names) values (+ i 1))))
"""


@pytest.mark.parametrize("n", [0, 5])
def test_what_the_library_is_given_for_elements_is_lifted(n: int) -> None:
    """Constants among the arguments of calls, which no variable of the interpreter holds: a
    version for each number that is counted there would have no end."""
    code = """((main (n) (up 0 n)) (up (i n) (if n i (down (- i -1) (- n 1))))
               (down (i n) (if n i (up (- i -1) (- n 1)))))"""
    program = cogen.loads(ARGUMENTS)
    static = cogen.static(cogen.datum(code))
    residual = cogen.specialize(program, "run", static, cogen.dynamic("int"))
    assert residual.to_python()(n) == n
    assert residual.statistics["residual blocks"] < 12
    steps = Advice(program, "run", [static, cogen.dynamic("int")]).steps
    lifts = {(lift.name, lift.reason) for lift in steps[0].lifts}
    assert ("what is given", "holds what only a run knows in other cases") in lifts
