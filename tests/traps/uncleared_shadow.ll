; what:       The shadow of an allocation that is carried from iteration to iteration is never cleared.
; cause:      Where the pass keeps only the pointer of a shadow it forgets that it meant to clear the
;   memory.
; symptom:    wrong
; cure:       passes/memory/allocations.py
; call:       x = [2.0], dx = [0.0], m = 1, n = 2
; right:      dx = [448.0]
; because:    the result is x^7
; of:         f, reverse

define double @f(ptr %x, i64 %m, i64 %n) {
entry:
  %cmp18 = icmp sgt i64 %n, 0
  br i1 %cmp18, label %for.body.lr.ph, label %for.cond14.preheader

for.body.lr.ph:
  %mul = shl nsw i64 %m, 3
  %cmp216 = icmp sgt i64 %m, 0
  br label %for.body

for.cond14.preheader:
  %v.0.lcssa = phi ptr [ %x, %entry ], [ %call, %for.cond.cleanup3 ]
  %cmp1521 = icmp sgt i64 %m, 0
  br i1 %cmp1521, label %for.body17, label %for.cond.cleanup16

for.body:
  %v.020 = phi ptr [ %x, %for.body.lr.ph ], [ %call, %for.cond.cleanup3 ]
  %t.019 = phi i64 [ 0, %for.body.lr.ph ], [ %inc11, %for.cond.cleanup3 ]
  %call = tail call ptr @malloc(i64 %mul)
  br i1 %cmp216, label %for.body4, label %for.cond.cleanup3

for.cond.cleanup3:
  %inc11 = add nuw nsw i64 %t.019, 1
  %exitcond25.not = icmp eq i64 %inc11, %n
  br i1 %exitcond25.not, label %for.cond14.preheader, label %for.body

for.body4:
  %i.017 = phi i64 [ %inc, %for.body4 ], [ 0, %for.body ]
  %arrayidx = getelementptr inbounds nuw double, ptr %v.020, i64 %i.017
  %0 = load double, ptr %arrayidx, align 8
  %mul6 = fmul double %0, %0
  %arrayidx7 = getelementptr inbounds nuw double, ptr %x, i64 %i.017
  %1 = load double, ptr %arrayidx7, align 8
  %mul8 = fmul double %mul6, %1
  %arrayidx9 = getelementptr inbounds nuw double, ptr %call, i64 %i.017
  store double %mul8, ptr %arrayidx9, align 8
  %inc = add nuw nsw i64 %i.017, 1
  %exitcond.not = icmp eq i64 %inc, %m
  br i1 %exitcond.not, label %for.cond.cleanup3, label %for.body4

for.cond.cleanup16:
  %s.0.lcssa = phi double [ 0.000000e+00, %for.cond14.preheader ], [ %add, %for.body17 ]
  ret double %s.0.lcssa

for.body17:
  %i13.023 = phi i64 [ %inc20, %for.body17 ], [ 0, %for.cond14.preheader ]
  %s.022 = phi double [ %add, %for.body17 ], [ 0.000000e+00, %for.cond14.preheader ]
  %arrayidx18 = getelementptr inbounds nuw double, ptr %v.0.lcssa, i64 %i13.023
  %2 = load double, ptr %arrayidx18, align 8
  %add = fadd double %s.022, %2
  %inc20 = add nuw nsw i64 %i13.023, 1
  %exitcond26.not = icmp eq i64 %inc20, %m
  br i1 %exitcond26.not, label %for.cond.cleanup16, label %for.body17
}

declare noalias ptr @malloc(i64 )

define void @derivative(ptr %x, ptr %dx, i64 %m, i64 %n) {
entry:
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, i64 %m, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
