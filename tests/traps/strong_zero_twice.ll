; what:       With strong zero, the second derivative of `sin(x) cos(x) x` at 0 is half of what it should
;   be.
; cause:      The inner derivative has `select(d == 0, 0, d * slope)` for each product with an adjoint d;
;   the slope of that by d is zero where d is.
; symptom:    wrong
; cure:       passes/rules/strong_zero.py
; call:       x = 0.0
; right:      result = 2.0
; because:    sin(x) cos(x) x is x^2 + O(x^4)

@enzyme_strong_zero = external global i32, align 4

define double @f(double %x) {
entry:
  %call = tail call double @sin(double %x)
  %call1 = tail call double @cos(double %x)
  %mul = fmul double %call, %call1
  %mul2 = fmul double %x, %mul
  ret double %mul2
}

declare double @sin(double )

declare double @cos(double )

define double @g(double %x) {
entry:
  %0 = load i32, ptr @enzyme_strong_zero, align 4
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, i32 %0, double %x)
  ret double %call
}

declare double @__enzyme_autodiff(ptr, ...)

define double @derivative(double %x) {
entry:
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @g, double %x)
  ret double %call
}
