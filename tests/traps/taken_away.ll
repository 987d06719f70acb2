; what:       `atomicrmw fsub` in reverse mode: the wrong sign.
; cause:      One rule for sums and differences.
; symptom:    wrong
; cure:       passes/memory/atomic_differences.py
; call:       x = [3.0], dx = [0.0], s = [1.0], ds = [2.0]
; right:      dx = [-2.0]
; because:    s becomes s - x, whose seed is 2
; of:         f, reverse

define double @f(ptr %x, ptr %s) {
entry:
  %number = load double, ptr %x, align 8
  %old = atomicrmw fsub ptr %s, double %number monotonic, align 8
  %none = fmul double %number, 0.0
  ret double %none
}

define void @derivative(ptr %x, ptr %dx, ptr %s, ptr %ds) {
entry:
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, ptr %s, ptr %ds)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
