;;; The free variables of annotated expressions; a part of annotate.scm.

;; Free variables of annotated expressions, in order of appearance.
(define (free-variables e) (reverse (free e '() '())))

(define (free e bound found)
  (case (car e)
    ((var) (add-free (cadr e) bound found))
    ((const) found)
    ((let dlet klet)
     (free (cadddr e) (cons (cadr e) bound) (free (caddr e) bound found)))
    ((memo clo) (add-all-free (caddr e) bound found))
    ((dlam) (add-all-free (cadddr e) (append (variable-list (cadr e)) bound) found))
    ((operation) found)
    ((lift once kept) (free (cadr e) bound found))
    ((field) (free (cadddr e) bound found))
    ((sif dif cif fork dapp stop) (free-all (cdr e) bound found))
    (else (free-all (cddr e) bound found))))

(define (free-all es bound found)
  (if (null? es) found (free-all (cdr es) bound (free (car es) bound found))))

(define (add-free x bound found)
  (if (or (memq x bound) (memq x found)) found (cons x found)))

(define (add-all-free xs bound found)
  (if (null? xs) found (add-all-free (cdr xs) bound (add-free (car xs) bound found))))

(define (without xs items)
  (cond ((null? items) '())
        ((memq (car items) xs) (without xs (cdr items)))
        (else (cons (car items) (without xs (cdr items))))))
