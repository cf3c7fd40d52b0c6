;;; An interpreter for Turing machines in Post's style; with the program known, all that is left
;;; is what the machine does to its tape.
;;;
;;;     cogen specialize turing.scm --entry run \
;;;         '(static ((if 0 goto 3) (right) (goto 0) (write 1)))' _
;;;
;;;     instruction ::= (right) | (left) | (write symbol) | (goto n) | (if symbol goto n)
;;;
;;; (the machine above finds the first 0 and makes it a 1; symbols are numbers, instructions are
;;; numbered from 0, `if` looks at the square under the head).  The tape is blank, the symbol 2,
;;; beyond what is given.  The machine stops after its last instruction; the result is the tape
;;; from the head to the right.  (Jones, Gomard, Sestoft, "Partial Evaluation and Automatic Program
;;; Generation", chapter 3.)

(define blank 2)

(define (run program tape)
  (let ((at (lambda (n) (list-tail program n))))
    (execute program at '() tape)))

;; The instructions still to execute; `at` finds those from number n on.  The square under the head
;; is the first of `right`; `left` is what lies left of the head, nearest first.
(define (execute rest at left right)
  (if (null? rest)
      right
      (let ((instruction (car rest)))
        (case (car instruction)
          ((right) (execute (cdr rest) at (cons (first right) left) (after right)))
          ((left) (execute (cdr rest) at (after left) (cons (first left) right)))
          ((write) (execute (cdr rest) at left (cons (cadr instruction) (after right))))
          ((goto) (execute (at (cadr instruction)) at left right))
          ((if) (if (= (first right) (cadr instruction))
                    (execute (at (cadddr instruction)) at left right)
                    (execute (cdr rest) at left right)))
          (else (error "no such instruction" instruction))))))

(define (first tape)
  (if (null? tape) blank (car tape)))

(define (after tape)
  (if (null? tape) '() (cdr tape)))
