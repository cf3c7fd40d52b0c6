;;; SRFI 31, rec: expressions that refer to their own value.

(define-library (srfi 31)
  (export rec)
  (begin
    ;; (rec (name . parameters) body ...): a procedure that calls itself by its name.
    (define-syntax rec
      (syntax-rules ()
        ((_ (name . formals) body ...) (letrec ((name (lambda formals body ...))) name))
        ((_ name expression) (letrec ((name expression)) name))))))
