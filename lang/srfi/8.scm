;;; SRFI 8, receive: names for the values of an expression.

(define-library (srfi 8)
  (export receive)
  (begin
    ;; (receive parameters expression body ...): the body, with the values of the expression.
    (define-syntax receive
      (syntax-rules ()
        ((_ formals expression body ...)
         (call-with-values (lambda () expression) (lambda formals body ...)))))))
