; what:       An allocation of a loop's last iteration is read behind the loop: code that never ends.
; cause:      The pass makes it again in the reverse sweep, where it has no iteration.
; symptom:    the derivative hangs
; cure:       passes/memory/allocations.py
; call:       x = [0.5], dx = [0.0], n = 2
; right:      dx = [1.0082735527126]
; because:    the result is sin(2 sin(x)), its slope 2 cos(x) cos(2 sin(x))
; of:         f, reverse

define double @f(ptr %x, i64 %n) {
entry:
  %start = call ptr @calloc(i64 1, i64 8)
  call void @llvm.memcpy.p0.p0.i64(ptr %start, ptr %x, i64 8, i1 false)
  %none = icmp slt i64 %n, 1
  br i1 %none, label %exit, label %loop

loop:
  %v = phi ptr [ %start, %entry ], [ %w, %loop ]
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %y = call ptr @calloc(i64 1, i64 8)
  %item = load double, ptr %v
  %sine = call double @llvm.sin.f64(double %item)
  store double %sine, ptr %y
  %w = call ptr @calloc(i64 1, i64 8)
  %twice = fmul double %sine, 2.0
  store double %twice, ptr %w
  %next = add nuw nsw i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %exit

exit:
  %last = phi ptr [ %x, %entry ], [ %y, %loop ]
  %result = load double, ptr %last
  ret double %result
}

define void @derivative(ptr %x, ptr %dx, i64 %n) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, i64 %n)
  ret void
}

declare void @__enzyme_autodiff(ptr, ...)
declare ptr @calloc(i64, i64)
declare double @llvm.sin.f64(double)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
