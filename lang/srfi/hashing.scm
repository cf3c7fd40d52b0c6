;;; What hash tables and comparators share: hash functions, and what a comparator is.

(define-library (srfi hashing)
  (export
   hash string-hash string-ci-hash hash-by-identity
   boolean-hash char-hash char-ci-hash symbol-hash number-hash default-hash
   %identity-hash %number-hash
   comparator? %comparator comparator-type-test-predicate comparator-equality-predicate
   comparator-ordering-predicate comparator-hash-function
   comparator-ordered? comparator-hashable?)
  (begin

    ;; Hash functions take a bound optionally; the hash is then less than that.

    (define (%bounded name h bound)
      (if (null? bound)
          h
          (let ((bound (%optional name bound 1)))
            (if (and (exact-integer? bound) (> bound 0))
                (remainder h bound)
                (error (string-append name ": expected a positive bound, got") bound)))))

    ;; A number for x that is the same for what is `equal?`, below the bound if one is given.
    (define (hash x . bound) (%bounded "hash" (equal-hash x) bound))

    ;; A number for x that is the same for what is `equal?`, below the bound if one is given.
    (define (default-hash x . bound) (%bounded "default-hash" (equal-hash x) bound))

    ;; Of objects that can change, what can be changed does not count; so those of a kind are alike.
    (define (%identity-hash x)
      (cond ((pair? x) 1)
            ((vector? x) 2)
            ((bytevector? x) 3)
            (else (equal-hash x))))

    ;; A number for x that is the same for what is `eq?`.
    (define (hash-by-identity x . bound)
      (%bounded "hash-by-identity" (%identity-hash x) bound))

    (define (%expected name what x)
      (error (string-append name ": expected " what ", got") x))

    ;; Of the part of a string, as SRFI 13 has it, or of all of it.
    (define (string-hash s . bound+range)
      (if (not (string? s)) (%expected "string-hash" "a string" s))
      (if (or (null? bound+range) (null? (cdr bound+range)))
          (%bounded "string-hash" (equal-hash s) bound+range)
          (%bounded "string-hash" (equal-hash (apply substring s (%range-of s (cdr bound+range))))
                    (if (eqv? (car bound+range) 0) '() (list (car bound+range))))))

    (define (%range-of s range)
      (if (null? (cdr range)) (list (car range) (string-length s)) range))

    ;; A number for a string, without regard to case.
    (define (string-ci-hash s . bound)
      (if (not (string? s)) (%expected "string-ci-hash" "a string" s))
      (%bounded "string-ci-hash" (equal-hash (string-foldcase s)) bound))

    ;; A number for a boolean.
    (define (boolean-hash x . bound)
      (if (not (boolean? x)) (%expected "boolean-hash" "a boolean" x))
      (%bounded "boolean-hash" (equal-hash x) bound))

    ;; A number for a character.
    (define (char-hash x . bound)
      (if (not (char? x)) (%expected "char-hash" "a character" x))
      (%bounded "char-hash" (equal-hash x) bound))

    ;; A number for a character, without regard to case.
    (define (char-ci-hash x . bound)
      (if (not (char? x)) (%expected "char-ci-hash" "a character" x))
      (%bounded "char-ci-hash" (equal-hash (char-foldcase x)) bound))

    ;; A number for a symbol.
    (define (symbol-hash x . bound)
      (if (not (symbol? x)) (%expected "symbol-hash" "a symbol" x))
      (%bounded "symbol-hash" (equal-hash x) bound))

    ;; The same for numbers that are `=`.
    (define (%number-hash x)
      (let ((x (inexact x)))
        (equal-hash (if (= x 0.0) 0.0 x))))

    ;; A number for a number.
    (define (number-hash x . bound)
      (if (not (number? x)) (%expected "number-hash" "a number" x))
      (%bounded "number-hash" (%number-hash x) bound))

    ;; Comparators, as in SRFI 128

    (define-record-type comparator
      (%comparator test same? less? hash ordered hashable)
      comparator?
      (test comparator-type-test-predicate)
      (same? comparator-equality-predicate)
      (less? comparator-ordering-predicate)
      (hash comparator-hash-function)
      (ordered comparator-ordered?)
      (hashable comparator-hashable?))))
