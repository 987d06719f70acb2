; what:       Active numbers are written to memory that is given as constant, and read back: a gradient
;   of zero.
; cause:      The pass takes memory without a shadow at its word. By design; the package warns.
; symptom:    wrong
; cure:       lost_writes.py
; call:       x = [3.0], dx = [0.0], w = [0.0], n = 1
; right:      dx = [6.0]
; because:    the result is x^2
; of:         f, reverse

@enzyme_dup = external global i32, align 4
@enzyme_const = external global i32, align 4

define double @f(ptr %x, ptr %w, i64 %n) {
entry:
  %cmp7 = icmp sgt i64 %n, 0
  br i1 %cmp7, label %for.body, label %for.cond.cleanup

for.cond.cleanup:
  %0 = load double, ptr %w, align 8
  ret double %0

for.body:
  %i.08 = phi i64 [ %inc, %for.body ], [ 0, %entry ]
  %arrayidx = getelementptr inbounds nuw double, ptr %x, i64 %i.08
  %1 = load double, ptr %arrayidx, align 8
  %mul = fmul double %1, %1
  %arrayidx2 = getelementptr inbounds nuw double, ptr %w, i64 %i.08
  store double %mul, ptr %arrayidx2, align 8
  %inc = add nuw nsw i64 %i.08, 1
  %exitcond.not = icmp eq i64 %inc, %n
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body
}

define void @derivative(ptr %x, ptr %dx, ptr %w, i64 %n) {
entry:
  %0 = load i32, ptr @enzyme_dup, align 4
  %1 = load i32, ptr @enzyme_const, align 4
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, i32 %0, ptr %x, ptr %dx, i32 %1, ptr %w, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
