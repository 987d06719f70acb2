; what:       A number out of a pair is stored beside active memory, in a block that stands, in the text, in
;   front of the one that makes the number.
; cause:      Forward mode goes through the blocks as they stand. It notes a shadow of the number at the store,
;   and expects none where it comes to the number, which has none.
; symptom:    the pass crashes
; cure:       block_order
; call:       x = [2.0, 3.0], dx = [1.0, 0.5], n = 2
; right:      result = 4.0
; because:    the result is x0 x1, its slope along t t0 x1 + t1 x0
; of:         f, forward

@enzyme_dup = external global i32, align 4

define void @pack(ptr %fields, ptr %x, i64 %n) noinline {
entry:
  %is_none = icmp eq i64 %n, 0
  br i1 %is_none, label %end, label %make

keep:
  store ptr %x, ptr %fields, align 8
  %place = getelementptr inbounds i8, ptr %fields, i64 8
  store i64 %size, ptr %place, align 8
  ret void

make:
  %pair = call { i64, i1 } @llvm.smul.with.overflow.i64(i64 %n, i64 %n)
  %size = extractvalue { i64, i1 } %pair, 0
  %wraps = extractvalue { i64, i1 } %pair, 1
  %is_many = icmp ugt i64 %size, 1000
  %is_large = or i1 %wraps, %is_many
  br i1 %is_large, label %end, label %keep

end:
  ret void
}

define double @f(ptr %x, i64 %n) {
entry:
  %fields = alloca { ptr, i64 }, align 8
  call void @pack(ptr %fields, ptr %x, i64 %n)
  %p = load ptr, ptr %fields, align 8
  %a = load double, ptr %p, align 8
  %q = getelementptr inbounds nuw i8, ptr %p, i64 8
  %b = load double, ptr %q, align 8
  %product = fmul double %a, %b
  ret double %product
}

define double @derivative(ptr %x, ptr %dx, i64 %n) {
entry:
  %0 = load i32, ptr @enzyme_dup, align 4
  %call = tail call double (ptr, ...) @__enzyme_fwddiff(ptr @f, i32 %0, ptr %x, ptr %dx, i64 %n)
  ret double %call
}

declare double @__enzyme_fwddiff(ptr, ...)

declare { i64, i1 } @llvm.smul.with.overflow.i64(i64, i64)
