;;; Views of group signals: what (signals layouts) does with strides, done with fields.
;;;
;;; The place of a sample is the address of its group and the number of its field.  Moved by so many
;;; samples, the number is known if it was and the samples are; else there is a version for each.

(define-library (signals groups)
  (export group-channel group-drop group-take group-drop-last group-shifted group-reverse
          group-with-ends)
  (import (scheme base) (signals signal))
  (begin

    (define (group-with s from to index last step fields)
      (make-group-signal (signal-buffer s) from to index last (signal-size s) step
                         (signal-kind s) (signal-order s) fields))

    (define (field-count s)
      (vector-length (group-fields s)))

    ;; Each `channels`-th sample from the k-th on.  One field of one piece is samples at a stride.
    (define (group-channel s k channels)
      (let ((fields (group-fields s)))
        (if (not (and (= (group-index s) 0)
                      (= (remainder (vector-length fields) channels) 0)
                      (= (remainder (group-last s) channels) 0)))
            (error "signal-channel: the channels must divide the fields of a group" channels))
        (if (and (= (vector-length fields) channels) (null? (cdr (vector-ref fields k))))
            (signal-with-order
              (signal-with-kind
                (signal-with-skip
                  (signal-with-range
                    (make-signal (signal-buffer s) 0 0 (signal-size s) (group-step s))
                    (group-from s) (group-to s) (group-step s))
                  (car (car (vector-ref fields k))))
                (signal-kind s))
              (signal-order s))
            (group-with s (group-from s) (group-to s) 0 (quotient (group-last s) channels)
                        (group-step s) (list->vector (fields-from fields k channels))))))

    (define (fields-from fields k channels)
      (if (< k (vector-length fields))
          (cons (vector-ref fields k) (fields-from fields (+ k channels) channels))
          '()))

    ;; The place `n` samples after the one at an address and of a field: (address . field).
    (define (moved-place s address field n)
      (let ((at (+ field n)) (m (field-count s)) (step (group-step s)))
        (cons (+ address
                 (if (< step 0)
                     (- (set-base (* (- step) (floor-quotient at m)) (- step)))
                     (set-base (* step (floor-quotient at m)) step)))
              (made-known (floor-remainder at m) m))))

    ;; A number below m, as a number that is known: a version for each that it may be.
    (define (made-known n m)
      (let find ((i 0))
        (if (or (= i (- m 1)) (= n i)) i (find (+ i 1)))))

    ;; The samples after the first `n`.
    (define (group-drop s n)
      (let ((place (moved-place s (group-from s) (group-index s) n)))
        (group-with s (car place) (group-to s) (cdr place) (group-last s)
                    (group-step s) (group-fields s))))

    ;; The first `n` samples.
    (define (group-take s n)
      (let ((end (moved-place s (group-from s) (group-index s) n)))
        (group-with s (group-from s) (car end) (group-index s) (cdr end)
                    (group-step s) (group-fields s))))

    ;; The samples before the last `n`.
    (define (group-drop-last s n)
      (let ((end (moved-place s (group-to s) (group-last s) (- n))))
        (group-with s (group-from s) (car end) (group-index s) (cdr end)
                    (group-step s) (group-fields s))))

    ;; As many samples, `n` samples further on, which is known: other fields at the same addresses,
    ;; so that loops over several such views count in one variable.
    (define (group-shifted s n)
      (let ((m (field-count s)))
        (group-with s (group-from s) (group-to s) (group-index s) (group-last s) (group-step s)
                    (list->vector
                      (map (lambda (i)
                             (map (lambda (piece)
                                    (list (+ (car piece)
                                             (* (group-step s) (floor-quotient (+ i n) m)))
                                          (cadr piece)))
                                  (vector-ref (group-fields s) (floor-remainder (+ i n) m))))
                           (numbers 0 m))))))

    (define (numbers from to)
      (if (< from to) (cons from (numbers (+ from 1) to)) '()))

    ;; The samples from the last to the first.
    (define (group-reverse s)
      (let* ((m (field-count s))
             (start (moved-place s (group-to s) (group-last s) -1))
             (end (moved-place s (group-from s) (group-index s) -1)))
        (group-with s (car start) (car end) (- m 1 (cdr start)) (- m 1 (cdr end))
                    (- (group-step s)) (list->vector (reverse (vector->list (group-fields s)))))))

    ;; The same samples, their groups between other addresses.
    (define (group-with-ends s from to)
      (group-with s from to (group-index s) (group-last s) (group-step s) (group-fields s)))))
