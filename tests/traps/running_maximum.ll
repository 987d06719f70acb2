; what:       A running maximum that every iteration uses: `q = max(q, x[i]); t += q * q`. Only the last
;   use counts.
; cause:      For a loop-carried number that a select chooses the pass hands the adjoint of the last
;   value to the item that was chosen last, as if no iteration used it.
; symptom:    wrong
; cure:       passes/values/loop_carried_choices.py
; call:       x = [1.0, 3.0, 2.0], dx = [0.0, 0.0, 0.0], n = 3
; right:      dx = [2.0, 12.0, 0.0]
; because:    the result is x0^2 + x1^2 + x1^2
; of:         f, reverse

define double @f(ptr %x, i64 %n) {
entry:
  %cmp8 = icmp sgt i64 %n, 0
  br i1 %cmp8, label %for.body, label %for.cond.cleanup

for.cond.cleanup:
  %t.0.lcssa = phi double [ 0.000000e+00, %entry ], [ %1, %for.body ]
  ret double %t.0.lcssa

for.body:
  %q.011 = phi double [ %cond, %for.body ], [ 0.000000e+00, %entry ]
  %i.010 = phi i64 [ %inc, %for.body ], [ 0, %entry ]
  %t.09 = phi double [ %1, %for.body ], [ 0.000000e+00, %entry ]
  %arrayidx = getelementptr inbounds nuw double, ptr %x, i64 %i.010
  %0 = load double, ptr %arrayidx, align 8
  %cmp1 = fcmp ogt double %0, %q.011
  %cond = select i1 %cmp1, double %0, double %q.011
  %1 = tail call double @llvm.fmuladd.f64(double %cond, double %cond, double %t.09)
  %inc = add nuw nsw i64 %i.010, 1
  %exitcond.not = icmp eq i64 %inc, %n
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body
}

declare double @llvm.fmuladd.f64(double, double, double)

define void @derivative(ptr %x, ptr %dx, i64 %n) {
entry:
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
