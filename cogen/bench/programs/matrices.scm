; How many matrices of 1 and -1 are the greatest of those that reordering and negating their rows
; and columns gives, built up row by row: closures that take messages, and closures to go on with.

(define (permutations items)
  (let at ((future items) (past '()))
    (if (null? future)
        #f
        (lambda (message)
          (case message
            ((this) (car future))
            ((next) (at (cdr future) (cons (car future) past)))
            ((rest) (permutations (put-back past (cdr future))))
            (else (error "what is" message)))))))

(define (put-back past future)
  (if (null? past) future (put-back (cdr past) (cons (car past) future))))

(define (greatest? matrix)
  (let try ((first (permutations matrix)))
    (or (not first)
        (and (begins-with? first matrix)
             (try (first 'next))))))

(define (begins-with? first matrix)
  (let* ((row (first 'this)) (width (length row)))
    (compare-rows (first 'rest)
                  (row->sign row width 1 -1)
                  (row->sign row width -1 1)
                  (cdr matrix)
                  width)))

(define (row->sign first width same other)
  (lambda (row)
    (let ((signs (make-vector width)))
      (do ((i 0 (+ i 1)) (a first (cdr a)) (b row (cdr b)))
          ((= i width))
        (vector-set! signs i (if (= (car a) (car b)) same other)))
      (lambda (i) (vector-ref signs i)))))

(define (compare-rows rows plus minus matrix width)
  (let walk ((rows rows) (matrix matrix) (classes (list (count-up width))))
    (or (not rows)
        (and (refine (car matrix) (plus (rows 'this)) classes
                     (lambda (classes) (walk (rows 'rest) (cdr matrix) classes)))
             (refine (car matrix) (minus (rows 'this)) classes
                     (lambda (classes) (walk (rows 'rest) (cdr matrix) classes)))
             (let ((others (rows 'next)))
               (or (not others) (walk others matrix classes)))))))

(define refine
  (let ((add (lambda (class classes) (if (null? class) classes (cons class classes)))))
    (lambda (old-row new-row classes if-equal)
      (let next-class ((classes classes) (old-row old-row) (done '()))
        (let split ((class (car classes)) (old-row old-row) (plus '()) (minus '()))
          (if (null? class)
              (let skip ((old-row old-row) (m minus))
                (if (null? m)
                    (let ((done (add minus (add plus done))) (classes (cdr classes)))
                      (if (null? classes)
                          (if-equal (reverse done))
                          (next-class classes old-row done)))
                    (or (= 1 (car old-row)) (skip (cdr old-row) (cdr m)))))
              (let ((column (car class)))
                (case (new-row column)
                  ((1) (and (= 1 (car old-row))
                            (split (cdr class) (cdr old-row) (cons column plus) minus)))
                  ((-1) (split (cdr class) old-row plus (cons column minus)))))))))))

(define (count-up n)
  (let up ((i 0)) (if (= i n) '() (cons i (up (+ i 1))))))

(define (rows width)
  (if (= width 0) '(())
      (let ((others (rows (- width 1))))
        (append (map (lambda (r) (cons 1 r)) others)
                (map (lambda (r) (cons -1 r)) others)))))

(define (build width height)
  (let ((all (rows width)) (ones (map (lambda (i) 1) (count-up width))))
    (let grow ((matrices (list (list ones))) (h 1))
      (if (= h height) (length matrices)
          (grow (let each ((m matrices) (found '()))
                  (if (null? m) found
                      (each (cdr m)
                            (let extend ((r all) (found found))
                              (if (null? r) found
                                  (extend (cdr r)
                                          (let ((longer (append (car m) (list (car r)))))
                                            (if (greatest? longer) (cons longer found) found))))))))
                (+ h 1))))))

(write (build 7 7))
