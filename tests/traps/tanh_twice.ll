; what:       The second derivative of tanh is NaN for large arguments.
; cause:      The slope of tanh is taken for 1 / cosh(x)^2, and the slope of that is infinity by infinity
;   where the square is infinite, from 355 on.
; symptom:    wrong
; cure:       rules/numbers/elementary.py
; call:       x = 400.0
; right:      result = 0.0
; because:    tanh is 1 to the last bit there

define double @f(double %x) {
entry:
  %call = tail call double @tanh(double %x)
  ret double %call
}

declare double @tanh(double )

define double @g(double %x) {
entry:
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %x)
  ret double %call
}

declare double @__enzyme_autodiff(ptr, ...)

define double @derivative(double %x) {
entry:
  %call = tail call double (ptr, ...) @__enzyme_fwddiff(ptr @g, double %x, double 1.000000e+00)
  ret double %call
}

declare double @__enzyme_fwddiff(ptr, ...)
