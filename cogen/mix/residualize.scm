;;; Known data as values of other types, and values as code: a part of mix.scm.

;; A static datum as a value of a type: its dynamic leaves become constants.
(define (raise-datum datum type program)
  (cond ((eq? type 's) datum)
        ((eq? type 'd) (list 'quote datum))
        (else
         (let ((shape (cdr (assv type (types program)))))
           (cond ((pair? datum)
                  (cond ((eq? (car shape) 'p)
                         (cons (raise-datum (car datum) (cadr shape) program)
                               (raise-datum (cdr datum) (caddr shape) program)))
                        ((eq? (car shape) 'r) (raise-pair datum (assq 'cons (cdr shape)) program))
                        (else datum)))
                 ((vector? datum)
                  (if (eq? (car shape) 'r)
                      (raise-vector datum (assq 'vector (cdr shape)) program)
                      datum))
                 (else datum))))))

(define (raise-vector datum row program)
  (if row
      (list->vector (raise-items (vector->list datum) (cadr row) program))
      datum))

(define (raise-items items type program)
  (if (null? items)
      '()
      (cons (raise-datum (car items) type program) (raise-items (cdr items) type program))))

(define (raise-pair datum row program)
  (if row
      (cons (raise-datum (car datum) (cadr row) program)
            (raise-datum (cdr datum) (caddr row) program))
      datum))

;; Code of a value that is known in part; procedures are none of its parts.
(define (residualize value type program)
  (cond ((eq? type 's) (list 'quote value))
        ((eq? type 'd) value)
        (else
         (let ((shape (cdr (assv type (types program)))))
           (cond ((eq? (car shape) 'r)
                  (with-row value (cdr shape)
                            (lambda (datum) (list 'quote datum))
                            (lambda (record parts kinds)
                              (if (eq? record 'vector)
                                  (list 'prim 'list->vector
                                        (residual-items parts (car kinds) program))
                                  (residual-record record
                                                   (residualize-all parts kinds program))))))
                 ((pair? value)
                  (list 'prim 'cons
                        (residualize (car value) (cadr shape) program)
                        (residualize (cdr value) (caddr shape) program)))
                 (else (list 'quote value)))))))

(define (residualize-all values kinds program)
  (if (null? kinds)
      '()
      (cons (residualize (car values) (car kinds) program)
            (residualize-all (cdr values) (cdr kinds) program))))

(define (residual-items items type program)
  (if (null? items)
      (lift '(quote ()))
      (list 'prim 'cons
            (residualize (car items) type program)
            (residual-items (cdr items) type program))))

(define (residual-record record codes)
  (cons 'prim
        (if (eq? record 'cons)
            (cons 'cons codes)
            (cons 'make-record (cons (list 'quote record) codes)))))
