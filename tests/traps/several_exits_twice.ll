; what:       Reverse over reverse of a loop with two exits.
; cause:      The inner reverse sweep has two entries into its loop. Here the pass crashes; on larger
;   loops it also gives wrong numbers, or code that never ends.
; symptom:    the pass crashes
; cure:       passes/control_flow/single_exits.py, passes/checks/nested_exits.py
; call:       x = [2.0, 3.0, 4.0], dx = [0.0, 0.0, 0.0], y = [0.0, 0.0, 0.0], dy = [1.0, 1.0, 1.0], n = 3
; right:      dx = [12.0, 18.0, 0.0]
; because:    y is 3 x^2 for the first two
; of:         g, reverse

@enzyme_dup = external global i32, align 4

define double @f(ptr %x, i64 %n) {
entry:
  %cmp10 = icmp sgt i64 %n, 0
  br i1 %cmp10, label %for.body, label %cleanup

for.body:
  %i.012 = phi i64 [ %inc, %if.end ], [ 0, %entry ]
  %s.011 = phi double [ %1, %if.end ], [ 0.000000e+00, %entry ]
  %arrayidx = getelementptr inbounds nuw double, ptr %x, i64 %i.012
  %0 = load double, ptr %arrayidx, align 8
  %cmp1 = fcmp ogt double %0, 3.500000e+00
  br i1 %cmp1, label %cleanup, label %if.end

if.end:
  %mul = fmul double %0, %0
  %1 = tail call double @llvm.fmuladd.f64(double %mul, double %0, double %s.011)
  %inc = add nuw nsw i64 %i.012, 1
  %exitcond.not = icmp eq i64 %inc, %n
  br i1 %exitcond.not, label %cleanup, label %for.body

cleanup:
  %s.0.lcssa = phi double [ 0.000000e+00, %entry ], [ %s.011, %for.body ], [ %1, %if.end ]
  ret double %s.0.lcssa
}

declare double @llvm.fmuladd.f64(double, double, double)

define void @g(ptr %x, ptr %y, i64 %n) {
entry:
  %0 = load i32, ptr @enzyme_dup, align 4
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, i32 %0, ptr %x, ptr %y, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)

define void @derivative(ptr %x, ptr %dx, ptr %y, ptr %dy, i64 %n) {
entry:
  %0 = load i32, ptr @enzyme_dup, align 4
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @g, i32 %0, ptr %x, ptr %dx, i32 %0, ptr %y, ptr %dy, i64 %n)
  ret void
}
