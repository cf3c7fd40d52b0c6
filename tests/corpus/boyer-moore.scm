;;; String search from the pattern's end, with a table of how far to go on for each character.

(define (run pattern text)
  (let* ((p (string->vector pattern))
         (m (vector-length p))
         (shifts (shift-table pattern m))
         (n (string-length text)))
    (let search ((at 0))
      (if (> (+ at m) n)
          #f
          (let compare ((j (- m 1)))
            (if (< j 0)
                at
                (let ((c (string-ref text (+ at j))))
                  (if (char=? (vector-ref p j) c)
                      (compare (- j 1))
                      (search (+ at (shift c j shifts)))))))))))

;; For each character of the pattern the place where it occurs last.
(define (shift-table pattern m)
  (let loop ((i 0) (table '()))
    (if (= i m)
        table
        (loop (+ i 1) (put (string-ref pattern i) i table)))))

(define (put c i table)
  (cond ((null? table) (list (cons c i)))
        ((char=? c (caar table)) (cons (cons c i) (cdr table)))
        (else (cons (car table) (put c i (cdr table))))))

(define (shift c j table)
  (cond ((null? table) (+ j 1))
        ((char=? c (caar table)) (max 1 (- j (cdar table))))
        (else (shift c j (cdr table)))))
