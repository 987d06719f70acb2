; what:       With run-time activity, the place in which a called function leaves its result is taken for
;   constant: a gradient of zero.
; cause:      Not known. A function that is inlined has it not.
; symptom:    wrong
; cure:       inlining
; call:       x = [2.0, 3.0], dx = [0.0, 0.0], n = 2
; right:      dx = [36.0, 24.0]
; because:    the result is (x0 x1)^2
; of:         f, reverse

@enzyme_runtime_activity = external global i32, align 4
@enzyme_dup = external global i32, align 4

define void @k(ptr %r, ptr %x, i64 %n) noinline {
entry:
  %cmp4 = icmp sgt i64 %n, 0
  br i1 %cmp4, label %for.body, label %for.cond.cleanup

for.cond.cleanup:
  %s.0.lcssa = phi double [ 1.000000e+00, %entry ], [ %mul, %for.body ]
  store double %s.0.lcssa, ptr %r, align 8
  ret void

for.body:
  %i.06 = phi i64 [ %inc, %for.body ], [ 0, %entry ]
  %s.05 = phi double [ %mul, %for.body ], [ 1.000000e+00, %entry ]
  %arrayidx = getelementptr inbounds nuw double, ptr %x, i64 %i.06
  %0 = load double, ptr %arrayidx, align 8
  %mul = fmul double %s.05, %0
  %inc = add nuw nsw i64 %i.06, 1
  %exitcond.not = icmp eq i64 %inc, %n
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body
}

declare void @llvm.lifetime.start.p0(ptr )

declare void @llvm.lifetime.end.p0(ptr )

define double @f(ptr %x, i64 %n) {
entry:
  %r = alloca double, align 8
  call void @llvm.lifetime.start.p0(ptr %r)
  call void @k(ptr %r, ptr %x, i64 %n)
  %0 = load double, ptr %r, align 8
  %mul = fmul double %0, %0
  call void @llvm.lifetime.end.p0(ptr %r)
  ret double %mul
}

define void @derivative(ptr %x, ptr %dx, i64 %n) {
entry:
  %0 = load i32, ptr @enzyme_runtime_activity, align 4
  %1 = load i32, ptr @enzyme_dup, align 4
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, i32 %0, i32 %1, ptr %x, ptr %dx, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
