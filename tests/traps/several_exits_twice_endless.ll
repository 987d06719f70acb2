; what:       As several_exits_twice, where what the loop carries decides on the exit: the derivative
;   never ends.
; cause:      As of several_exits_twice.
; symptom:    the derivative hangs
; cure:       passes/control_flow/single_exits.py, passes/checks/nested_exits.py
; call:       x = [2.0, 3.0], dx = [0.0, 0.0], y = [0.0, 0.0], dy = [1.0, 0.0], n = 2
; right:      dx = [0.0, 1.0]
; because:    the result is x0 + x0 x1 + x1, so y0 is 1 + x1
; of:         g, reverse

@enzyme_dup = external global i32, align 4

define double @f(ptr %x, i64 %n) {
entry:
  %cmp.not11 = icmp sgt i64 %n, 0
  br i1 %cmp.not11, label %for.body, label %cleanup

for.cond:
  %inc = add nuw nsw i64 %i.013, 1
  %exitcond.not = icmp eq i64 %inc, %n
  br i1 %exitcond.not, label %cleanup, label %for.body

for.body:
  %i.013 = phi i64 [ %inc, %for.cond ], [ 0, %entry ]
  %s.012 = phi double [ %add, %for.cond ], [ 0.000000e+00, %entry ]
  %arrayidx = getelementptr inbounds nuw double, ptr %x, i64 %i.013
  %0 = load double, ptr %arrayidx, align 8
  %1 = tail call double @llvm.fmuladd.f64(double %0, double %s.012, double %0)
  %add = fadd double %s.012, %1
  %cmp2 = fcmp ogt double %add, 1.200000e+01
  br i1 %cmp2, label %if.then, label %for.cond

if.then:
  %mul = fmul double %add, %add
  br label %cleanup

cleanup:
  %retval.1 = phi double [ %mul, %if.then ], [ 0.000000e+00, %entry ], [ %add, %for.cond ]
  ret double %retval.1
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
