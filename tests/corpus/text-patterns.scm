;; Pattern matching on lists of characters with success continuations.
;; patterns: (lit "abc") (any "xyz") (seq p ...) (alt p ...) (star p) (bind name p) (same name) (end)

(define (match p cs binds k)           ; k : rest binds -> result or #f
  (case (car p)
    ((lit) (match-string (string->list (cadr p)) cs binds k))
    ((any) (and (pair? cs)
                (memv (car cs) (string->list (cadr p)))
                (k (cdr cs) binds)))
    ((not) (and (pair? cs)
                (not (memv (car cs) (string->list (cadr p))))
                (k (cdr cs) binds)))
    ((seq) (match-seq (cdr p) cs binds k))
    ((alt) (let loop ((ps (cdr p)))
             (and (pair? ps)
                  (or (match (car ps) cs binds k)
                      (loop (cdr ps))))))
    ((star) (let loop ((cs cs) (binds binds))
              (or (match (cadr p) cs binds
                         (lambda (rest binds2)
                           (and (not (eq? rest cs)) (loop rest binds2))))
                  (k cs binds))))
    ((bind) (match (caddr p) cs binds
                   (lambda (rest binds2)
                     (k rest (cons (cons (cadr p) (taken cs rest)) binds2)))))
    ((same) (match-string (cdr (assq (cadr p) binds)) cs binds k))
    ((end) (and (null? cs) (k cs binds)))
    (else (error "bad pattern" p))))

(define (match-seq ps cs binds k)
  (if (null? ps)
      (k cs binds)
      (match (car ps) cs binds
             (lambda (rest binds2) (match-seq (cdr ps) rest binds2 k)))))

(define (match-string s cs binds k)
  (cond ((null? s) (k cs binds))
        ((and (pair? cs) (char=? (car s) (car cs)))
         (match-string (cdr s) (cdr cs) binds k))
        (else #f)))

(define (taken from to)
  (if (eq? from to) '() (cons (car from) (taken (cdr from) to))))

(define (run pattern text)
  (match pattern (string->list text) '()
         (lambda (rest binds)
           (map (lambda (b) (list->string (cdr b))) (reverse binds)))))
