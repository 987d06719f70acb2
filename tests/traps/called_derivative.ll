; what:       A function that takes a derivative stays a call, and stands behind the function that calls it: the derivative of
;   that one is refused.
; cause:      Enzyme goes through the functions of a module from the first to the last, and differentiates what a request
;   names together with all that it calls. It has not come to the request in the called function then, and takes it for
;   a call of a function without a body.
; symptom:    refused
; cure:       assembly/inlining.py
; call:       x = 2.0
; right:      result = 48.0
; because:    f is x^4, its second derivative 12 x^2

define double @f(double %x) {
  %xx = fmul double %x, %x
  %y = fmul double %xx, %xx
  ret double %y
}

define double @derivative(double %x) {
  %d = call double (ptr, ...) @__enzyme_autodiff(ptr @g, double %x)
  ret double %d
}

define double @g(double %x) {
  %d = call double @slope(double %x)
  ret double %d
}

define double @slope(double %x) noinline {
  %d = call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %x)
  ret double %d
}

declare double @__enzyme_autodiff(ptr, ...)
