;;; Bit readers: fields of any width, one after the other, in both bit orders.
;;;
;;; In a reader of a little-endian signal the first bit is the least significant one of byte 0 and
;;; of a field (DEFLATE, varints); of a big-endian signal, the most significant one of both
;;; (JPEG, H.264, most headers).  With a width that is known the position stays as known as it is;
;;; a width that is not known makes the bits of a word be shifted by a number that is not known.

(define-library (signals bits)
  (export signal-bits bits-left peek-bits skip-bits read-bits read-signed-bits
          read-unary read-exp-golomb read-signed-exp-golomb read-varint)
  (import (scheme base) (signals signal) (signals memory) (signals loops))
  (begin

    ;; From bit address `at` up to `end` of `buffer`.
    (define-record-type reader
      (make-reader buffer at end order)
      reader?
      (buffer reader-buffer)
      (at reader-at)
      (end reader-end)
      (order reader-order))

    ;; The reader of all the bits from where a signal begins to where it ends, in its bit order.
    (define (signal-bits s)
      (make-reader (signal-buffer s) (signal-from s) (signal-to s) (signal-order s)))

    ;; How many bits have not been read.
    (define (bits-left reader)
      (- (reader-end reader) (reader-at reader)))

    ;; The next `n` bits as an unsigned number, n from 0 to 56; no error if they are not there, as
    ;; long as the buffer has them.
    (define (peek-bits reader n)
      (cond ((= n 0) 0)
            ((eq? (reader-order reader) 'big)
             (load-field-big (reader-buffer reader) (reader-at reader) n))
            (else (load-field (reader-buffer reader) (reader-at reader) n))))

    ;; The reader after `n` bits more.
    (define (skip-bits reader n)
      (moved "skip-bits" reader n))

    (define (moved who reader n)
      (check who (<= 0 n (bits-left reader)) "there are not that many bits")
      (make-reader (reader-buffer reader) (+ (reader-at reader) n) (reader-end reader)
                   (reader-order reader)))

    ;; The next `n` bits (0 to 56) as an unsigned number, and the reader after them.
    (define (read-bits reader n)
      (let ((rest (moved "read-bits" reader n)))
        (values (peek-bits reader n) rest)))

    ;; The same as a number in two's complement; n from 1.
    (define (read-signed-bits reader n)
      (let-values (((x rest) (read-bits reader n)))
        (values (sign-extend x n) rest)))

    ;; How many bits 0 there are before the next bit 1, and the reader after that.  The place of
    ;; that reader is not known, so one loop counts for all places where the code may begin.
    (define (read-unary reader)
      (let count ((reader (somewhere reader)) (n (lift 0)))
        (let-values (((bit rest) (read-bits reader 1)))
          (if (= bit 1)
              (values n rest)
              (count rest (+ n 1))))))

    (define (somewhere reader)
      (make-reader (reader-buffer reader) (lift (reader-at reader)) (reader-end reader)
                   (reader-order reader)))

    ;; An Exp-Golomb code of order 0: n bits 0, a bit 1 and n bits more; at most 56 of them.
    (define (read-exp-golomb reader)
      (let-values (((n rest) (read-unary reader)))
        (check "read-exp-golomb" (<= n 56) "the number is too great")
        (let-values (((x rest) (read-bits rest n)))
          (values (+ x (- (word-shift-left 1 n) 1)) rest))))

    ;; The same with signs: 0, 1, -1, 2, -2, ...
    (define (read-signed-exp-golomb reader)
      (let-values (((x rest) (read-exp-golomb reader)))
        (let ((half (arithmetic-shift (+ x 1) -1)))
          (values (if (odd? x) half (- half)) rest))))

    ;; Groups of seven bits, the low ones first, each in a byte whose highest bit tells whether
    ;; another one follows (LEB128); at most 9 bytes.
    (define (read-varint reader)
      (let next ((reader reader) (x (lift 0)) (shift (lift 0)))
        (check "read-varint" (< shift 63) "the number is too great")
        (let-values (((byte rest) (read-bits reader 8)))
          (let ((x (bitwise-ior x (word-shift-left (bitwise-and byte 127) shift))))
            (if (< byte 128)
                (values x rest)
                (next rest x (+ shift 7)))))))))
