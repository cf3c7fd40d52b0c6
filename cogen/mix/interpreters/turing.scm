;;; Turing machines.
;;;
;;;     program ::= ((state (symbol write move next) ...) ...)      the first state is the start
;;;     move    ::= left | right | stay
;;;
;;; A symbol that no rule of a state reads halts the machine.  The tape is two lists, the left
;;; part reversed; blank is 0.  The answer is the tape from the head on.

(define (run program tape)
  (machine (car program) (lift '()) tape program))

(define (machine state left right program)
  (rules (cdr state) (head right) left right program))

(define (rules choices symbol left right program)
  (cond
   ((null? choices) right)
   ((eqv? symbol (car (car choices)))
    (let ((rule (car choices)))
      (act (caddr rule)
           left
           (lift (cons (cadr rule) (rest right)))
           (find (cadddr rule) program)
           program)))
   (else (rules (cdr choices) symbol left right program))))

(define (act move left right state program)
  (case move
    ((left) (machine state (rest left) (lift (cons (head left) right)) program))
    ((right) (machine state (lift (cons (head right) left)) (rest right) program))
    ((stay) (machine state left right program))
    (else (error "Turing machine: not a move:" move))))

(define (head tape) (if (pair? tape) (car tape) 0))
(define (rest tape) (if (pair? tape) (cdr tape) '()))

(define (find name program)
  (cond ((null? program) (error "Turing machine: no such state:" name))
        ((eq? name (caar program)) (car program))
        (else (find name (cdr program)))))

;; Counts a binary number, the lowest digit first, down to nothing, and writes as many marks.
(define program
  '((seek-end (0 0 left done?) (zero zero right seek-end) (one one right seek-end)
              (x x right seek-end))
    (done? (zero zero left done?) (one one left has-one) (x x left done?) (0 0 right clear))
    (has-one (zero zero left has-one) (one one left has-one) (0 0 right borrow))
    (borrow (zero one right borrow) (one zero right mark))
    (mark (zero zero right mark) (one one right mark) (x x right mark) (0 x left back))
    (back (zero zero left back) (one one left back) (x x left back) (0 0 right seek-end))
    (clear (zero 0 right clear) (x x stay end))
    (end)))

(define data '((one zero one one)))
