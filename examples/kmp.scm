;;; A naive string matcher; with the pattern known, the matcher of Knuth, Morris and Pratt.
;;;
;;;     cogen specialize kmp.scm --entry search '(static "abaabab")' _
;;;
;;; After a mismatch the naive matcher starts again one character further on.  What it reads
;;; again it has read before and found equal to the pattern, so it can look there: the pattern is
;;; known, the text is not.  In the residual program all of this has been done; it reads each
;;; character of the text once and never goes back.  (Consel and Danvy, "Partial evaluation of
;;; pattern matching in strings", 1989.)

;; The index of the first occurrence of `pattern` in `text`, or -1.
(define (search pattern text)
  (match pattern 0 text 0 (string-length text)))

;; The j characters of `text` before `i` are the first j of the pattern.
(define (match pattern j text i end)
  (cond ((= j (string-length pattern)) (- i j))
        ((= i end) -1)
        (else (compare pattern j text i end (string-ref text i)))))

;; `c` is the character of `text` at `i`.
(define (compare pattern j text i end c)
  (if (char=? c (string-ref pattern j))
      (match pattern (+ j 1) text (+ i 1) end)
      (retry pattern j 1 text i end c)))

;; `c` is not the pattern's character j: try the pattern `shift` characters further on.
(define (retry pattern j shift text i end c)
  (cond ((> shift j) (match pattern 0 text (+ i 1) end))
        ((possible? pattern j shift) (compare pattern (- j shift) text i end c))
        (else (retry pattern j (+ shift 1) text i end c))))

;; Can the pattern, shifted, match a text that had its first j characters and then another one?
(define (possible? pattern j shift)
  (and (not (char=? (string-ref pattern (- j shift)) (string-ref pattern j)))
       (let same ((k shift))
         (or (= k j)
             (and (char=? (string-ref pattern k) (string-ref pattern (- k shift)))
                  (same (+ k 1)))))))
