; what:       A float that an inner loop leaves to the next iteration of the outer one is read elsewhere,
;   or out of bounds.
; cause:      The adjoint needs it as the iteration before left it. The pass computes it again, from the
;   last iteration of the inner loop, but asks at the iteration at hand how often that ran.
; symptom:    wrong
; cure:       passes/values/live_out_floats.py, passes/values/live_out_integers.py
; call:       s = 2.0, ds = [0.0], c = [3.0, 5.0, 7.0], v = [0, 0, 0], n = 3
; right:      ds = [48.0]
; because:    the inner loop leaves c2 s, then c1 s: the result is 7 s^2 + 5 s^2
; of:         f, reverse

@enzyme_const = external global i32, align 4

define double @f(double %s, ptr noalias %c, ptr noalias %v, i64 %n) {
entry:
  %cmp11 = icmp sgt i64 %n, 0
  br i1 %cmp11, label %for.body, label %for.cond.cleanup

for.cond.cleanup:
  %t.0.lcssa = phi double [ 0.000000e+00, %entry ], [ %0, %for.cond.cleanup3 ]
  ret double %t.0.lcssa

for.body:
  %i.014 = phi i64 [ %inc7, %for.cond.cleanup3 ], [ 0, %entry ]
  %q.013 = phi double [ %mul.le, %for.cond.cleanup3 ], [ 0.000000e+00, %entry ]
  %t.012 = phi double [ %0, %for.cond.cleanup3 ], [ 0.000000e+00, %entry ]
  br label %for.body4

for.cond.cleanup3:
  %0 = tail call double @llvm.fmuladd.f64(double %q.013, double %s, double %t.012)
  %sub.le = sub nuw nsw i64 %j.010, %i.014
  %arrayidx5.le = getelementptr inbounds nuw double, ptr %c, i64 %sub.le
  %1 = load double, ptr %arrayidx5.le, align 8
  %mul.le = fmul double %s, %1
  %inc7 = add nuw nsw i64 %i.014, 1
  %exitcond15.not = icmp eq i64 %inc7, %n
  br i1 %exitcond15.not, label %for.cond.cleanup, label %for.body

for.body4:
  %j.010 = phi i64 [ %i.014, %for.body ], [ %inc, %for.body4 ]
  %arrayidx = getelementptr inbounds nuw i64, ptr %v, i64 %j.010
  %2 = load i64, ptr %arrayidx, align 8
  %add = add nsw i64 %2, 1
  store i64 %add, ptr %arrayidx, align 8
  %inc = add nuw nsw i64 %j.010, 1
  %exitcond.not = icmp eq i64 %inc, %n
  br i1 %exitcond.not, label %for.cond.cleanup3, label %for.body4
}

declare double @llvm.fmuladd.f64(double, double, double)

define void @derivative(double %s, ptr initializes((0, 8)) %ds, ptr %c, ptr %v, i64 %n) {
entry:
  %0 = load i32, ptr @enzyme_const, align 4
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %s, i32 %0, ptr %c, i32 %0, ptr %v, i64 %n)
  store double %call, ptr %ds, align 8
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
