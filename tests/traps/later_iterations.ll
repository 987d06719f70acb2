; what:       A loop reads an element that its next iteration overwrites, `u[i] = u[i] * u[i + 1]`; the
;   reverse sweep reads the new number.
; cause:      Whether what was read is overwritten the pass asks LLVM's alias analysis, which compares
;   the two addresses within one iteration.
; symptom:    wrong
; cure:       passes/memory/overwriting/later_iterations.py
; call:       u = [2.0, 3.0, 5.0], du = [1.0, 1.0, 1.0], n = 2
; right:      du = [3.0, 7.0, 4.0]
; because:    the sum of u afterwards is u0 u1 + u1 u2 + u2
; of:         f, reverse

define void @f(ptr %u, i64 %n) {
entry:
  %cmp7 = icmp sgt i64 %n, 0
  br i1 %cmp7, label %for.body, label %for.cond.cleanup

for.cond.cleanup:
  ret void

for.body:
  %i.08 = phi i64 [ %add, %for.body ], [ 0, %entry ]
  %arrayidx = getelementptr inbounds nuw double, ptr %u, i64 %i.08
  %0 = load double, ptr %arrayidx, align 8
  %add = add nuw nsw i64 %i.08, 1
  %arrayidx1 = getelementptr inbounds nuw double, ptr %u, i64 %add
  %1 = load double, ptr %arrayidx1, align 8
  %mul = fmul double %0, %1
  store double %mul, ptr %arrayidx, align 8
  %exitcond.not = icmp eq i64 %add, %n
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body
}

define void @derivative(ptr %u, ptr %du, i64 %n) {
entry:
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %u, ptr %du, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
