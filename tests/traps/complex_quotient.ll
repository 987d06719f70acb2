; what:       A quotient of C's complex numbers, which clang computes by calling `__divdc3`.
; cause:      The rule takes one part for another.
; symptom:    wrong
; cure:       frontend/external/complex_numbers.py
; call:       x = [1.0, 2.0, 3.0, 4.0], dx = [0.0, 0.0, 1.0, 0.0]
; right:      result = 0.056
; because:    by w the slope of z / w is -z / w^2 = -(1 + 2i) / (-7 + 24i), with the real part -41 / 625, and the imaginary part
;   38 / 625
; of:         f, forward

@enzyme_dup = external global i32, align 4

define double @f(ptr %x) {
entry:
  %at.b = getelementptr inbounds double, ptr %x, i64 1
  %at.c = getelementptr inbounds double, ptr %x, i64 2
  %at.d = getelementptr inbounds double, ptr %x, i64 3
  %a = load double, ptr %x, align 8
  %b = load double, ptr %at.b, align 8
  %c = load double, ptr %at.c, align 8
  %d = load double, ptr %at.d, align 8
  %quotient = call { double, double } @__divdc3(double %a, double %b, double %c, double %d)
  %real = extractvalue { double, double } %quotient, 0
  %imaginary = extractvalue { double, double } %quotient, 1
  %twice = fmul double %imaginary, 2.0
  %sum = fadd double %real, %twice
  ret double %sum
}

define { double, double } @__divdc3(double %a, double %b, double %c, double %d) noinline {
entry:
  %cc = fmul double %c, %c
  %dd = fmul double %d, %d
  %size = fadd double %cc, %dd
  %ac = fmul double %a, %c
  %bd = fmul double %b, %d
  %bc = fmul double %b, %c
  %ad = fmul double %a, %d
  %above.real = fadd double %ac, %bd
  %above.imaginary = fsub double %bc, %ad
  %real = fdiv double %above.real, %size
  %imaginary = fdiv double %above.imaginary, %size
  %one = insertvalue { double, double } poison, double %real, 0
  %both = insertvalue { double, double } %one, double %imaginary, 1
  ret { double, double } %both
}

define double @derivative(ptr %x, ptr %dx) {
entry:
  %0 = load i32, ptr @enzyme_dup, align 4
  %call = tail call double (ptr, ...) @__enzyme_fwddiff(ptr @f, i32 %0, ptr %x, ptr %dx)
  ret double %call
}

declare double @__enzyme_fwddiff(ptr, ...)
