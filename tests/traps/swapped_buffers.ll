; what:       Two buffers that change places, `old, new = new, old`: the reverse sweep reads what a later
;   iteration wrote.
; cause:      Within one iteration alias analysis proves the two apart, and the pass takes that for all
;   iterations.
; symptom:    wrong
; cure:       passes/memory/allocations.py
; call:       x = [2.0, 3.0], dx = [0.0, 0.0], n = 2
; right:      dx = [9.0, 12.0]
; because:    the result is x0 x1^2
; of:         f, reverse

define double @f(ptr %x, i64 %n) {
entry:
  %call = tail call dereferenceable_or_null(16) ptr @calloc(i64 2, i64 8)
  %call1 = tail call dereferenceable_or_null(16) ptr @calloc(i64 2, i64 8)
  %0 = load double, ptr %x, align 8
  store double %0, ptr %call, align 8
  %arrayidx3 = getelementptr inbounds nuw i8, ptr %x, i64 8
  %1 = load double, ptr %arrayidx3, align 8
  %arrayidx4 = getelementptr inbounds nuw i8, ptr %call, i64 8
  store double %1, ptr %arrayidx4, align 8
  %cmp11 = icmp sgt i64 %n, 0
  br i1 %cmp11, label %for.body, label %for.cond.cleanup

for.cond.cleanup:
  %a.0.lcssa = phi ptr [ %call, %entry ], [ %b.012, %for.body ]
  %2 = load double, ptr %a.0.lcssa, align 8
  ret double %2

for.body:
  %a.014 = phi ptr [ %b.012, %for.body ], [ %call, %entry ]
  %t.013 = phi i64 [ %inc, %for.body ], [ 0, %entry ]
  %b.012 = phi ptr [ %a.014, %for.body ], [ %call1, %entry ]
  %3 = load double, ptr %a.014, align 8
  %arrayidx6 = getelementptr inbounds nuw i8, ptr %a.014, i64 8
  %4 = load double, ptr %arrayidx6, align 8
  %mul = fmul double %3, %4
  store double %mul, ptr %b.012, align 8
  %arrayidx9 = getelementptr inbounds nuw i8, ptr %b.012, i64 8
  store double %4, ptr %arrayidx9, align 8
  %inc = add nuw nsw i64 %t.013, 1
  %exitcond.not = icmp eq i64 %inc, %n
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body
}

declare noalias ptr @calloc(i64, i64 )

define void @derivative(ptr %x, ptr %dx, i64 %n) {
entry:
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
