;;; Write-combining: samples put in any order, each word of the buffer stored once.
;;;
;;; A writer stands for the part of a buffer from the word of index `base` on.  It holds the words
;;; that are begun: for each its index (counted from `base`), its bits so far, and the mask of those
;;; that have been put.  A word is stored when all its bits have been put, without being read
;;; before; the others at the end.  No bit is put twice.
;;;
;;; With everything static but the buffer, the base and the bits, nothing of the writer is left in
;;; a residual program but one `store-word!` a word.

(define-library (signals writer)
  (export make-writer put-field put-field-big write-out!)
  (import (scheme base) (signals memory))
  (begin

    ;; keep?: do bits that are never put keep their value?  Otherwise they become 0, in words of
    ;; which some bits are put.  lines: a list of (word bits mask), the latest first.
    (define-record-type writer
      (make-full-writer buffer base keep? lines)
      writer?
      (buffer writer-buffer)
      (base writer-base)
      (keep? writer-keep?)
      (lines writer-lines))

    (define (make-writer buffer base keep?)
      (make-full-writer buffer base keep? '()))

    (define (with-lines writer lines)
      (make-full-writer (writer-buffer writer) (writer-base writer) (writer-keep? writer) lines))

    ;; The writer after putting the low `size` bits of `v` at little-endian bit address `p`,
    ;; counted from its base.
    (define (put-field writer p size v)
      (let* ((w (word-size))
             (bit (floor-remainder p w))
             (here (min size (- w bit)))
             (writer (put-bits writer (floor-quotient p w) bit here v)))
        (if (= here size)
            writer
            (put-field writer (+ p here) (- size here) (arithmetic-shift v (- here))))))

    ;; The same at big-endian bit address `p`: byte by byte, the high one first.
    (define (put-field-big writer p size v)
      (let* ((bit (floor-remainder p 8))
             (here (min size (- 8 bit)))
             (place (+ (- p bit) (- 8 bit here)))
             (writer (put-field writer place here (arithmetic-shift v (- here size)))))
        (if (= here size)
            writer
            (put-field-big writer (+ p here) (- size here) v))))

    ;; Put the low `size` bits of `v` at bit `bit` of a word; store the word if it is complete.
    (define (put-bits writer word bit size v)
      (let* ((line (or (assv word (writer-lines writer)) (list word 0 0)))
             (ones (low-ones size))
             (bits (bitwise-ior (cadr line) (word-shift-left (bitwise-and v ones) bit)))
             (mask (bitwise-ior (caddr line) (word-shift-left ones bit)))
             (others (without word (writer-lines writer))))
        (if (= mask (low-ones (word-size)))
            (begin
              (store-word! (writer-buffer writer) (+ (writer-base writer) word) bits)
              (with-lines writer others))
            (with-lines writer (cons (list word bits mask) others)))))

    ;; 2^n - 1, the mask of n bits; n from 1 to 64 (-1 for 64)
    (define (low-ones n)
      (word-shift-right -1 (- 64 n)))

    (define (without word lines)
      (cond ((null? lines) '())
            ((= word (caar lines)) (cdr lines))
            (else (cons (car lines) (without word (cdr lines))))))

    ;; Store the words that are begun, the earliest first.
    (define (write-out! writer)
      (let store ((lines (reverse (writer-lines writer))))
        (if (pair? lines)
            (let ((index (+ (writer-base writer) (caar lines)))
                  (bits (cadar lines))
                  (mask (car (cddar lines)))
                  (buffer (writer-buffer writer)))
              (store-word! buffer index
                           (if (writer-keep? writer)
                               (bitwise-ior (bitwise-and (load-word buffer index)
                                                         (bitwise-xor (low-ones (word-size)) mask))
                                            bits)
                               bits))
              (store (cdr lines))))))))
