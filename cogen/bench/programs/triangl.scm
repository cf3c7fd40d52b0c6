; Peg solitaire on a triangle of fifteen holes: how many ways there are to leave one peg.
; smaller: (run 4) gives 118

(import (scheme base) (scheme write))

; Moves: from, over, to.
(define moves
  '#(#(0 1 3) #(0 2 5) #(1 3 6) #(1 4 8) #(2 4 7) #(2 5 9) #(3 1 0) #(3 4 5) #(3 6 10) #(3 7 12)
     #(4 7 11) #(4 8 13) #(5 2 0) #(5 4 3) #(5 8 12) #(5 9 14) #(6 3 1) #(6 7 8) #(7 4 2) #(7 8 9)
     #(8 4 1) #(8 7 6) #(9 5 2) #(9 8 7) #(10 6 3) #(10 11 12) #(11 7 4) #(11 12 13) #(12 7 3)
     #(12 8 5) #(12 11 10) #(12 13 14) #(13 8 4) #(13 12 11) #(14 9 5) #(14 13 12)))

(define board (make-vector 15 1))

(define found 0)

(define (try depth last)
  (if (= depth last)
      (set! found (+ found 1))
      (do ((i 0 (+ i 1))) ((= i 36))
        (let* ((move (vector-ref moves i))
               (from (vector-ref move 0))
               (over (vector-ref move 1))
               (to (vector-ref move 2)))
          (if (and (= 1 (vector-ref board from))
                   (= 1 (vector-ref board over))
                   (= 0 (vector-ref board to)))
              (begin
                (vector-set! board from 0)
                (vector-set! board over 0)
                (vector-set! board to 1)
                (try (+ depth 1) last)
                (vector-set! board from 1)
                (vector-set! board over 1)
                (vector-set! board to 0)))))))

(define (run last)
  (vector-fill! board 1)
  (vector-set! board 4 0)
  (set! found 0)
  (try 0 last)
  found)

(write (run 13))
