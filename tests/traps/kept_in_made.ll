; what:       New memory is read by its own name. Its pointer stands in other new memory, is loaded from there, and written through.
; cause:      A pointer that is loaded from memory which the function has made is taken for one to no other memory that it has made
;   (arePointersGuaranteedNoAlias): a write into the first one is looked for between the load and the other allocation, in this order.
; symptom:    wrong
; cure:       passes/memory/loaded_pointers.py
; call:       x = [2.0, 3.0], dx = [0.0, 0.0], n = 2
; right:      dx = [4.0, 6.0]
; because:    the result is x0^2 + x1^2
; of:         f, reverse

declare noalias ptr @malloc(i64)

; Else LLVM would put %data in place of the pointer that is loaded.
define void @look(ptr captures(none) %header) noinline "enzyme_inactive" {
entry:
  %p = load volatile ptr, ptr %header, align 8
  store volatile ptr %p, ptr %header, align 8
  ret void
}

define double @f(ptr %x, i64 %n) {
entry:
  %header = call noalias ptr @malloc(i64 8)
  %data = call noalias ptr @malloc(i64 16)
  store ptr %data, ptr %header, align 8
  %x0 = load double, ptr %x, align 8
  store double %x0, ptr %data, align 8
  %q = getelementptr inbounds i8, ptr %x, i64 8
  %x1 = load double, ptr %q, align 8
  %r = getelementptr inbounds i8, ptr %data, i64 8
  store double %x1, ptr %r, align 8
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi double [ 0.0, %entry ], [ %more, %loop ]
  %p = getelementptr inbounds double, ptr %data, i64 %i
  %v = load double, ptr %p, align 8
  %vv = fmul double %v, %v
  %more = fadd double %sum, %vv
  %next = add nuw nsw i64 %i, 1
  %is_over = icmp eq i64 %next, %n
  br i1 %is_over, label %behind, label %loop

behind:
  call void @look(ptr captures(none) %header)
  %again = load ptr, ptr %header, align 8
  store double 7.0, ptr %again, align 8
  %s = getelementptr inbounds i8, ptr %again, i64 8
  store double 8.0, ptr %s, align 8
  ret double %more
}

define void @derivative(ptr %x, ptr %dx, i64 %n) {
entry:
  %call = call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
