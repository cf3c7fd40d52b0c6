; How many ways there are to derive a word from an ambiguous grammar, by Earley's items in vectors.
; smaller: (run 1 6) gives 42

(import (scheme base) (scheme cxr) (scheme write))

; Rules: a left side, and the symbols of the right side.
(define grammar '((s a) (s s s)))

(define (item rule dot start) (list rule dot start))
(define (rest-of item) (list-tail (cdr (car item)) (cadr item)))

(define (member-item? i items)
  (and (pair? items)
       (or (and (eq? (caar items) (car i))
                (= (cadar items) (cadr i))
                (= (caddar items) (caddr i)))
           (member-item? i (cdr items)))))

(define (caddar x) (caddr (car x)))

(define (states word)
  (let* ((n (vector-length word)) (sets (make-vector (+ n 1) '())) (todo '()))
    (define (add! k i now?)
      (if (not (member-item? i (vector-ref sets k)))
          (begin
            (vector-set! sets k (cons i (vector-ref sets k)))
            (if now? (set! todo (cons i todo))))))
    (define (advanced i) (item (car i) (+ 1 (cadr i)) (caddr i)))
    (define (predict k symbol)
      (for-each (lambda (rule) (if (eq? (car rule) symbol) (add! k (item rule 0 k) #t))) grammar))
    (define (complete k symbol start)
      (for-each (lambda (i)
                  (let ((rest (rest-of i)))
                    (if (and (pair? rest) (eq? (car rest) symbol))
                        (add! k (advanced i) #t))))
                (vector-ref sets start)))
    (define (process k i)
      (let ((rest (rest-of i)))
        (cond ((null? rest) (complete k (caar i) (caddr i)))
              ((and (< k n) (eq? (car rest) (vector-ref word k)))
               (add! (+ k 1) (advanced i) #f))
              (else (predict k (car rest))))))
    (predict 0 's)
    (let each ((k 0))
      (if (<= k n)
          (begin
            (if (> k 0) (set! todo (vector-ref sets k)))
            (let loop ()
              (if (pair? todo)
                  (let ((i (car todo)))
                    (set! todo (cdr todo))
                    (process k i)
                    (loop))))
            (each (+ k 1)))))
    sets))

; Derivations of a symbol between two places, from a table that is filled on demand.
(define (derivations word)
  (let* ((n (vector-length word)) (table (make-vector (* (+ n 1) (+ n 1)) #f)))
    (define (ways i j)
      (let ((at (+ j (* i (+ n 1)))))
        (or (vector-ref table at)
            (let ((found (if (= j (+ i 1))
                             1
                             (let loop ((k (+ i 1)) (sum 0))
                               (if (= k j) sum (loop (+ k 1) (+ sum (* (ways i k) (ways k j)))))))))
              (vector-set! table at found)
              found))))
    (ways 0 n)))

(define (run times n)
  (let ((word (make-vector n 'a)))
    (let loop ((i 1))
      (let* ((sets (states word)) (last (vector-ref sets n)))
        (cond ((< i times) (loop (+ i 1)))
              ((let any ((items last))
                 (and (pair? items)
                      (or (and (null? (rest-of (car items))) (= 0 (caddar items)))
                          (any (cdr items)))))
               (derivations word))
              (else 0))))))

(write (run 200 30))
