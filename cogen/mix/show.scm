;;; A program of the small language (subset.py) -> its definitions as data of the language.
;;;
;;; What show.py does, but for the layout, for compilers that stand alone.  `reserved` holds the
;;; names that get a % behind (show.RESERVED); it is defined by who includes this.

(define (show-definition definition)
  (list 'define
        (cons (show-name (car definition)) (map show-name (cadr definition)))
        (show-expression (caddr definition))))

(define (show-name name)
  (if (memq name reserved)
      (string->symbol (string-append (symbol->string name) "%"))
      name))

(define (show-expression e)
  (case (car e)
    ((var) (show-name (cadr e)))
    ((quote) (show-constant (cadr e)))
    ((if) (show-conditional e '()))
    ((let) (show-bindings e '()))
    ((lambda) (list 'lambda (map show-name (cadr e)) (show-expression (caddr e))))
    ((prim) (cons (cadr e) (map show-expression (cddr e))))
    ((call) (cons (show-name (cadr e)) (map show-expression (cddr e))))
    ((app) (map show-expression (cdr e)))
    (else (list 'lift (show-expression (cadr e))))))

(define (show-constant datum)
  (cond ((unspecified? datum) (list 'if #f #f))
        ((or (boolean? datum) (number? datum) (string? datum) (char? datum)) datum)
        ((and (pair? datum) (holds-unspecified? datum))
         (list 'cons (show-constant (car datum)) (show-constant (cdr datum))))
        (else (list 'quote datum))))

(define (unspecified? x) (eq? x (if #f #f)))

(define (holds-unspecified? x)
  (if (pair? x)
      (or (holds-unspecified? (car x)) (holds-unspecified? (cdr x)))
      (unspecified? x)))

;; (if a b (if c d e)) is shown as a `cond`; CLAUSES are those seen, the last one first.
(define (show-conditional e clauses)
  (if (eq? (car e) 'if)
      (show-conditional (cadddr e)
                        (cons (list (show-expression (cadr e)) (show-expression (caddr e)))
                              clauses))
      (let ((otherwise (show-expression e)))
        (if (null? (cdr clauses))
            (list 'if (caar clauses) (cadar clauses) otherwise)
            (cons 'cond (append (reverse clauses) (list (list 'else otherwise))))))))

;; Bindings one in another are shown as one `let*`.
(define (show-bindings e bindings)
  (if (eq? (car e) 'let)
      (show-bindings (cadddr e)
                     (cons (list (show-name (cadr e)) (show-expression (caddr e))) bindings))
      (list (if (null? (cdr bindings)) 'let 'let*)
            (reverse bindings)
            (show-expression e))))
