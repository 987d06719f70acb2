; what:       What an iteration reads from its own new array for the next one (`q = w[0]`) is read from
;   the wrong iteration's array.
; cause:      The pass makes the array again for the reverse sweep and reads it there: it is that of the
;   iteration at hand, not of the one before.
; symptom:    wrong
; cure:       passes/memory/loop_carried_loads.py
; call:       x = [2.0, 3.0], dx = [0.0, 0.0], m = 2, n = 2
; right:      dx = [12.0, 5.0]
; because:    w = x, then w = x x0: the result is x1 + x1 x0^2
; of:         f, reverse

@enzyme_dup = external global i32, align 4

define double @f(ptr noalias %x, i64 %m, i64 %n) {
entry:
  %cmp12 = icmp sgt i64 %n, 0
  br i1 %cmp12, label %for.body.lr.ph, label %for.cond.cleanup

for.body.lr.ph:
  %cmp210 = icmp sgt i64 %m, 0
  br label %for.body

for.cond.cleanup:
  %r.0.lcssa = phi double [ 0.000000e+00, %entry ], [ %1, %for.cond.cleanup3 ]
  ret double %r.0.lcssa

for.body:
  %q.015 = phi double [ 1.000000e+00, %for.body.lr.ph ], [ %2, %for.cond.cleanup3 ]
  %t.014 = phi i64 [ 0, %for.body.lr.ph ], [ %inc10, %for.cond.cleanup3 ]
  %r.013 = phi double [ 0.000000e+00, %for.body.lr.ph ], [ %1, %for.cond.cleanup3 ]
  %call = tail call ptr @calloc(i64 %m, i64 8)
  br i1 %cmp210, label %for.body4, label %for.cond.cleanup3

for.cond.cleanup3:
  %arrayidx6 = getelementptr inbounds nuw i8, ptr %call, i64 8
  %0 = load double, ptr %arrayidx6, align 8
  %1 = tail call double @llvm.fmuladd.f64(double %0, double %q.015, double %r.013)
  %2 = load double, ptr %call, align 8
  %inc10 = add nuw nsw i64 %t.014, 1
  %exitcond16.not = icmp eq i64 %inc10, %n
  br i1 %exitcond16.not, label %for.cond.cleanup, label %for.body

for.body4:
  %i.011 = phi i64 [ %inc, %for.body4 ], [ 0, %for.body ]
  %arrayidx = getelementptr inbounds nuw double, ptr %x, i64 %i.011
  %3 = load double, ptr %arrayidx, align 8
  %mul = fmul double %q.015, %3
  %arrayidx5 = getelementptr inbounds nuw double, ptr %call, i64 %i.011
  store double %mul, ptr %arrayidx5, align 8
  %inc = add nuw nsw i64 %i.011, 1
  %exitcond.not = icmp eq i64 %inc, %m
  br i1 %exitcond.not, label %for.cond.cleanup3, label %for.body4
}

declare noalias ptr @calloc(i64, i64 )

declare double @llvm.fmuladd.f64(double, double, double)

define void @derivative(ptr %x, ptr %dx, i64 %m, i64 %n) {
entry:
  %0 = load i32, ptr @enzyme_dup, align 4
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, i32 %0, ptr %x, ptr %dx, i64 %m, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
