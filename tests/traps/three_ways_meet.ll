; what:       A branch in an arm of a branch: at one merge three paths meet, at another two. The reverse
;   sweep goes back by the wrong one.
; cause:      To find the path that the primal took, the pass repeats the conditions of the branches in
;   front, also one that was never asked, since its arm did not run.
; symptom:    wrong
; cure:       passes/control_flow/two_way_merges.py
; call:       x = [2.0, 3.0], dx = [0.0, 0.0], n = 1, m = 2
; right:      dx = [0.0, 1.0]
; because:    with n < 4 and x0 > 0 the result is x1
; of:         f, reverse

define double @f(ptr %x, i64 %n, i64 %m) {
entry:
  %large = icmp sgt i64 %n, 3
  br i1 %large, label %exit, label %second

second:
  %x0 = load double, ptr %x
  %positive = fcmp ogt double %x0, 0.0
  br i1 %positive, label %one, label %loop

loop:
  %i = phi i64 [ %next, %loop ], [ 0, %second ]
  %sum = phi double [ %sum.next, %loop ], [ 0.0, %second ]
  %at = getelementptr double, ptr %x, i64 %i
  %item = load double, ptr %at
  %sum.next = fadd double %sum, %item
  %next = add nuw nsw i64 %i, 1
  %again = icmp ult i64 %next, %m
  br i1 %again, label %loop, label %third

third:
  %above = fcmp ogt double %sum.next, 2.0
  br i1 %above, label %one, label %other

one:
  %at.1 = getelementptr double, ptr %x, i64 1
  %x1 = load double, ptr %at.1
  br label %exit

other:
  %at.2 = getelementptr double, ptr %x, i64 1
  %x2 = load double, ptr %at.2
  %twice = fmul double %x2, 2.0
  br label %exit

exit:
  %result = phi double [ %x1, %one ], [ %twice, %other ], [ 0.0, %entry ]
  ret double %result
}

define void @derivative(ptr %x, ptr %dx, i64 %n, i64 %m) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, i64 %n, i64 %m)
  ret void
}

declare void @__enzyme_autodiff(ptr, ...)
