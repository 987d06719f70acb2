; what:       Reverse over reverse of a function that is not inlined, with a loop-carried number.
; cause:      Behind a call the second reverse sweep finds another iteration's number.
; symptom:    wrong
; cure:       inlining
; call:       x = 0.0, dx = [0.0], n = 2
; right:      dx = [2.0]
; because:    sin(sin(x)) x is x^2 + O(x^4)
; of:         g, reverse

define double @h(double %x, i64 %n) noinline {
entry:
  %cmp3 = icmp sgt i64 %n, 0
  br i1 %cmp3, label %for.body, label %for.cond.cleanup

for.cond.cleanup:
  %x.addr.0.lcssa = phi double [ %x, %entry ], [ %call, %for.body ]
  ret double %x.addr.0.lcssa

for.body:
  %i.05 = phi i64 [ %inc, %for.body ], [ 0, %entry ]
  %x.addr.04 = phi double [ %call, %for.body ], [ %x, %entry ]
  %call = tail call double @sin(double %x.addr.04)
  %inc = add nuw nsw i64 %i.05, 1
  %exitcond.not = icmp eq i64 %inc, %n
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body
}

declare double @sin(double )

define double @f(double %x, i64 %n) {
entry:
  %call = tail call double @h(double %x, i64 %n)
  %mul = fmul double %x, %call
  ret double %mul
}

define double @g(double %x, i64 %n) {
entry:
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %x, i64 %n)
  ret double %call
}

declare double @__enzyme_autodiff(ptr, ...)

define void @derivative(double %x, ptr initializes((0, 8)) %dx, i64 %n) {
entry:
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @g, double %x, i64 %n)
  store double %call, ptr %dx, align 8
  ret void
}
