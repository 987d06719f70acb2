; what:       A running quotient that every iteration uses: `q = q / x[i]; t += q`. Only the last use
;   counts.
; cause:      As of running_maximum: the adjoint of the last value is divided by the product of all
;   items.
; symptom:    wrong
; cure:       passes/values/loop_carried_choices.py
; call:       x = [2.0, 4.0], dx = [0.0, 0.0], n = 2
; right:      dx = [-0.3125, -0.03125]
; because:    the result is 1 / x0 + 1 / (x0 x1), its slopes are -1 / x0^2 - 1 / (x0^2 x1) and -1 / (x0
;   x1^2)
; of:         f, reverse

define double @f(ptr %x, i64 %n) {
entry:
  %cmp5 = icmp sgt i64 %n, 0
  br i1 %cmp5, label %for.body, label %for.cond.cleanup

for.cond.cleanup:
  %t.0.lcssa = phi double [ 0.000000e+00, %entry ], [ %add, %for.body ]
  ret double %t.0.lcssa

for.body:
  %i.08 = phi i64 [ %inc, %for.body ], [ 0, %entry ]
  %t.07 = phi double [ %add, %for.body ], [ 0.000000e+00, %entry ]
  %q.06 = phi double [ %div, %for.body ], [ 1.000000e+00, %entry ]
  %arrayidx = getelementptr inbounds nuw double, ptr %x, i64 %i.08
  %0 = load double, ptr %arrayidx, align 8
  %div = fdiv double %q.06, %0
  %add = fadd double %t.07, %div
  %inc = add nuw nsw i64 %i.08, 1
  %exitcond.not = icmp eq i64 %inc, %n
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body
}

define void @derivative(ptr %x, ptr %dx, i64 %n) {
entry:
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
