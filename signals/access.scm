;;; Samples in any order: by their index.
;;;
;;; Where the stride is a whole number of words, or the samples lie each within a word, an index
;;; that is not known costs no more than an index into an array.

(define-library (signals access)
  (export signal-ref signal-set!)
  (import (scheme base) (signals signal) (signals layouts))
  (begin

    ;; Sample `i`, which must be from 0 to the number of samples - 1; nothing checks that.
    (define (signal-ref s i)
      (signal-get (signal-drop s i)))

    ;; Put `v` in the place of sample `i`; nothing checks that there is one.
    (define (signal-set! s i v)
      (signal-put! (signal-drop s i) v))))
