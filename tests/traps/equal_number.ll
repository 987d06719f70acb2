; what:       A number that a comparison says to be 3.0, `x * x if x == 3.0 else ...`, counts as the constant 3.0: a
;   slope of zero.
; cause:      GVN, which the pass runs first, writes the constant for the number where the comparison is true.
; symptom:    wrong
; cure:       passes/values/equal_numbers.py
; call:       x = 3.0
; right:      result = 6.0
; because:    both branches have the value 9 and the slope 6 at 3
; of:         f, reverse

@enzyme_out = external global i32, align 4

define double @f(double %x) {
entry:
  %is.three = fcmp oeq double %x, 3.000000e+00
  br i1 %is.three, label %then, label %else

then:
  %square = fmul double %x, %x
  br label %end

else:
  %y = fmul double %x, %x
  %d = fsub double %x, 3.000000e+00
  %d2 = fmul double %d, %d
  %s = fadd double %y, %d2
  br label %end

end:
  %r = phi double [ %square, %then ], [ %s, %else ]
  ret double %r
}

define double @derivative(double %x) {
entry:
  %0 = load i32, ptr @enzyme_out, align 4
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, i32 %0, double %x)
  ret double %call
}

declare double @__enzyme_autodiff(ptr, ...)
