; what:       A custom forward rule of a call with constant memory among its operands is ignored, and the
;   body is differentiated.
; cause:      The pass only remarks on it ("Cannot use provided custom derivative pass").
; symptom:    wrong
; cure:       host/refusals.py
; call:       x = [2.0], dx = [1.0], c = [3.0], r = [0.0], dr = [0.0]
; right:      dr = [100.0]
; because:    the rule says 100 dx, the body 3 dx

@enzyme_dup = external global i32, align 4
@enzyme_const = external global i32, align 4

define void @k(ptr initializes((0, 8)) %o, ptr %x, ptr %c) {
entry:
  %0 = load double, ptr %x, align 8
  %1 = load double, ptr %c, align 8
  %mul = fmul double %0, %1
  store double %mul, ptr %o, align 8
  ret void
}

define void @rule(ptr initializes((0, 8)) %o, ptr initializes((0, 8)) %od, ptr %x, ptr %xd, ptr %c, ptr %cd) {
entry:
  %0 = load double, ptr %x, align 8
  %1 = load double, ptr %c, align 8
  %mul = fmul double %0, %1
  store double %mul, ptr %o, align 8
  %2 = load double, ptr %xd, align 8
  %mul4 = fmul double %2, 1.000000e+02
  store double %mul4, ptr %od, align 8
  ret void
}

define void @f(ptr %x, ptr %c, ptr initializes((0, 8)) %o) {
entry:
  %0 = load double, ptr %x, align 8
  %1 = load double, ptr %c, align 8
  %mul.i = fmul double %0, %1
  store double %mul.i, ptr %o, align 8
  ret void
}

define void @derivative(ptr %x, ptr %dx, ptr %c, ptr %o, ptr %od) {
entry:
  %0 = load i32, ptr @enzyme_dup, align 4
  %1 = load i32, ptr @enzyme_const, align 4
  %call = tail call double (ptr, ...) @__enzyme_fwddiff(ptr @f, i32 %0, ptr %x, ptr %dx, i32 %1, ptr %c, i32 %0, ptr %o, ptr %od)
  ret void
}

declare double @__enzyme_fwddiff(ptr, ...)
