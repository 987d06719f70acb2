; what:       A quotient in forward mode, by a number whose square leaves the range of floats: zero, or infinity.
; cause:      The rule of the pass is (dx y - dy x) / (y y).
; symptom:    wrong
; cure:       passes/values/forward_quotients.py
; call:       x = 2.0, dx = 1.0, y = 1e200
; right:      result = 1.0
; because:    (x / y) 1e200 is x
; of:         f, forward

@enzyme_dup = external global i32, align 4
@enzyme_const = external global i32, align 4

define double @f(double %x, double %y) {
entry:
  %quotient = fdiv double %x, %y
  %product = fmul double %quotient, 0x6974E718D7D7625A
  ret double %product
}

define double @derivative(double %x, double %dx, double %y) {
entry:
  %0 = load i32, ptr @enzyme_dup, align 4
  %1 = load i32, ptr @enzyme_const, align 4
  %call = tail call double (ptr, ...) @__enzyme_fwddiff(ptr @f, i32 %0, double %x, double %dx, i32 %1, double %y)
  ret double %call
}

declare double @__enzyme_fwddiff(ptr, ...)
