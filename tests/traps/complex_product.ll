; what:       A product of C's complex numbers, which clang computes by calling `__muldc3`, in reverse mode.
; cause:      The rule is that of a function of complex variables; but the two parts are numbers of their own here.
; symptom:    wrong
; cure:       frontend/external/complex_numbers.py
; call:       x = [1.0, 2.0, 3.0, 4.0], dx = [0.0, 0.0, 0.0, 0.0]
; right:      dx = [11.0, 2.0, 5.0, 0.0]
; because:    (ac - bd) + 2 (ad + bc) has the slopes c + 2d, 2c - d, a + 2b and 2a - b
; of:         f, reverse

define double @f(ptr %x) {
entry:
  %at.b = getelementptr inbounds double, ptr %x, i64 1
  %at.c = getelementptr inbounds double, ptr %x, i64 2
  %at.d = getelementptr inbounds double, ptr %x, i64 3
  %a = load double, ptr %x, align 8
  %b = load double, ptr %at.b, align 8
  %c = load double, ptr %at.c, align 8
  %d = load double, ptr %at.d, align 8
  %product = call { double, double } @__muldc3(double %a, double %b, double %c, double %d)
  %real = extractvalue { double, double } %product, 0
  %imaginary = extractvalue { double, double } %product, 1
  %twice = fmul double %imaginary, 2.0
  %sum = fadd double %real, %twice
  ret double %sum
}

define { double, double } @__muldc3(double %a, double %b, double %c, double %d) noinline {
entry:
  %ac = fmul double %a, %c
  %bd = fmul double %b, %d
  %ad = fmul double %a, %d
  %bc = fmul double %b, %c
  %real = fsub double %ac, %bd
  %imaginary = fadd double %ad, %bc
  %one = insertvalue { double, double } poison, double %real, 0
  %both = insertvalue { double, double } %one, double %imaginary, 1
  ret { double, double } %both
}

define void @derivative(ptr %x, ptr %dx) {
entry:
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
