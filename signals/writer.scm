;;; Write-combining: samples put one after the other, each word of the buffer stored once.
;;;
;;; A writer stands for the part of a buffer from the word of index `base` on.  It holds one word
;;; that is not stored yet: which one (counted from `base`), its bits so far, and the mask of those
;;; that have been put.  With everything static but the buffer, the base and the bits, nothing of
;;; the writer is left in a residual program but one `store-word!` a word; a word all of whose bits
;;; are put is not read before.

(define-library (signals writer)
  (export make-writer put-field put-field-big write-out!)
  (import (scheme base) (signals memory))
  (begin

    ;; keep?: do bits that are not put keep their value?  Otherwise they become 0, in words that
    ;; are stored at all.
    (define-record-type writer
      (make-full-writer buffer base keep? word bits mask)
      writer?
      (buffer writer-buffer)
      (base writer-base)
      (keep? writer-keep?)
      (word writer-word)
      (bits writer-bits)
      (mask writer-mask))

    (define (make-writer buffer base keep?)
      (make-full-writer buffer base keep? 0 0 0))

    ;; The writer after putting the low `size` bits of `v` at little-endian bit address `p`,
    ;; counted from its base.
    (define (put-field writer p size v)
      (let* ((w (word-size))
             (bit (floor-remainder p w))
             (here (min size (- w bit)))
             (writer (put-bits (at-word writer (floor-quotient p w)) bit here v)))
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

    ;; The writer when its word is `word`: another one is stored before.
    (define (at-word writer word)
      (if (= word (writer-word writer))
          writer
          (begin
            (write-out! writer)
            (make-full-writer (writer-buffer writer) (writer-base writer) (writer-keep? writer)
                              word 0 0))))

    (define (put-bits writer bit size v)
      (let ((ones (word-shift-right -1 (- 64 size))))
        (make-full-writer
         (writer-buffer writer) (writer-base writer) (writer-keep? writer) (writer-word writer)
         (bitwise-ior (writer-bits writer) (word-shift-left (bitwise-and v ones) bit))
         (bitwise-ior (writer-mask writer) (word-shift-left ones bit)))))

    ;; Store the word that is not stored yet, if any bit of it has been put.
    (define (write-out! writer)
      (let* ((w (word-size))
             (index (+ (writer-base writer) (writer-word writer)))
             (all (word-shift-right -1 (- 64 w)))
             (mask (writer-mask writer)))
        (cond ((= mask 0) #f)
              ((or (= mask all) (not (writer-keep? writer)))
               (store-word! (writer-buffer writer) index (writer-bits writer)))
              (else
               (store-word! (writer-buffer writer) index
                            (bitwise-ior (bitwise-and (load-word (writer-buffer writer) index)
                                                      (bitwise-xor all mask))
                                         (writer-bits writer)))))))))
