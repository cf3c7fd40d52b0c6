;; Paths into JSON data.  Objects are lists (object (key . value) ...), arrays are (array value ...).
;; A path is a list of steps: (key name), (index n), (each), (deep name), (filter test), (slice a b)

(define (run path json)
  (select path (list json)))

(define (select path nodes)
  (if (null? path)
      nodes
      (select (cdr path) (step-all (car path) nodes))))

(define (step-all step nodes)
  (if (null? nodes)
      '()
      (append (one step (car nodes)) (step-all step (cdr nodes)))))

(define (object? v) (and (pair? v) (eq? (car v) 'object)))
(define (array? v) (and (pair? v) (eq? (car v) 'array)))

(define (children v)
  (cond ((object? v) (map cdr (cdr v)))
        ((array? v) (cdr v))
        (else '())))

(define (one step v)
  (case (car step)
    ((key) (member-of (cadr step) v))
    ((index) (if (and (array? v) (< (cadr step) (length (cdr v))))
                 (list (list-ref (cdr v) (cadr step)))
                 '()))
    ((each) (children v))
    ((deep) (append (member-of (cadr step) v)
                    (step-all step (children v))))
    ((filter) (let loop ((vs (children v)))
                (cond ((null? vs) '())
                      ((satisfies? (cadr step) (car vs)) (cons (car vs) (loop (cdr vs))))
                      (else (loop (cdr vs))))))
    ((slice) (let loop ((i 0) (vs (children v)))
               (cond ((or (null? vs) (= i (caddr step))) '())
                     ((< i (cadr step)) (loop (+ i 1) (cdr vs)))
                     (else (cons (car vs) (loop (+ i 1) (cdr vs)))))))
    (else (error "bad step" step))))

(define (member-of name v)
  (if (object? v)
      (let ((m (assoc name (cdr v))))
        (if m (list (cdr m)) '()))
      '()))

(define (satisfies? test v)
  (case (car test)
    ((and) (and (satisfies? (cadr test) v) (satisfies? (caddr test) v)))
    ((has) (pair? (select (cadr test) (list v))))
    (else
     (let ((found (select (cadr test) (list v))))
       (and (pair? found) (compare (car test) (car found) (caddr test)))))))

(define (compare op a b)
  (case op
    ((=) (equal? a b))
    ((<) (and (number? a) (< a b)))
    ((>) (and (number? a) (> a b)))
    (else (error "bad comparison" op))))
