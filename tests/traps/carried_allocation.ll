; what:       An array that each iteration makes from that of the one before, `v = sin(v)`: the adjoint of
;   an iteration never reaches the one before.
; cause:      Instead of keeping an allocation the pass makes it again in the reverse sweep, also where its
;   pointer is carried into the next iteration.
; symptom:    wrong
; cure:       passes/memory/allocations.py
; call:       x = [0.5], dx = [0.0], n = 2
; right:      dx = [0.7786439483717796]
; because:    the result is sin(sin(x)), its slope is cos(sin(0.5)) cos(0.5)
; of:         f, reverse

define double @f(ptr %x, i64 %n) {
entry:
  %start = call ptr @calloc(i64 1, i64 8)
  call void @llvm.memcpy.p0.p0.i64(ptr %start, ptr %x, i64 8, i1 false)
  br label %loop

loop:
  %v = phi ptr [ %start, %entry ], [ %w, %loop ]
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %w = call ptr @calloc(i64 1, i64 8)
  %item = load double, ptr %v
  %sine = call double @llvm.sin.f64(double %item)
  store double %sine, ptr %w
  %next = add nuw nsw i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %exit

exit:
  ret double %sine
}

define void @derivative(ptr %x, ptr %dx, i64 %n) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, i64 %n)
  ret void
}

declare void @__enzyme_autodiff(ptr, ...)
declare ptr @calloc(i64, i64)
declare double @llvm.sin.f64(double)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
