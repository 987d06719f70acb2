; what:       A custom rule that itself asks for a derivative, and stands behind the function that is
;   differentiated twice: refused.
; cause:      The pass goes through the functions in the order of the module. In a rule that it has not
;   come to yet the request is a call of an unknown function.
; symptom:    refused
; cure:       passes/rules/rules_first.py
; call:       x = [2.0], dx = [1.0], y = [0.0], dy = [0.0]
; right:      dy = [12.0]
; because:    by the rule the slope of k is that of x^3, and the second derivative 6 x

@enzyme_dup = external global i32, align 4
@__enzyme_register_gradient_k = global [3 x ptr] [ptr @k, ptr @augment, ptr @gradient], align 16

define double @cube(double %x) {
entry:
  %mul = fmul double %x, %x
  %mul1 = fmul double %mul, %x
  ret double %mul1
}

define void @augment(ptr %r, ptr %dr, ptr %x, ptr %dx) {
entry:
  %arrayidx = getelementptr inbounds double, ptr %x, i64 0
  %0 = load double, ptr %arrayidx, align 8
  %arrayidx1 = getelementptr inbounds double, ptr %x, i64 0
  %1 = load double, ptr %arrayidx1, align 8
  %mul = fmul double %0, %1
  %arrayidx2 = getelementptr inbounds double, ptr %x, i64 0
  %2 = load double, ptr %arrayidx2, align 8
  %mul3 = fmul double %mul, %2
  %arrayidx4 = getelementptr inbounds double, ptr %r, i64 0
  store double %mul3, ptr %arrayidx4, align 8
  ret void
}

define void @k(ptr %r, ptr %x) noinline {
entry:
  %arrayidx = getelementptr inbounds double, ptr %x, i64 0
  %0 = load double, ptr %arrayidx, align 8
  %arrayidx1 = getelementptr inbounds double, ptr %x, i64 0
  %1 = load double, ptr %arrayidx1, align 8
  %mul = fmul double %0, %1
  %arrayidx2 = getelementptr inbounds double, ptr %x, i64 0
  %2 = load double, ptr %arrayidx2, align 8
  %mul3 = fmul double %mul, %2
  %arrayidx4 = getelementptr inbounds double, ptr %r, i64 0
  store double %mul3, ptr %arrayidx4, align 8
  ret void
}

define void @f(ptr %r, ptr %x) {
entry:
  call void @k(ptr %r, ptr %x)
  ret void
}

define void @g(ptr %x, ptr %y) {
entry:
  %call = call ptr @calloc(i64 1, i64 8)
  %call1 = call ptr @calloc(i64 1, i64 8)
  %arrayidx = getelementptr inbounds double, ptr %call1, i64 0
  store double 1.000000e+00, ptr %arrayidx, align 8
  %0 = load i32, ptr @enzyme_dup, align 4
  %1 = load i32, ptr @enzyme_dup, align 4
  %call2 = call double (ptr, ...) @__enzyme_autodiff(ptr @f, i32 %0, ptr %call, ptr %call1, i32 %1, ptr %x, ptr %y)
  ret void
}

declare ptr @calloc(i64, i64 )

declare double @__enzyme_autodiff(ptr, ...)

define void @derivative(ptr %x, ptr %dx, ptr %y, ptr %dy) {
entry:
  %0 = load i32, ptr @enzyme_dup, align 4
  %1 = load i32, ptr @enzyme_dup, align 4
  %call = call double (ptr, ...) @__enzyme_fwddiff(ptr @g, i32 %0, ptr %x, ptr %dx, i32 %1, ptr %y, ptr %dy)
  ret void
}

declare double @__enzyme_fwddiff(ptr, ...)

define void @gradient(ptr %r, ptr %dr, ptr %x, ptr %dx) {
entry:
  %arrayidx = getelementptr inbounds double, ptr %dr, i64 0
  %0 = load double, ptr %arrayidx, align 8
  %arrayidx1 = getelementptr inbounds double, ptr %x, i64 0
  %1 = load double, ptr %arrayidx1, align 8
  %call = call double (ptr, ...) @__enzyme_autodiff(ptr @cube, double %1)
  %arrayidx2 = getelementptr inbounds double, ptr %dx, i64 0
  %2 = load double, ptr %arrayidx2, align 8
  %3 = call double @llvm.fmuladd.f64(double %0, double %call, double %2)
  store double %3, ptr %arrayidx2, align 8
  %arrayidx3 = getelementptr inbounds double, ptr %dr, i64 0
  store double 0.000000e+00, ptr %arrayidx3, align 8
  ret void
}

declare double @llvm.fmuladd.f64(double, double, double)
