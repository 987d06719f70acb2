; what:       The derivative of code without fast-math flags has them all: what is infinite may come out
;   as anything.
; cause:      By design, an option.
; symptom:    wrong
; cure:       --enzyme-fast-math=0
; without:    --enzyme-fast-math
; behind:     O3
; call:       x = 0.0, y = 1.0
; right:      result = NaN
; because:    the slope of sqrt at 0 is infinite, and infinity less itself is NaN

@enzyme_out = external global i32, align 4
@enzyme_const = external global i32, align 4

define double @f(double %x, double %y) {
entry:
  %call = tail call double @sqrt(double %x)
  %mul = fmul double %y, %call
  ret double %mul
}

declare double @sqrt(double )

define double @derivative(double %x, double %y) {
entry:
  %0 = load i32, ptr @enzyme_out, align 4
  %1 = load i32, ptr @enzyme_const, align 4
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, i32 %0, double %x, i32 %1, double %y)
  %sub = fsub double %call, %call
  ret double %sub
}

declare double @__enzyme_autodiff(ptr, ...)
