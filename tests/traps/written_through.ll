; what:       A constant is written through a pointer that lay in memory, `rows[i][0] = 0.5`; the adjoint
;   of what was there is not cleared.
; cause:      Nothing active is read through the table of pointers, so it is taken for constant, and so
;   is what is loaded from it.
; symptom:    wrong
; cure:       passes/memory/written_pointers.py
; call:       x = [3.0, 2.0], dx = [0.0, 0.0], i = 1
; right:      dx = [6.0, 0.0]
; because:    the result is x0^2 + 0.5
; of:         f, reverse

@enzyme_dup = external global i32, align 4

define double @f(ptr %x, i64 %i) {
entry:
  %call = tail call dereferenceable_or_null(8) ptr @malloc(i64 8)
  %call1 = tail call dereferenceable_or_null(8) ptr @malloc(i64 8)
  %0 = load double, ptr %x, align 8
  %mul = fmul double %0, %0
  store double %mul, ptr %call, align 8
  %arrayidx4 = getelementptr inbounds nuw i8, ptr %x, i64 8
  %1 = load double, ptr %arrayidx4, align 8
  %mul6 = fmul double %1, %1
  store double %mul6, ptr %call1, align 8
  %call8 = tail call dereferenceable_or_null(16) ptr @malloc(i64 16)
  store ptr %call, ptr %call8, align 8
  %arrayidx10 = getelementptr inbounds nuw i8, ptr %call8, i64 8
  store ptr %call1, ptr %arrayidx10, align 8
  %arrayidx11 = getelementptr inbounds ptr, ptr %call8, i64 %i
  %2 = load ptr, ptr %arrayidx11, align 8
  store double 5.000000e-01, ptr %2, align 8
  %3 = load double, ptr %call, align 8
  %4 = load double, ptr %call1, align 8
  %add = fadd double %3, %4
  ret double %add
}

declare noalias ptr @malloc(i64 )

define void @derivative(ptr %x, ptr %dx, i64 %i) {
entry:
  %0 = load i32, ptr @enzyme_dup, align 4
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, i32 %0, ptr %x, ptr %dx, i64 %i)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
