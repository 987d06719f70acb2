; what:       A loop reads what an earlier iteration wrote, `u[i] = u[i] * u[i - 2]`, and behind the loop
;   all of it is overwritten, `u = u * u`.
; cause:      What a loop reads from end to end the pass copies in front of the loop, if alias analysis
;   says that the loop does not write it; that compares the addresses within one iteration.
; symptom:    wrong
; cure:       passes/memory/overwriting/later_iterations.py, --enzyme-loop-invariant-cache=0
; without:    --enzyme-loop-invariant-cache
; call:       u = [2.0, 3.0, 5.0, 7.0, 2.0], du = [1.0, 1.0, 1.0, 1.0, 1.0], n = 5
; right:      du = [504.0, 300.0, 200.0, 126.0, 400.0]
; because:    the sum of u afterwards is u0^2 + u1^2 + (u0 u2)^2 + (u1 u3)^2 + (u0 u2 u4)^2
; of:         f, reverse

define void @f(ptr %u, i64 %n) {
entry:
  %cmp15 = icmp sgt i64 %n, 2
  br i1 %cmp15, label %for.body, label %for.cond4.preheader

for.cond4.preheader:
  %cmp517 = icmp sgt i64 %n, 0
  br i1 %cmp517, label %for.body7, label %for.cond.cleanup6

for.body:
  %i.016 = phi i64 [ %inc, %for.body ], [ 2, %entry ]
  %arrayidx = getelementptr inbounds nuw double, ptr %u, i64 %i.016
  %0 = load double, ptr %arrayidx, align 8
  %arrayidx1 = getelementptr i8, ptr %arrayidx, i64 -16
  %1 = load double, ptr %arrayidx1, align 8
  %mul = fmul double %0, %1
  store double %mul, ptr %arrayidx, align 8
  %inc = add nuw nsw i64 %i.016, 1
  %exitcond.not = icmp eq i64 %inc, %n
  br i1 %exitcond.not, label %for.cond4.preheader, label %for.body

for.cond.cleanup6:
  ret void

for.body7:
  %i3.018 = phi i64 [ %inc13, %for.body7 ], [ 0, %for.cond4.preheader ]
  %arrayidx8 = getelementptr inbounds nuw double, ptr %u, i64 %i3.018
  %2 = load double, ptr %arrayidx8, align 8
  %mul10 = fmul double %2, %2
  store double %mul10, ptr %arrayidx8, align 8
  %inc13 = add nuw nsw i64 %i3.018, 1
  %exitcond19.not = icmp eq i64 %inc13, %n
  br i1 %exitcond19.not, label %for.cond.cleanup6, label %for.body7
}

define void @derivative(ptr %u, ptr %du, i64 %n) {
entry:
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %u, ptr %du, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
