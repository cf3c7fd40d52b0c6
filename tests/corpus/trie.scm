;;; Words are looked up in a trie, which is built from a list of words and numbers first.  The text
;;; is a list of characters; the result is the list of the numbers of the words in it, the longest
;;; first at each place; other characters are skipped.
;;;
;;;     trie ::= (number-or-#f (character . trie) ...)

(define (run words text)
  (let ((trie (build words '(#f))))
    (let next ((text text) (found '()))
      (if (null? text)
          (reverse found)
          (longest trie text #f text
                   (lambda (number rest)
                     (if number
                         (next rest (cons number found))
                         (next (cdr text) found))))))))

(define (build words trie)
  (if (null? words)
      trie
      (build (cdr words) (insert (string->list (caar words)) (cadar words) trie))))

(define (insert characters number trie)
  (if (null? characters)
      (cons number (cdr trie))
      (let ((arm (assv (car characters) (cdr trie))))
        (if arm
            (cons (car trie)
                  (map (lambda (a)
                         (if (eq? a arm)
                             (cons (car a) (insert (cdr characters) number (cdr a)))
                             a))
                       (cdr trie)))
            (cons (car trie)
                  (cons (cons (car characters) (insert (cdr characters) number '(#f)))
                        (cdr trie)))))))

;; The number of the longest word at the start of the text, and what follows it.
(define (longest trie text best after k)
  (let ((best (or (car trie) best))
        (after (if (car trie) text after)))
    (if (null? text)
        (k best after)
        (let ((c (car text)))
          (let try ((arms (cdr trie)))
            (cond ((null? arms) (k best after))
                  ((char=? (caar arms) c) (longest (cdar arms) (cdr text) best after k))
                  (else (try (cdr arms)))))))))
