;;; What the libraries for sorting, SRFI 95 and SRFI 132, are made of: a stable merge sort.

(define-library (srfi sorting)
  (export %sorted %sorted-list? %merged %sort-range! %sorted-range?)
  (begin

    ;; The items in order.  If they are not all known, none is (`%open`): else there would be a
    ;; version for each order in which they may be; nor what depends on a comparison that is not
    ;; known.
    (define (%sorted name less? items)
      (if (not (list? items)) (error (string-append name ": expected a list, got") items))
      (if (null? items)
          '()
          (let ((known (%known-list? items)))
            (%in-order less? known (%open known items) (length items) #t))))

    (define (%open known x) (if known x (lift x)))

    ;; In a run all is known.
    (define (%known-list? x)
      (cond ((known? x) #t)
            ((known-size? x)
             (and (pair? x) (%known-list? (car x)) (%known-list? (cdr x))))
            (else #f)))

    ;; The first n items in order, or the other way round unless `up?`; at least one.  Two halves
    ;; that go down are merged into a list that goes up, as what is merged first comes last; and the
    ;; other way round.
    (define (%in-order less? known items n up?)
      (cond ((= n 1) (%open known (list (car items))))
            ((= n 2)
             (let* ((a (car items)) (b (cadr items)) (swap (less? b a)))
               (%open (and known (known? swap))
                      (if up?
                          (if swap (list b a) (list a b))
                          (if swap (list a b) (list b a))))))
            (else
             (let ((half (quotient n 2)))
               ((if up? %from-the-last %from-the-first)
                less?
                (%in-order less? known items half (not up?))
                (%in-order less? known (list-tail items half) (- n half) (not up?))
                (%open known '()))))))

    ;; Of equal items those of `a` come before those of `b`.

    (define (%from-the-last less? a b made)
      (cond ((null? a) (%append-reverse b made))
            ((null? b) (%append-reverse a made))
            (else
             (let ((second (less? (car b) (car a))))
               (if (known? second)
                   (if second
                       (%from-the-last less? (cdr a) b (cons (car a) made))
                       (%from-the-last less? a (cdr b) (cons (car b) made)))
                   (if second
                       (%from-the-last less? (lift (cdr a)) (lift b) (lift (cons (car a) made)))
                       (%from-the-last less? (lift a) (lift (cdr b))
                                       (lift (cons (car b) made)))))))))

    (define (%from-the-first less? a b made)
      (cond ((null? a) (%append-reverse b made))
            ((null? b) (%append-reverse a made))
            (else
             (let ((second (less? (car b) (car a))))
               (if (known? second)
                   (if second
                       (%from-the-first less? a (cdr b) (cons (car b) made))
                       (%from-the-first less? (cdr a) b (cons (car a) made)))
                   (if second
                       (%from-the-first less? (lift a) (lift (cdr b))
                                        (lift (cons (car b) made)))
                       (%from-the-first less? (lift (cdr a)) (lift b)
                                        (lift (cons (car a) made)))))))))

    (define (%append-reverse items made)
      (if (pair? items) (%append-reverse (cdr items) (cons (car items) made)) made))

    (define (%merged name less? a b)
      (for-each (lambda (x)
                  (if (not (list? x)) (error (string-append name ": expected a list, got") x)))
                (list a b))
      (let ((known (and (%known-list? a) (%known-list? b))))
        (%append-reverse (%from-the-first less? (%open known a) (%open known b) (%open known '()))
                         '())))

    (define (%sorted-list? name less? items)
      (or (null? items)
          (let loop ((item (car items)) (rest (cdr items)))
            (cond ((pair? rest)
                   (and (not (less? (car rest) item)) (loop (car rest) (cdr rest))))
                  ((null? rest) #t)
                  (else (error (string-append name ": expected a list, got") items))))))

    (define (%sort-range! name less? v start end)
      (let loop ((i start) (rest (%sorted name less? (vector->list v start end))))
        (if (pair? rest)
            (begin
              (vector-set! v i (car rest))
              (loop (+ i 1) (cdr rest))))))

    (define (%sorted-range? less? v start end)
      (let loop ((i (+ start 1)))
        (or (>= i end)
            (and (not (less? (vector-ref v i) (vector-ref v (- i 1)))) (loop (+ i 1))))))))
