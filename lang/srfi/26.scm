;;; SRFI 26, cut and cute: procedures by leaving out arguments.

(define-library (srfi 26)
  (export cut cute)
  (begin

    ;; (cut f a <> b <...>): a procedure whose arguments stand for <>, all others for <...>.
    (define-syntax cut
      (syntax-rules ()
        ((_ part ...) (%cut () () part ...))))

    ;; (%cut (parameter ...) (argument ...) part ...)
    (define-syntax %cut
      (syntax-rules (<> <...>)
        ((_ (parameter ...) (f argument ...))
         (lambda (parameter ...) ((begin f) argument ...)))
        ((_ (parameter ...) (f argument ...) <...>)
         (lambda (parameter ... . rest) (apply f argument ... rest)))
        ((_ (parameter ...) (argument ...) <> part ...)
         (%cut (parameter ... x) (argument ... x) part ...))
        ((_ parameters (argument ...) other part ...)
         (%cut parameters (argument ... other) part ...))))

    ;; The same, but what is not left out is evaluated once.
    (define-syntax cute
      (syntax-rules ()
        ((_ part ...) (%cute () () () part ...))))

    ;; (%cute (parameter ...) ((name value) ...) (argument ...) part ...)
    (define-syntax %cute
      (syntax-rules (<> <...>)
        ((_ (parameter ...) bindings (f argument ...))
         (let bindings (lambda (parameter ...) (f argument ...))))
        ((_ (parameter ...) bindings (f argument ...) <...>)
         (let bindings (lambda (parameter ... . rest) (apply f argument ... rest))))
        ((_ (parameter ...) bindings (argument ...) <> part ...)
         (%cute (parameter ... x) bindings (argument ... x) part ...))
        ((_ parameters (binding ...) (argument ...) other part ...)
         (%cute parameters (binding ... (t other)) (argument ... t) part ...))))))
