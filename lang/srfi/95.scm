;;; SRFI 95, sorting and merging.  Sequences are lists and vectors; sorting is stable.

(define-library (srfi 95)
  (export sort sort! sorted? merge (rename merge merge!))
  (import (srfi sorting))
  (begin

    ;; How items compare whose keys do.
    (define (%by-key name less? key)
      (if (null? key)
          less?
          (let ((key (%optional name key #f)))
            (lambda (a b) (less? (key a) (key b))))))

    (define (%sequence name x)
      (cond ((vector? x) (vector->list x))
            ((list? x) x)
            (else (error (string-append name ": expected a list or a vector, got") x))))

    ;; The items of a list or vector in order, by what `key` gives for them if it is given.
    (define (sort items less? . key)
      (let ((sorted (%sorted "sort" (%by-key "sort" less? key) (%sequence "sort" items))))
        (if (vector? items) (list->vector sorted) sorted)))

    ;; In place: the pairs of a list keep their order and get other items.
    (define (sort! items less? . key)
      (let ((less? (%by-key "sort!" less? key)))
        (if (vector? items)
            (%sort-range! "sort!" less? items 0 (vector-length items))
            (let loop ((rest items) (sorted (%sorted "sort!" less? (%sequence "sort!" items))))
              (if (pair? sorted)
                  (begin
                    (set-car! rest (car sorted))
                    (loop (cdr rest) (cdr sorted))))))
        items))

    ;; Whether no item is less than the one before.
    (define (sorted? items less? . key)
      (let ((less? (%by-key "sorted?" less? key)))
        (if (vector? items)
            (%sorted-range? less? items 0 (vector-length items))
            (%sorted-list? "sorted?" less? (%sequence "sorted?" items)))))

    ;; The items of two lists that are in order, in order.
    (define (merge a b less? . key)
      (%merged "merge" (%by-key "merge" less? key) a b))))
