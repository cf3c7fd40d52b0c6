;;; SRFI 132, sorting and merging of lists and vectors.  All sorting is stable.

(define-library (srfi 132)
  (export
   list-sort (rename list-sort list-sort!)
   (rename list-sort list-stable-sort) (rename list-sort list-stable-sort!)
   vector-sort vector-sort!
   (rename vector-sort vector-stable-sort) (rename vector-sort! vector-stable-sort!)
   list-sorted? vector-sorted? list-merge (rename list-merge list-merge!)
   vector-merge vector-merge!
   list-delete-neighbor-dups (rename list-delete-neighbor-dups list-delete-neighbor-dups!)
   vector-delete-neighbor-dups vector-delete-neighbor-dups!
   vector-find-median vector-find-median! vector-select! vector-separate!)
  (import (srfi sorting))
  (begin

    ;; A list of the items in order; equal ones keep theirs.
    (define (list-sort less? items) (%sorted "list-sort" less? items))

    ;; A new vector of the items in order; equal ones keep theirs.
    (define (vector-sort less? v . range)
      (%range "vector-sort" (%vector-size "vector-sort" v) range
        (lambda (start end)
          (list->vector (%sorted "vector-sort" less? (vector->list v start end))))))

    ;; Put the items of a vector, or of a part of it, in order.
    (define (vector-sort! less? v . range)
      (%range "vector-sort!" (%vector-size "vector-sort!" v) range
        (lambda (start end) (%sort-range! "vector-sort!" less? v start end))))

    ;; Whether no item of a list is less than the one before.
    (define (list-sorted? less? items) (%sorted-list? "list-sorted?" less? items))

    ;; Whether no item of a vector, or of a part of it, is less than the one before.
    (define (vector-sorted? less? v . range)
      (%range "vector-sorted?" (%vector-size "vector-sorted?" v) range
        (lambda (start end) (%sorted-range? less? v start end))))

    ;; The items of two lists that are in order, in order.
    (define (list-merge less? a b) (%merged "list-merge" less? a b))

    ;; Calls `body` with the starts and ends of both vectors.
    (define (%ranges name a b ranges body)
      (let* ((first (if (and (pair? ranges) (pair? (cdr ranges)))
                        (list (car ranges) (cadr ranges))
                        ranges))
             (second (if (and (pair? ranges) (pair? (cdr ranges))) (cddr ranges) '())))
        (%range name (%vector-size name a) first
          (lambda (start1 end1)
            (%range name (%vector-size name b) second
              (lambda (start2 end2) (body start1 end1 start2 end2)))))))

    ;; The items of two vectors that are in order, in order.
    (define (vector-merge less? a b . ranges)
      (%ranges "vector-merge" a b ranges
        (lambda (start1 end1 start2 end2)
          (let ((made (make-vector (+ (- end1 start1) (- end2 start2)) 0)))
            (%merge-into less? made 0 a start1 end1 b start2 end2)
            made))))

    ;; Put the items of two vectors that are in order into another one, in order.
    (define (vector-merge! less? to a b . start+ranges)
      (let ((start (if (pair? start+ranges) (car start+ranges) 0))
            (size (%vector-size "vector-merge!" to)))
        (%ranges "vector-merge!" a b (if (pair? start+ranges) (cdr start+ranges) '())
          (lambda (start1 end1 start2 end2)
            (if (not (and (exact-integer? start)
                          (<= 0 start (- size (+ (- end1 start1) (- end2 start2))))))
                (error "vector-merge!: the items do not fit at" start))
            (%merge-into less? to start a start1 end1 b start2 end2)))))

    (define (%merge-into less? to at a i end1 b j end2)
      (cond ((= i end1) (%vector-move to at b j end2))
            ((= j end2) (%vector-move to at a i end1))
            ((less? (vector-ref b j) (vector-ref a i))
             (vector-set! to at (vector-ref b j))
             (%merge-into less? to (+ at 1) a i end1 b (+ j 1) end2))
            (else
             (vector-set! to at (vector-ref a i))
             (%merge-into less? to (+ at 1) a (+ i 1) end1 b j end2))))

    ;; Of neighbours that are the same, the first stays.
    (define (list-delete-neighbor-dups same? items)
      (cond ((null? items) '())
            ((not (list? items)) (error "list-delete-neighbor-dups: expected a list, got" items))
            (else
             (let loop ((item (car items)) (rest (cdr items)))
               (cond ((null? rest) (list item))
                     ((same? item (car rest)) (loop item (cdr rest)))
                     (else (cons item (loop (car rest) (cdr rest)))))))))

    ;; The items that differ from the one before.
    (define (vector-delete-neighbor-dups same? v . range)
      (%range "vector-delete-neighbor-dups" (%vector-size "vector-delete-neighbor-dups" v) range
        (lambda (start end)
          (list->vector (list-delete-neighbor-dups same? (vector->list v start end))))))

    ;; The end of what stays, which is moved to the start.
    (define (vector-delete-neighbor-dups! same? v . range)
      (%range "vector-delete-neighbor-dups!" (%vector-size "vector-delete-neighbor-dups!" v) range
        (lambda (start end)
          (if (= start end)
              end
              (let loop ((i (+ start 1)) (last start))
                (cond ((= i end) (+ last 1))
                      ((same? (vector-ref v last) (vector-ref v i)) (loop (+ i 1) last))
                      (else
                       (vector-set! v (+ last 1) (vector-ref v i))
                       (loop (+ i 1) (+ last 1)))))))))

    (define (%mean a b) (/ (+ a b) 2))

    ;; The item in the middle by order, (mean a b) of the two in the middle; `empty` if there is
    ;; none.
    (define (vector-find-median less? v empty . mean)
      (%median (vector-sort less? v) empty (%optional "vector-find-median" mean %mean)))

    ;; As `vector-find-median`; the vector is in order then.
    (define (vector-find-median! less? v empty . mean)
      (vector-sort! less? v)
      (%median v empty (%optional "vector-find-median!" mean %mean)))

    (define (%median v empty mean)
      (let* ((size (vector-length v))
             (half (quotient size 2)))
        (cond ((= size 0) empty)
              ((odd? size) (vector-ref v half))
              (else (mean (vector-ref v (- half 1)) (vector-ref v half))))))

    ;; The item that is at index k when the vector is in order.
    (define (vector-select! less? v k . range)
      (%range "vector-select!" (%vector-size "vector-select!" v) range
        (lambda (start end)
          (if (not (and (exact-integer? k) (<= 0 k (- end start 1))))
              (error "vector-select!: there is no item of the rank" k))
          (%sort-range! "vector-select!" less? v start end)
          (vector-ref v (+ start k)))))

    ;; Put the k least items in front.
    (define (vector-separate! less? v k . range)
      (%range "vector-separate!" (%vector-size "vector-separate!" v) range
        (lambda (start end)
          (if (not (and (exact-integer? k) (<= 0 k (- end start))))
              (error "vector-separate!: there are not so many items:" k))
          (%sort-range! "vector-separate!" less? v start end))))))
