; what:       A search through rows, in which some rows are looked at by a loop of their own, until one is found: nothing that is
;   differentiated, in front of `x * x`. The first row is not looked at.
; cause:      Of a loop without a known number of iterations in which nothing is active the sweep goes through the first iteration only,
;   and frees there what the inner loop has cached: by an address that this iteration has not stored.
; symptom:    the derivative crashes
; cure:       passes/control_flow/searching_loops.py
; call:       x = 3.0, words = [5, 7, 7], key = 7
; right:      result = 6.0
; because:    the result is x squared, whatever is found

define double @f(double %x, ptr %words, i64 %key) {
entry:
  br label %row

row:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %i.next = add nuw nsw i64 %i, 1
  %word.i = getelementptr inbounds i64, ptr %words, i64 %i
  %word = load i64, ptr %word.i, align 8
  %looked = icmp eq i64 %word, %key
  br i1 %looked, label %letters, label %latch

letters:
  %j = phi i64 [ %i, %row ], [ %j.next, %letter.latch ]
  %letter.j = getelementptr inbounds i64, ptr %words, i64 %j
  %letter = load i64, ptr %letter.j, align 8
  %last = icmp sgt i64 %j, 1
  br i1 %last, label %letter.latch, label %step

step:
  %step.size = load i64, ptr %words, align 8
  br label %letter.latch

letter.latch:
  %size = phi i64 [ %step.size, %step ], [ 1, %letters ]
  %j.half = sdiv i64 %size, 4
  %j.next = add i64 %j, %j.half
  %go = icmp eq i64 %letter, %size
  br i1 %go, label %letters, label %done

done:
  %found = icmp eq i64 %j, %i
  br i1 %found, label %out, label %latch

latch:
  br label %row

out:
  store i64 %i, ptr %words, align 8
  %squared = fmul double %x, %x
  ret double %squared
}

define double @derivative(double %x, ptr %words, i64 %key) {
entry:
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %x, metadata !"enzyme_const", ptr %words, i64 %key)
  ret double %call
}

declare double @__enzyme_autodiff(ptr, ...)
