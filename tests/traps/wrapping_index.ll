; what:       A loop reads at an index that may wrap around, `x[i - 1]`, and another loop writes; neither
;   is in front of the other on all paths.
; cause:      To see whether what was read is overwritten the pass subtracts the two addresses as
;   recurrences of their loops, of which neither dominates the other: an assertion of LLVM's.
; symptom:    the pass crashes
; cure:       passes/control_flow/hidden_indices.py
; call:       x = [2.0, 3.0], dx = [1.0, 1.0], n = 2, k = 2
; right:      dx = [4.0, 6.0]
; because:    the result is x1^2 + x0^2, and x is overwritten
; of:         f, reverse

@enzyme_dup = external global i32, align 4

define double @f(ptr %x, i64 %n, i64 %k) {
entry:
  %cmp = icmp sgt i64 %n, 0
  br i1 %cmp, label %for.body, label %if.end

for.body:
  %s.112 = phi double [ %1, %for.body ], [ 0.000000e+00, %entry ]
  %i.011 = phi i64 [ %inc, %for.body ], [ 0, %entry ]
  %cmp2 = icmp eq i64 %i.011, 0
  %cond = select i1 %cmp2, i64 %k, i64 0
  %add.ptr = getelementptr double, ptr %x, i64 %i.011
  %add.ptr3 = getelementptr i8, ptr %add.ptr, i64 -8
  %arrayidx = getelementptr double, ptr %add.ptr3, i64 %cond
  %0 = load double, ptr %arrayidx, align 8
  %1 = tail call double @llvm.fmuladd.f64(double %0, double %0, double %s.112)
  %inc = add nuw nsw i64 %i.011, 1
  %exitcond.not = icmp eq i64 %inc, %n
  br i1 %exitcond.not, label %if.end, label %for.body

if.end:
  %s.0 = phi double [ 0.000000e+00, %entry ], [ %1, %for.body ]
  %smax = tail call i64 @llvm.smax.i64(i64 %k, i64 1)
  br label %do.body

do.body:
  %j.0 = phi i64 [ 0, %if.end ], [ %inc5, %do.body ]
  %arrayidx4 = getelementptr inbounds nuw double, ptr %x, i64 %j.0
  store double 0.000000e+00, ptr %arrayidx4, align 8
  %inc5 = add nuw nsw i64 %j.0, 1
  %exitcond13.not = icmp eq i64 %inc5, %smax
  br i1 %exitcond13.not, label %do.end, label %do.body

do.end:
  ret double %s.0
}

declare double @llvm.fmuladd.f64(double, double, double)

define void @derivative(ptr %x, ptr %dx, i64 %n, i64 %k) {
entry:
  %0 = load i32, ptr @enzyme_dup, align 4
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, i32 %0, ptr %x, ptr %dx, i64 %n, i64 %k)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)

declare i64 @llvm.smax.i64(i64, i64)
