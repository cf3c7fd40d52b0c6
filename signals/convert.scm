;;; Conversion between patterns of fields: what unpacking, packing and format conversion are.
;;;
;;;     PATTERN ::= (STRIDE ORDER #(FIELD ...)) fields of one group; groups are STRIDE bits apart
;;;     ORDER   ::= little | big                how bits are addressed, see (signals memory)
;;;     FIELD   ::= (KIND (ADDRESS SIZE) ...)   the pieces of one sample, the high one first;
;;;                                             addresses count from the address of the group
;;;     KIND    ::= unsigned | signed
;;;
;;; The samples of a pattern are numbered group by group.  A plain layout is a pattern of one field
;;; of one piece; the high bytes followed by low bits of raw photographs are fields of two pieces.
;;;
;;; With both patterns static and the addresses cyclic by the word size, the residual program is a
;;; loop whose body moves one period of samples with constant shifts and masks.

(define-library (signals convert)
  (export convert-samples!)
  (import (scheme base) (signals memory) (signals writer))
  (begin

    ;; Move `rounds` times `period` samples from the pattern `source` at bit address `in-at` of
    ;; `in` to the pattern `target` at bit address `out-at` of `out`.
    ;;
    ;; A round must move whole words in both buffers: period/fields*stride a multiple of the word
    ;; size.  fit: `wrap` (keep the low bits) or `saturate`.  keep?: do bits of `out` between the
    ;; samples keep their value?  Otherwise they become 0.
    (define (convert-samples! in in-at source out out-at target rounds period fit keep?)
      (let ((w (word-size))
            (step-in (span source period))
            (step-out (span target period)))
        (let next ((in-at in-at) (out-at out-at) (rounds rounds))
          (if (> rounds 0)
              (begin
                (convert-period! in in-at source out out-at target period fit keep? w)
                (next (+ in-at step-in) (+ out-at step-out) (- rounds 1)))))))

    ;; How many bits on the groups of `count` samples are.
    (define (span pattern count)
      (* (quotient count (vector-length (pattern-fields pattern))) (pattern-stride pattern)))

    (define (convert-period! in in-at source out out-at target period fit keep? w)
      (let ((bit (floor-remainder out-at w)))
        (let put ((i 0) (writer (make-writer out (floor-quotient out-at w) keep?)))
          (if (< i period)
              (put (+ i 1)
                   (put-sample writer bit target i
                               (get-sample in in-at source i (field-of target i) fit)))
              (write-out! writer)))))

    ;; Sample i, as the field `for` of another pattern will hold it: only its low bits matter.
    (define (get-sample in in-at pattern i for fit)
      (let* ((field (field-of pattern i))
             (bits (load-pieces in (+ in-at (group-of pattern i)) (pattern-order pattern)
                                (field-pieces field) 0 0))
             (size (field-size field)))
        (cond ((eq? fit 'saturate) (clamp (decode bits field size) for))
              ((> (field-size for) size) (decode bits field size))
              (else bits))))

    (define (decode bits field size)
      (if (eq? (field-kind field) 'signed) (sign-extend bits size) bits))

    (define (clamp x field)
      (let ((size (field-size field)))
        (if (eq? (field-kind field) 'signed)
            (max (bitwise-not (ones (- size 1))) (min (ones (- size 1)) x))
            (max 0 (if (< size 64) (min (ones size) x) x)))))

    ;; 2^n - 1; n from 0 to 63
    (define (ones n)
      (bitwise-not (word-shift-left -1 n)))

    ;; The pieces from `bits` on, of which `got` bits are there already.
    (define (load-pieces in at order pieces bits got)
      (if (null? pieces)
          bits
          (let* ((address (+ at (caar pieces)))
                 (size (cadar pieces))
                 (piece (if (eq? order 'big)
                            (load-field-big in address size)
                            (load-field in address size))))
            (load-pieces in at order (cdr pieces)
                         (if (= got 0)
                             piece
                             (bitwise-ior (word-shift-left bits size) piece))
                         (+ got size)))))

    (define (put-sample writer bit pattern i v)
      (let ((field (field-of pattern i)))
        (put-pieces writer (+ bit (group-of pattern i)) (pattern-order pattern)
                    (field-pieces field) (field-size field) v)))

    ;; Put the low `left` bits of `v` in the pieces.
    (define (put-pieces writer at order pieces left v)
      (if (null? pieces)
          writer
          (let* ((address (+ at (caar pieces)))
                 (size (cadar pieces))
                 (left (- left size))
                 (piece (arithmetic-shift v (- left))))
            (put-pieces (if (eq? order 'big)
                            (put-field-big writer address size piece)
                            (put-field writer address size piece))
                        at order (cdr pieces) left v))))

    (define (pattern-stride pattern) (car pattern))
    (define (pattern-order pattern) (cadr pattern))
    (define (pattern-fields pattern) (caddr pattern))

    (define (field-of pattern i)
      (let ((fields (pattern-fields pattern)))
        (vector-ref fields (remainder i (vector-length fields)))))

    ;; The address of sample i's group.
    (define (group-of pattern i)
      (* (quotient i (vector-length (pattern-fields pattern))) (pattern-stride pattern)))

    (define (field-kind field) (car field))
    (define (field-pieces field) (cdr field))

    (define (field-size field)
      (let sum ((pieces (field-pieces field)) (size 0))
        (if (null? pieces) size (sum (cdr pieces) (+ size (cadar pieces))))))))
