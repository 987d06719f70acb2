; what:       A loop in a loop that is not entered, `for i in range(2, n - 2)` with n = 3: room for less
;   than none is asked for.
; cause:      What both loops keep has room in front of both, for n - 4 times as many numbers as the
;   outer one has iterations; whether the inner one is entered the pass does not look.
; symptom:    the derivative crashes
; cure:       passes/control_flow/empty_loops.py
; call:       u = [2.0, 3.0, 5.0], du = [1.0, 1.0, 1.0], m = 2, n = 3
; right:      du = [1.0, 1.0, 1.0]
; because:    nothing is done
; of:         f, reverse

define void @f(ptr %u, i64 %m, i64 %n) {
entry:
  %cmp12 = icmp sgt i64 %m, 0
  br i1 %cmp12, label %for.cond1.preheader.lr.ph, label %for.cond.cleanup

for.cond1.preheader.lr.ph:
  %cmp210 = icmp sgt i64 %n, 4
  %0 = add nsw i64 %n, -3
  br label %for.cond1.preheader

for.cond1.preheader:
  %t.013 = phi i64 [ 0, %for.cond1.preheader.lr.ph ], [ %inc10, %for.cond.cleanup3 ]
  br i1 %cmp210, label %for.body4, label %for.cond.cleanup3

for.cond.cleanup:
  ret void

for.cond.cleanup3:
  %inc10 = add nuw nsw i64 %t.013, 1
  %exitcond14.not = icmp eq i64 %inc10, %m
  br i1 %exitcond14.not, label %for.cond.cleanup, label %for.cond1.preheader

for.body4:
  %i.011 = phi i64 [ %add, %for.body4 ], [ 2, %for.cond1.preheader ]
  %arrayidx = getelementptr inbounds nuw double, ptr %u, i64 %i.011
  %1 = load double, ptr %arrayidx, align 8
  %mul = fmul double %1, %1
  %add = add nuw nsw i64 %i.011, 1
  %arrayidx6 = getelementptr inbounds nuw double, ptr %u, i64 %add
  %2 = load double, ptr %arrayidx6, align 8
  %mul7 = fmul double %mul, %2
  store double %mul7, ptr %arrayidx, align 8
  %exitcond.not = icmp eq i64 %i.011, %0
  br i1 %exitcond.not, label %for.cond.cleanup3, label %for.body4
}

define void @derivative(ptr %u, ptr %du, i64 %m, i64 %n) {
entry:
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %u, ptr %du, i64 %m, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
