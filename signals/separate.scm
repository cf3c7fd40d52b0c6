;;; Signals that are known not to overlap: one test before a loop, which then has two versions.
;;;
;;; The cache (see (signals cache)) keeps a word only as long as no store may have changed it, and
;;; holds a store back only as long as no load may want it.  Of two signals in one buffer, or in
;;; buffers of which nothing is known, it has to assume the worst at each access.  Here the words
;;; of both are compared once; if they are apart, the loop is told so (`assume-disjoint`), and if
;;; not, the same loop stands there once more without that knowledge.  With the cache off nothing is
;;; tested: the program stays as it is.

(define-library (signals separate)
  (export separately)
  (import (scheme base) (signals signal))
  (begin

    ;; (body out ins), where the body accesses samples of the signals `out` and those of the list
    ;; `ins` only, and writes only to `out`.
    (define (separately out ins body)
      (if (or (= (cache-lines) 0) (signal-constant? out) (groups? (cons out ins)))
          (body out ins)
          (let ((doubts (map (lambda (in) (doubtful? out in)) ins)))
            (cond ((not (memq #t doubts)) (body out ins))
                  ((>= (least-gap out ins doubts) 0) (claim-disjoint out out ins doubts '() body))
                  (else (body out ins))))))

    ;; Is one of the signals a group signal?  Their addresses are not compared.
    (define (groups? signals)
      (and (pair? signals)
           (or (signal-group? (car signals)) (groups? (cdr signals)))))

    ;; May the signal `in` have words in common with `out`, as far as is known?  Not, if the
    ;; buffers differ; nor does it help to know if both move together: then all their addresses
    ;; can be compared as they are.
    (define (doubtful? out in)
      (not (or (signal-constant? in)
               (early-different? (signal-buffer out) (signal-buffer in))
               (and (early= (signal-buffer out) (signal-buffer in))
                    (known? (- (signal-from out) (signal-from in)))
                    (known? (- (signal-stride out) (signal-stride in)))
                    (= (signal-stride out) (signal-stride in))))))

    ;; The least number of words between `out` and a doubtful signal; negative if two overlap.
    (define (least-gap out ins doubts)
      (let least ((ins ins) (doubts doubts) (gap #f))
        (cond ((null? ins) gap)
              ((car doubts)
               (let ((next (gap-between out (car ins))))
                 (least (cdr ins) (cdr doubts) (if gap (min gap next) next))))
              (else (least (cdr ins) (cdr doubts) gap)))))

    (define (gap-between a b)
      (max (- (first-word a) (end-word b))
           (- (first-word b) (end-word a))))

    (define (first-word s)
      (floor-quotient (lowest-address s) (word-size)))

    ;; The word after the last one.
    (define (end-word s)
      (floor-quotient (+ (highest-address s) (signal-size s) (word-size) -1) (word-size)))

    ;; Where the sample with the lowest address starts.
    (define (lowest-address s)
      (pick-address s (lambda (stride) (> stride 0)) min))

    (define (highest-address s)
      (pick-address s (lambda (stride) (< stride 0)) max))

    ;; The address of the first or last sample: the first if its stride is known and `first?`.
    (define (pick-address s first? otherwise)
      (let* ((stride (signal-stride s))
             (first (+ (signal-from s) (signal-skip s)))
             (last (- (+ (signal-to s) (signal-skip s)) stride)))
        (cond ((not (known? stride)) (otherwise first last))
              ((first? stride) first)
              (else last))))

    ;; Go on with buffers that are claimed to be apart.  `new` is `out` with the claims so far, and
    ;; `done` are the signals done, the latest first.  A signal that moves together with `out` stays
    ;; in its buffer.
    (define (claim-disjoint out new ins doubts done body)
      (cond ((null? ins)
             (body new (map (lambda (in) (follow out new in)) (reverse done))))
            ((car doubts)
             (let-values (((a b) (assume-disjoint (signal-buffer new)
                                                  (signal-buffer (car ins)))))
               (claim-disjoint out (signal-with-buffer new a) (cdr ins) (cdr doubts)
                               (cons (signal-with-buffer (car ins) b) done) body)))
            (else
             (claim-disjoint out new (cdr ins) (cdr doubts) (cons (car ins) done) body))))

    (define (follow out new in)
      (if (and (not (signal-constant? in))
               (early= (signal-buffer in) (signal-buffer out)))
          (signal-with-buffer in (signal-buffer new))
          in))))
