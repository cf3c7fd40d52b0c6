;;; A program of the small language (subset.py) -> its definitions as data of the language.
;;;
;;; What show.py does, but for the layout, for compilers that stand alone.  `reserved` holds the
;;; names that get a % behind (show.RESERVED); it is defined by who includes this.

(define record-names '())       ; ((operation type field) . name)

(define (show-program program)
  (set! record-names '())
  (let ((types (record-types program '())))
    (for-each name-record! types)
    (append (map (lambda (type) (show-record type program)) types)
            (map show-definition program))))

(define (show-definition definition)
  (let ((variables (cadr definition)))
    (cond ((eq? variables 'top) (show-expression (caddr definition)))
          ((symbol? variables)
           (list 'define (show-name (car definition)) (show-expression (caddr definition))))
          (else
           (cons 'define
                 (cons (cons (show-name (car definition)) (map show-name variables))
                       (show-steps (caddr definition))))))))

;; Records: the operations are named after the type and its fields.

;; The record types of a program, in order of appearance.
(define (record-types e found)
  (cond ((not (pair? e)) found)
        ((eq? (car e) 'quote) found)
        ((record-operation? e)
         (let ((type (cadr (caddr e))))
           (record-types (cdddr e) (if (member type found) found (append found (list type))))))
        (else (record-types (cdr e) (record-types (car e) found)))))

(define (record-operation? e)
  (and (memq (car e) '(prim effect))
       (pair? (cdr e))
       (memq (cadr e) '(make-record record-is? record-ref record-set!))
       #t))

(define (name-record! type)
  (name-operation! (list 'make-record type) (list "make-" (car type)))
  (name-operation! (list 'record-is? type) (list (car type) "?"))
  (let loop ((fields (cdr type)) (n 0))
    (if (pair? fields)
        (begin
          (name-operation! (list 'record-ref type n) (list (car type) "-" (car fields)))
          (name-operation! (list 'record-set! type n) (list "set-" (car type) "-" (car fields) "!"))
          (loop (cdr fields) (+ n 1))))))

(define (name-operation! operation parts)
  (let loop ((text (apply string-append
                          (map (lambda (part) (if (symbol? part) (symbol->string part) part))
                               parts))))
    (let ((name (string->symbol text)))
      (if (or (memq name reserved) (memq name (map cdr record-names)))
          (loop (string-append text "%"))
          (set! record-names (cons (cons operation name) record-names))))))

(define (operation-name operation) (cdr (assoc operation record-names)))

(define (show-record type program)
  (cons 'define-record-type
        (cons (car type)
              (cons (cons (operation-name (list 'make-record type)) (cdr type))
                    (cons (operation-name (list 'record-is? type))
                          (show-fields type (cdr type) 0 program))))))

(define (show-fields type fields n program)
  (if (null? fields)
      '()
      (cons (cons (car fields)
                  (cons (operation-name (list 'record-ref type n))
                        (if (changes? type n program)
                            (list (operation-name (list 'record-set! type n)))
                            '())))
            (show-fields type (cdr fields) (+ n 1) program))))

;; Does a program change the field of records of the type?
(define (changes? type n e)
  (and (pair? e)
       (not (eq? (car e) 'quote))
       (or (and (record-operation? e)
                (eq? (cadr e) 'record-set!)
                (equal? type (cadr (caddr e)))
                (= n (cadr (cadddr e))))
           (changes? type n (car e))
           (changes? type n (cdr e)))))

(define (show-operation e)
  (let* ((type (cadr (caddr e)))
         (field? (memq (cadr e) '(record-ref record-set!)))
         (operation (cons (cadr e) (cons type (if field? (cdr (cadddr e)) '())))))
    (cons (operation-name operation)
          (map show-expression (if field? (cddddr e) (cdddr e))))))

(define (show-name name)
  (if (or (memq name reserved) (memq name (map cdr record-names)))
      (string->symbol (string-append (symbol->string name) "%"))
      name))

(define (show-expression e)
  (case (car e)
    ((var) (show-name (cadr e)))
    ((quote) (show-constant (cadr e)))
    ((if) (show-conditional e '()))
    ((let) (if (step? e) (cons 'begin (show-steps e)) (show-bindings e '())))
    ((lambda)
     (cons 'lambda
           (cons (if (symbol? (cadr e)) (show-name (cadr e)) (map show-name (cadr e)))
                 (show-steps (caddr e)))))
    ((prim effect)
     (if (record-operation? e)
         (show-operation e)
         (cons (cadr e) (map show-expression (cddr e)))))
    ((global) (show-name (cadr e)))
    ((operation) (cadr e))
    ((memo) (cons 'dcall (show-expression (cadr e))))
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
;; A body: what is done one after another.
(define (show-steps e)
  (if (step? e)
      (cons (show-expression (caddr e)) (show-steps (cadddr e)))
      (list (show-expression e))))

;; Is the expression two, one after the other (convert.scm)?
(define (step? e)
  (and (eq? (car e) 'let)
       (let ((name (symbol->string (cadr e))))
         (and (>= (string-length name) 4) (string=? (substring name 0 4) "%seq")))))

(define (show-bindings e bindings)
  (if (and (eq? (car e) 'let) (not (step? e)))
      (show-bindings (cadddr e)
                     (cons (list (show-name (cadr e)) (show-expression (caddr e))) bindings))
      (cons (if (null? (cdr bindings)) 'let 'let*)
            (cons (reverse bindings) (show-steps e)))))
