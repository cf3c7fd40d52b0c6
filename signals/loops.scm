;;; Loops over signals: the one shape that the processors share.
;;;
;;; A loop over several signals checks that they have one length, and then tests the end of its
;;; output; what it asks of the others makes the specializer unroll, see `signal-may-end?`.  The
;;; first argument `who` of a procedure is the name in its error messages.

(define-library (signals loops)
  (export signal-map! signal-fold
          map-signals! scan-signals! fold-signals generate-signal!
          check check-not-empty check-integers check-in-buffer)
  (import (scheme base) (signals signal) (signals separate))
  (begin

    ;; Put (f x ...) for the samples x ... of the signals `ins`, which are as long as `out`.
    (define (signal-map! f out . ins)
      (map-signals! "signal-map!" f out ins))

    ;; (f ... (f (f start x0) x1) ...) over the samples of a signal.  A start value that is known,
    ;; like 0, need not be lifted.
    (define (signal-fold f start s)
      (fold-signals "signal-fold" f start s '()))

    (define (map-signals! who f out ins)
      (scan-signals! who (lambda (state . xs) (values (apply f xs) state)) #f out ins)
      (if #f #f))

    ;; Carry a state along: (step state x ...) gives the sample to put and the next state.  The
    ;; value is the last state.
    (define (scan-signals! who step state out ins)
      (check who (not (signal-constant? out)) "a constant signal cannot be written")
      (for-each (lambda (in) (check-same-length who in out)) ins)
      (separately out ins
        (lambda (out ins)
          (let scan ((out out) (ins ins) (state state))
            (if (all-end? out ins)
                state
                (let-values (((y state) (apply step state (map signal-get ins))))
                  (signal-put! out y)
                  (scan (signal-next out) (map signal-next ins) state)))))))

    ;; (f state x y ...) over the samples x of `s` and y ... of the signals `others`, which are as
    ;; long.
    (define (fold-signals who f state s others)
      (for-each (lambda (other) (check-same-length who other s)) others)
      (let fold ((s s) (others others) (state (lift state)))
        (if (all-end? s others)
            state
            (fold (signal-next s) (map signal-next others)
                  (apply f state (signal-get s) (map signal-get others))))))

    ;; Put `start`, (next start), (next (next start)), ...; the value is the first one not put.
    (define (generate-signal! next start out)
      (scan-signals! "signal-generate!" (lambda (v) (values v (next v))) (lift start) out '()))

    ;; Is there no sample left?  What is known ahead is asked first: where the alignment of the
    ;; others says no, no test is left.
    (define (all-end? s others)
      (let ((may-end (may-end? others)))
        (if (known? may-end)
            (and may-end (signal-end? s))
            (and (signal-end? s) may-end))))

    (define (may-end? signals)
      (or (null? signals)
          (and (signal-may-end? (car signals))
               (may-end? (cdr signals)))))

    ;; The error `who: message` unless `fine?`.
    (define (check who fine? message)
      (if (not fine?)
          (error (string-append who ": " message))))

    (define (check-not-empty who s)
      (check who (not (signal-end? s)) "the signal is empty"))

    ;; Refuse a signal that goes upwards, of which not all samples are in its buffer: where samples
    ;; are looked up or put at places that are not known, one test stands for one at each then.
    (define (check-in-buffer who s)
      (if (not (or (signal-constant? s) (signal-group? s)))
          (check who (and (<= 0 (signal-from s))
                          (<= (signal-to s) (* (word-size) (buffer-words (signal-buffer s)))))
                 "the signal is longer than its buffer")))

    (define (check-integers who s)
      (check who (not (signal-float? s)) "the samples must be integers"))))
