; what:       A copy of memory that `calloc` has made, and nobody has written, over an argument: `memcpy(x, zeros, ...)`.
; cause:      Enzyme leaves out a copy between whose source's allocation and itself nothing writes to the source. It takes such memory
;   for undefined, which is true of `malloc` only. The call in between keeps LLVM from making a fill of it.
; symptom:    wrong
; cure:       passes/memory/blocks/copies_of_zeros.py
; call:       x = [2.0, 3.0], dx = [1.0, 10.0], n = 2
; right:      x = [0.0, 0.0], dx = [0.0, 0.0], result = 0.0
; because:    x becomes zero, whatever it was
; of:         f, reverse

define double @f(ptr %x, i64 %n) {
entry:
  %bytes = shl i64 %n, 3
  %zeros = call ptr @calloc(i64 1, i64 %bytes)
  %size = call i64 @malloc_usable_size(ptr %zeros)
  %half = sdiv i64 %n, 2
  %at = getelementptr inbounds double, ptr %zeros, i64 %half
  %zero = load double, ptr %at, align 8
  call void @llvm.memmove.p0.p0.i64(ptr align 8 %x, ptr align 8 %zeros, i64 %bytes, i1 false)
  ret double %zero
}

declare i64 @malloc_usable_size(ptr "enzyme_type"="{[-1]:Pointer, [-1,-1]:Float@double}") nounwind willreturn nofree nosync memory(inaccessiblemem: readwrite) "enzyme_inactive" "enzyme_nofree"

declare noalias ptr @calloc(i64, i64) nofree nounwind willreturn allockind("alloc,zeroed") allocsize(0,1) memory(inaccessiblemem: readwrite) "alloc-family"="malloc"

declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)

define void @derivative(ptr %x, ptr %dx, i64 %n) {
entry:
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
