; what:       `memmove(x, x + 1, ...)`, a block that moves down over itself, in reverse mode.
; cause:      The adjoint goes up through the numbers: it adds each to its source and clears it. The source of one is the place
;   of the next, which hands on what it has just been given.
; symptom:    wrong
; cure:       passes/memory/blocks/overlapping_moves.py
; call:       x = [2.0, 3.0, 5.0], dx = [1.0, 10.0, 100.0]
; right:      dx = [0.0, 1.0, 110.0]
; because:    x becomes [x1, x2, x2]: with the seeds 1, 10 and 100 the slopes are 0, 1 and 10 + 100
; of:         f, reverse

define double @f(ptr %x) {
entry:
  %from = getelementptr inbounds double, ptr %x, i64 1
  %before = load double, ptr %x, align 8
  call void @llvm.memmove.p0.p0.i64(ptr align 8 %x, ptr align 8 %from, i64 16, i1 false)
  %after = load double, ptr %x, align 8
  %change = fsub double %after, %before
  %none = fmul double %change, 0.0
  ret double %none
}

declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)

define void @derivative(ptr %x, ptr %dx) {
entry:
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
