;;; Base 64 (RFC 4648, section 4): three bytes as four letters.
;;;
;;; Six bits of the bytes are a sample in big-endian order, so encoding is a map over samples.
;;; Whole words are moved in each round, then single groups, then what is left.

(define-library (signals base64)
  (export base64-encode! base64-decode! base64-length)
  (import (scheme base) (signals signal) (signals layouts) (signals access) (signals loops))
  (begin

    ;; The number of letters for `n` bytes.
    (define (base64-length n)
      (* 4 (quotient (+ n 2) 3)))

    ;; Put the letters for the bytes of `in`, with = at the end where their number is no multiple
    ;; of 3; the value is the number of letters.  `in` has samples of 8 bits without gaps, `out`
    ;; has samples of at least 8 bits, and may be longer than needed.
    (define (base64-encode! in out)
      (check-bytes "base64-encode!" in)
      (let* ((n (signal-length in))
             (letters (base64-length n)))
        (check "base64-encode!" (<= letters (signal-length out)) "the output is too short")
        (move-groups in out 3 4 (quotient n 3)
                     encode-groups!
                     (lambda (in out) (encode-rest! in out (remainder n 3))))
        letters))

    (define (check-bytes who s)
      (check who (and (= (signal-size s) 8) (= (signal-stride s) 8))
             "the input must have samples of 8 bits without gaps"))

    ;; (move! in out k) for k groups at a time, `groups` in all, and (finish in out) for what
    ;; follows.  A group has `taken` samples of `in` and gives `given` of `out`.  A round moves as
    ;; many groups as a word has bytes, so that its words are whole ones.
    (define (move-groups in out taken given groups move! finish)
      (let ((round (quotient (word-size) 8)))
        (let rounds ((in in) (out out) (left groups))
          (if (>= left round)
              (begin
                (move! in out round)
                (rounds (signal-drop in (* round taken)) (signal-drop out (* round given))
                        (- left round)))
              (let single ((in in) (out out) (left left))
                (if (> left 0)
                    (begin
                      (move! in out 1)
                      (single (signal-drop in taken) (signal-drop out given) (- left 1)))
                    (finish in out)))))))

    (define (encode-groups! in out groups)
      (let next ((in (sixths in)) (out out) (left (* 4 groups)))
        (if (> left 0)
            (begin
              (signal-put! out (letter (signal-get in)))
              (next (signal-next in) (signal-next out) (- left 1))))))

    ;; The bits of bytes, six at a time.
    (define (sixths bytes)
      (signal-with-skip (signal-with-order (packed-signal (signal-buffer bytes) (signal-from bytes)
                                                          (signal-to bytes) 6)
                                           'big)
                        (signal-skip bytes)))

    ;; A-Z a-z 0-9 + / by arithmetic, so that samples can be worked on together.
    (define (letter x)
      (+ x 65
         (* 6 (at-least x 26 6))
         (* -75 (at-least x 52 6))
         (* -15 (at-least x 62 6))
         (* 3 (at-least x 63 6))))

    ;; 1 if an x of so many bits is at least `level`, else 0: the carry of a sum.
    (define (at-least x level size)
      (arithmetic-shift (+ x (- (arithmetic-shift 1 size) level)) (- size)))

    (define pad 61)

    ;; The letters for the last one or two bytes.
    (define (encode-rest! in out bytes)
      (case bytes
        ((1) (let ((x (signal-get in)))
               (put-all! out (list (letter (arithmetic-shift x -2))
                                   (letter (arithmetic-shift (bitwise-and x 3) 4))
                                   pad pad))))
        ((2) (let ((x (signal-get in))
                   (y (signal-get (signal-next in))))
               (put-all! out (list (letter (arithmetic-shift x -2))
                                   (letter (+ (arithmetic-shift (bitwise-and x 3) 4)
                                              (arithmetic-shift y -4)))
                                   (letter (arithmetic-shift (bitwise-and y 15) 2))
                                   pad))))))

    (define (put-all! out xs)
      (if (pair? xs)
          (begin
            (signal-put! out (car xs))
            (put-all! (signal-next out) (cdr xs)))))

    ;; Put the bytes for the letters of `in`, whose number is a multiple of 4, with one or two = at
    ;; the end where the bytes are no multiple of 3; the value is the number of bytes.  `out` has
    ;; samples of 8 bits without gaps, and may be longer than needed.
    (define (base64-decode! in out)
      (check-bytes "base64-decode!" out)
      (let ((n (signal-length in)))
        (check "base64-decode!" (= (remainder n 4) 0)
               "the number of letters must be a multiple of 4")
        (if (= n 0)
            0
            (let* ((pads (pads-at-end in n))
                   (bytes (- (* 3 (quotient n 4)) pads)))
              (check "base64-decode!" (<= bytes (signal-length out)) "the output is too short")
              (check-letters (signal-drop-last in pads))
              (move-groups in out 4 3 (quotient (- n pads) 4)
                           decode-groups!
                           (lambda (in out) (decode-rest! in out (remainder (- 4 pads) 4))))
              bytes))))

    ;; How many of the last two letters are padding.
    (define (pads-at-end in n)
      (cond ((not (= (signal-ref in (- n 1)) pad)) 0)
            ((= (signal-ref in (- n 2)) pad) 2)
            (else 1)))

    (define (check-letters in)
      (check "base64-decode!"
             (= 0 (signal-fold (lambda (bad x) (bitwise-ior bad (- 1 (letter? x)))) 0 in))
             "the input has a character that is no letter of base 64"))

    ;; 1 if x is a letter, else 0
    (define (letter? x)
      (+ (between x 65 90) (between x 97 122) (between x 48 57) (between x 43 43)
         (between x 47 47)))

    ;; 1 if low <= x <= high, else 0
    (define (between x low high)
      (- (at-least x low 8) (at-least x (+ high 1) 8)))

    ;; The six bits that a letter stands for.
    (define (six-bits x)
      (+ x 19
         (* -3 (at-least x 47 8))
         (* -12 (at-least x 48 8))
         (* -69 (at-least x 65 8))
         (* -6 (at-least x 97 8))))

    (define (decode-groups! in out groups)
      (let next ((in in) (out (sixths out)) (left (* 4 groups)))
        (if (> left 0)
            (begin
              (signal-put! out (six-bits (signal-get in)))
              (next (signal-next in) (signal-next out) (- left 1))))))

    ;; The one or two bytes of the last two or three letters.
    (define (decode-rest! in out letters)
      (if (> letters 0)
          (let ((x (six-bits (signal-get in)))
                (y (six-bits (signal-get (signal-next in)))))
            (signal-put! out (+ (* 4 x) (arithmetic-shift y -4)))
            (if (= letters 3)
                (let ((z (six-bits (signal-ref in 2))))
                  (signal-put! (signal-next out)
                               (+ (* 16 (bitwise-and y 15)) (arithmetic-shift z -2))))))))))
