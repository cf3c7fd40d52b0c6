;;; SRFI 2, and-let*: `and` with bindings.

(define-library (srfi 2)
  (export and-let*)
  (begin
    ;; (and-let* ((name expression) (test) ...) body ...): the body, if all expressions hold.
    (define-syntax and-let*
      (syntax-rules ()
        ((_ ()) #t)
        ((_ () body ...) (let () body ...))
        ((_ ((name value))) value)
        ((_ ((value))) value)
        ((_ (name)) name)
        ((_ ((name value) clause ...) body ...)
         (let ((name value))
           (if name (and-let* (clause ...) body ...) #f)))
        ((_ ((value) clause ...) body ...)
         (if value (and-let* (clause ...) body ...) #f))
        ((_ (name clause ...) body ...)
         (if name (and-let* (clause ...) body ...) #f))))))
