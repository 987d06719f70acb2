; what:       LLVM takes the first iterations out of an inner loop; what is left has n - 3 iterations,
;   and room for less than none is asked for.
; cause:      As of empty_loop.
; symptom:    the derivative crashes
; cure:       --unroll-peel-max-count=0
; without:    --unroll-peel-max-count
; call:       x = [2.0], dx = [0.0], m = 1, n = 1
; right:      dx = [4.0]
; because:    for m = n = 1 the result is x^2
; of:         f, reverse

define double @f(ptr %x, i64 %m, i64 %n) {
entry:
  %n.fr = freeze i64 %n
  %cmp12 = icmp sgt i64 %m, 0
  br i1 %cmp12, label %for.body.lr.ph, label %for.cond.cleanup

for.body.lr.ph:
  %0 = load double, ptr %x, align 8
  %cmp29 = icmp slt i64 %n.fr, 1
  %q.1.peel = fmul double %0, %0
  %q.1.peel23 = fmul double %q.1.peel, %q.1.peel
  %q.1.peel33 = fmul double %q.1.peel23, %q.1.peel23
  %brmerge = icmp slt i64 %n.fr, 2
  %.mux = select i1 %cmp29, double %0, double %q.1.peel
  %brmerge38 = icmp slt i64 %n.fr, 3
  %.mux.mux = select i1 %brmerge, double %.mux, double %q.1.peel23
  %.mux.mux.mux = select i1 %brmerge38, double %.mux.mux, double %q.1.peel33
  %or.cond = icmp slt i64 %n.fr, 4
  br label %for.body

for.cond.cleanup:
  %s.0.lcssa = phi double [ 0.000000e+00, %entry ], [ %add, %for.cond.cleanup3 ]
  ret double %s.0.lcssa

for.body:
  %t.014 = phi i64 [ 0, %for.body.lr.ph ], [ %inc8, %for.cond.cleanup3 ]
  %s.013 = phi double [ 0.000000e+00, %for.body.lr.ph ], [ %add, %for.cond.cleanup3 ]
  br i1 %or.cond, label %for.cond.cleanup3, label %for.inc

for.cond.cleanup3:
  %q.0.lcssa = phi double [ %.mux.mux.mux, %for.body ], [ %q.1, %for.inc ]
  %add = fadd double %s.013, %q.0.lcssa
  %inc8 = add nuw nsw i64 %t.014, 1
  %exitcond37.not = icmp eq i64 %inc8, %m
  br i1 %exitcond37.not, label %for.cond.cleanup, label %for.body

for.inc:
  %i.011 = phi i64 [ %inc, %for.inc ], [ 3, %for.body ]
  %q.010 = phi double [ %q.1, %for.inc ], [ %q.1.peel33, %for.body ]
  %call = tail call double @sin(double %q.010)
  %q.1 = fmul double %q.010, %call
  %inc = add nuw nsw i64 %i.011, 1
  %exitcond.not = icmp eq i64 %inc, %n.fr
  br i1 %exitcond.not, label %for.cond.cleanup3, label %for.inc
}

declare double @sin(double )

define void @derivative(ptr %x, ptr %dx, i64 %m, i64 %n) {
entry:
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, i64 %m, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
