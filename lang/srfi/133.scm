;;; SRFI 133, vectors.

(define-library (srfi 133)
  (export
   make-vector vector vector-unfold vector-unfold-right vector-copy vector-reverse-copy
   vector-append vector-concatenate vector-append-subvectors
   vector? vector-empty? vector= vector-ref vector-length
   vector-fold vector-fold-right vector-map vector-map! vector-for-each vector-count
   vector-cumulate
   vector-index vector-index-right vector-skip vector-skip-right vector-binary-search
   vector-any vector-every vector-partition
   vector-set! vector-swap! vector-fill! vector-reverse! vector-copy! vector-reverse-copy!
   vector-unfold! vector-unfold-right!
   vector->list reverse-vector->list list->vector reverse-list->vector
   vector->string string->vector)
  (import (srfi ranges))
  (begin

    (define (%size name n)
      (if (not (and (exact-integer? n) (>= n 0)))
          (error (string-append name ": expected a size that is not negative, got") n)))

    ;; Where a loop over so many items begins.
    (define (%zero size) (if (known? size) 0 (lift 0)))

    ;; The size of the shortest of the vectors.
    (define (%shortest name v more)
      (let loop ((size (%vector-size name v)) (rest more))
        (if (pair? rest)
            (loop (min size (%vector-size name (car rest))) (cdr rest))
            size)))

    (define (%refs vectors i)
      (if (pair? vectors) (cons (vector-ref (car vectors) i) (%refs (cdr vectors) i)) '()))

    ;; f of the items at an index.
    (define (%of-items f v more i)
      (if (null? more)
          (f (vector-ref v i))
          (apply f (vector-ref v i) (%refs more i))))

    ;; The vector of what f gives for the indices and seeds; f gives the next seeds too.
    (define (vector-unfold f size . seeds)
      (%size "vector-unfold" size)
      (let ((made (make-vector size 0)))
        (%unfold! f made (%zero size) size seeds)
        made))

    ;; As `vector-unfold`, into a part of a vector.
    (define (vector-unfold! f v start end . seeds)
      (%within "vector-unfold!" (%vector-size "vector-unfold!" v) (list start end)
        (lambda (start end) (%unfold! f v start end seeds))))

    ;; f gives the item for an index, and as many seeds as it takes.
    (define (%unfold! f v start end seeds)
      (if (null? seeds)
          (let loop ((i start))
            (if (< i end)
                (begin
                  (vector-set! v i (f i))
                  (loop (+ i 1)))))
          (let loop ((i start) (seeds seeds))
            (if (< i end)
                (call-with-values (lambda () (apply f i seeds))
                  (lambda (item . seeds)
                    (vector-set! v i item)
                    (loop (+ i 1) seeds)))))))

    ;; As `vector-unfold`, the last index first.
    (define (vector-unfold-right f size . seeds)
      (%size "vector-unfold-right" size)
      (let ((made (make-vector size 0)))
        (%unfold-right! f made 0 size seeds)
        made))

    ;; As `vector-unfold!`, the last index first.
    (define (vector-unfold-right! f v start end . seeds)
      (%within "vector-unfold-right!" (%vector-size "vector-unfold-right!" v) (list start end)
        (lambda (start end) (%unfold-right! f v start end seeds))))

    (define (%unfold-right! f v start end seeds)
      (let loop ((i (- end 1)) (seeds seeds))
        (if (>= i start)
            (call-with-values (lambda () (apply f i seeds))
              (lambda (item . seeds)
                (vector-set! v i item)
                (loop (- i 1) seeds))))))

    ;; A new vector of the items, the last one first.
    (define (vector-reverse-copy v . range)
      (%within "vector-reverse-copy" (%vector-size "vector-reverse-copy" v) range
        (lambda (start end)
          (let ((made (make-vector (- end start) 0)))
            (%reverse-into made 0 v start end)
            made))))

    (define (%reverse-into to at from start end)
      (let loop ((i (- end 1)) (j at))
        (if (>= i start)
            (begin
              (vector-set! to j (vector-ref from i))
              (loop (- i 1) (+ j 1))))))

    ;; Copy items, the last one first, into another vector from index `at` on.
    (define (vector-reverse-copy! to at from . range)
      (let ((size (%vector-size "vector-reverse-copy!" to)))
        (%within "vector-reverse-copy!" (%vector-size "vector-reverse-copy!" from) range
          (lambda (start end)
            (if (not (and (exact-integer? at) (<= 0 at (- size (- end start)))))
                (error "vector-reverse-copy!: the items do not fit at" at))
            (%reverse-into to at (if (eq? to from) (vector-copy from) from) start end)))))

    ;; The items of a list of vectors, one after the other.
    (define (vector-concatenate vectors) (apply vector-append vectors))

    ;; The items of parts of vectors: (vector-append-subvectors vector start end ...).
    (define (vector-append-subvectors . parts)
      (let loop ((rest parts) (made '()))
        (cond ((null? rest) (vector-concatenate (reverse made)))
              ((and (pair? (cdr rest)) (pair? (cddr rest)))
               (loop (cdddr rest) (cons (vector-copy (car rest) (cadr rest) (caddr rest)) made)))
              (else (error "vector-append-subvectors: expected a vector, a start and an end, got"
                           rest)))))

    ;; Whether a vector has no items.
    (define (vector-empty? v) (= (%vector-size "vector-empty?" v) 0))

    ;; Whether vectors have the same items by `same?`, in the same order.
    (define (vector= same? . vectors)
      (or (null? vectors)
          (let loop ((a (car vectors)) (rest (cdr vectors)))
            (or (null? rest)
                (and (%vector= same? a (car rest)) (loop (car rest) (cdr rest)))))))

    (define (%vector= same? a b)
      (let ((size (%vector-size "vector=" a)))
        (and (= size (%vector-size "vector=" b))
             (or (eq? a b)
                 (let loop ((i (%zero size)))
                   (or (= i size)
                       (and (same? (vector-ref a i) (vector-ref b i)) (loop (+ i 1)))))))))

    ;; f of what was there before and each item, from `start` on; the first item first.
    (define (vector-fold f start v . more)
      (let ((size (%shortest "vector-fold" v more)))
        (if (null? more)
            (let loop ((i (%zero size)) (made start))
              (if (< i size) (loop (+ i 1) (f made (vector-ref v i))) made))
            (let loop ((i (%zero size)) (made start))
              (if (< i size)
                  (loop (+ i 1) (apply f made (vector-ref v i) (%refs more i)))
                  made)))))

    ;; f of what was there before and each item, from `start` on; the last item first.
    (define (vector-fold-right f start v . more)
      (let ((size (%shortest "vector-fold-right" v more)))
        (if (null? more)
            (let loop ((i (- size 1)) (made start))
              (if (>= i 0) (loop (- i 1) (f made (vector-ref v i))) made))
            (let loop ((i (- size 1)) (made start))
              (if (>= i 0)
                  (loop (- i 1) (apply f made (vector-ref v i) (%refs more i)))
                  made)))))

    ;; Put (f item) in the place of each item.
    (define (vector-map! f v . more)
      (let ((size (%shortest "vector-map!" v more)))
        (let loop ((i (%zero size)))
          (if (< i size)
              (begin
                (vector-set! v i (%of-items f v more i))
                (loop (+ i 1)))))))

    ;; For how many items of a vector, or of several side by side, a predicate holds.
    (define (vector-count good? v . more)
      (let ((size (%shortest "vector-count" v more)))
        (let loop ((i (%zero size)) (n (%zero size)))
          (cond ((= i size) n)
                ((%of-items good? v more i) (loop (+ i 1) (+ n 1)))
                (else (loop (+ i 1) n))))))

    ;; What a fold by f from `start` on has after each item.
    (define (vector-cumulate f start v)
      (let* ((size (%vector-size "vector-cumulate" v))
             (made (make-vector size 0)))
        (let loop ((i (%zero size)) (sum start))
          (if (< i size)
              (let ((sum (f sum (vector-ref v i))))
                (vector-set! made i sum)
                (loop (+ i 1) sum))
              made))))

    ;; The index of the first item for which a predicate holds, or #f.
    (define (vector-index good? v . more)
      (%first "vector-index" good? v more))

    ;; The index of the first item for which a predicate does not hold, or #f.
    (define (vector-skip bad? v . more)
      (%first "vector-skip" (lambda items (not (apply bad? items))) v more))

    (define (%first name good? v more)
      (let ((size (%shortest name v more)))
        (let loop ((i (%zero size)))
          (cond ((= i size) #f)
                ((%of-items good? v more i) i)
                (else (loop (+ i 1)))))))

    ;; The index of the last item for which a predicate holds, or #f.
    (define (vector-index-right good? v . more)
      (%last "vector-index-right" good? v more))

    ;; The index of the last item for which a predicate does not hold, or #f.
    (define (vector-skip-right bad? v . more)
      (%last "vector-skip-right" (lambda items (not (apply bad? items))) v more))

    (define (%last name good? v more)
      (let loop ((i (- (%shortest name v more) 1)))
        (cond ((< i 0) #f)
              ((%of-items good? v more i) i)
              (else (loop (- i 1))))))

    ;; `compare` gives a negative number where an item comes before the value.
    (define (vector-binary-search v value compare)
      (let loop ((start 0) (end (%vector-size "vector-binary-search" v)))
        (if (= start end)
            #f
            (let* ((i (quotient (+ start end) 2))
                   (order (compare (vector-ref v i) value)))
              (cond ((= order 0) i)
                    ((< order 0) (loop (+ i 1) end))
                    (else (loop start i)))))))

    ;; What the predicate gives for the first item for which it holds, or #f.
    (define (vector-any good? v . more)
      (let ((size (%shortest "vector-any" v more)))
        (and (> size 0)
             (let loop ((i (%zero size)))
               (if (= i (- size 1))
                   (%of-items good? v more i)
                   (or (%of-items good? v more i) (loop (+ i 1))))))))

    ;; Whether a predicate holds for all items: what it gives for the last one, or #f.
    (define (vector-every good? v . more)
      (let ((size (%shortest "vector-every" v more)))
        (or (= size 0)
            (let loop ((i (%zero size)))
              (if (= i (- size 1))
                  (%of-items good? v more i)
                  (and (%of-items good? v more i) (loop (+ i 1))))))))

    ;; The items that are good, then the others; and how many are good.
    (define (vector-partition good? v)
      (let* ((size (%vector-size "vector-partition" v))
             (made (make-vector size 0)))
        (let loop ((i (%zero size)) (first (%zero size)) (others '()))
          (cond ((= i size)
                 (let fill ((i (- size 1)) (others others))
                   (if (pair? others)
                       (begin
                         (vector-set! made i (car others))
                         (fill (- i 1) (cdr others)))))
                 (values made first))
                ((good? (vector-ref v i))
                 (vector-set! made first (vector-ref v i))
                 (loop (+ i 1) (+ first 1) others))
                (else (loop (+ i 1) first (cons (vector-ref v i) others)))))))

    ;; Let two items change places.
    (define (vector-swap! v i j)
      (let ((item (vector-ref v i)))
        (vector-set! v i (vector-ref v j))
        (vector-set! v j item)))

    ;; Put the items of a vector, or of a part of it, in the other order.
    (define (vector-reverse! v . range)
      (%within "vector-reverse!" (%vector-size "vector-reverse!" v) range
        (lambda (start end)
          (let loop ((i start) (j (- end 1)))
            (if (< i j)
                (begin
                  (vector-swap! v i j)
                  (loop (+ i 1) (- j 1))))))))

    ;; The list of the items of a vector, or of a part of it, the last one first.
    (define (reverse-vector->list v . range)
      (%within "reverse-vector->list" (%vector-size "reverse-vector->list" v) range
        (lambda (start end)
          (let loop ((i start) (made '()))
            (if (< i end) (loop (+ i 1) (cons (vector-ref v i) made)) made)))))

    ;; The vector of the items of a list, the last one first.
    (define (reverse-list->vector items) (list->vector (reverse items)))))
