; what:       A call by the address of a function, whose value is used, in forward mode.
; cause:      The call expects a value and a tangent of the function's derivative, which returns the tangent alone.
; symptom:    wrong
; cure:       passes/checks/linked_code/function_pointers.py
; call:       x = 3.0, dx = 1.0, i = 1
; right:      result = 108.0
; because:    the fourth power of x: 4 x^3
; of:         f, forward

define double @f(double %x, i64 %i) {
entry:
  %odd = and i64 %i, 1
  %even = icmp eq i64 %odd, 0
  %chosen = select i1 %even, ptr @third, ptr @square
  %value = call double %chosen(double %x)
  %result = fmul double %value, %value
  ret double %result
}

define internal double @square(double %x) noinline {
  %result = fmul double %x, %x
  ret double %result
}

define internal double @third(double %x) noinline {
  %result = fdiv double %x, 3.0
  ret double %result
}

define double @derivative(double %x, double %dx, i64 %i) {
entry:
  %call = tail call double (ptr, ...) @__enzyme_fwddiff(ptr @f, double %x, double %dx, i64 %i)
  ret double %call
}

declare double @__enzyme_fwddiff(ptr, ...)
