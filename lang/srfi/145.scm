;;; SRFI 145, assumptions; `assert` is the same under the name that R6RS gives it.

(define-library (srfi 145)
  (export assume assert)
  (begin

    ;; (assume expression message ...): an error with the messages unless the expression holds.
    (define-syntax assume
      (syntax-rules ()
        ((_ expression message ...)
         (%assumed expression 'expression "assume" message ...))))

    ;; (assert expression message ...): an error with the messages unless the expression holds.
    (define-syntax assert
      (syntax-rules ()
        ((_ expression message ...)
         (%assumed expression 'expression "assert" message ...))))

    (define (%assumed value expression name . messages)
      (cond (value value)
            ((and (pair? messages) (string? (car messages)))
             (apply error (string-append name ": " (car messages)) (cdr messages)))
            (else
             (apply error (string-append name ": this is not so:") expression messages))))))
