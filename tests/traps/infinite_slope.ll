; what:       An infinite slope of what a select does not choose: NaN, also with strong zero.
; cause:      Strong zero covers products with adjoints, not the slopes of functions: that of exp(1000)
;   is infinity by zero.
; symptom:    wrong
; cure:       passes/values/cached_slopes.py, rules/numbers/elementary.py
; call:       x = 1000.0
; right:      result = 1.0
; because:    the result is x for x > 700

@enzyme_strong_zero = external global i32, align 4

define double @f(double %x) {
entry:
  %call = tail call double @exp(double %x)
  %cmp = fcmp ogt double %x, 7.000000e+02
  %cond = select i1 %cmp, double %x, double %call
  ret double %cond
}

declare double @exp(double )

define double @derivative(double %x) {
entry:
  %0 = load i32, ptr @enzyme_strong_zero, align 4
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, i32 %0, double %x)
  ret double %call
}

declare double @__enzyme_autodiff(ptr, ...)
