; what:       A loop makes a buffer in each iteration, and copies it over an array whose places are known
;   when it is compiled, `v[1:] = v[:-1] * v[1:]` with four elements.
; cause:      LLVM's LICM, which runs in front of the pass, makes numbers that the loop carries of the array's
;   elements. They are read from the buffer of the iteration before, and for the reverse sweep the pass makes
;   that of the iteration at hand again: see `carried_load`.
; symptom:    wrong
; cure:       passes/memory/allocations.py
; call:       x = [2.0, 3.0, 5.0, 7.0], dx = [0.0, 0.0, 0.0, 0.0], n = 3
; right:      dx = [1620.0, 1080.0, 216.0, 0.0]
; because:    x1, x2, x3 = x0 x1, x1 x2, x2 x3, three times: x2 becomes x0^3 x1^3 x2
; of:         f, reverse

@enzyme_dup = external global i32, align 4

define double @f(ptr noalias %x, i64 %n) {
entry:
  %v = tail call noalias ptr @calloc(i64 1, i64 32)
  %a0 = load double, ptr %x, align 8
  store double %a0, ptr %v, align 8
  %x1 = getelementptr i8, ptr %x, i64 8
  %v1 = getelementptr i8, ptr %v, i64 8
  %a1 = load double, ptr %x1, align 8
  store double %a1, ptr %v1, align 8
  %x2 = getelementptr i8, ptr %x, i64 16
  %v2 = getelementptr i8, ptr %v, i64 16
  %a2 = load double, ptr %x2, align 8
  store double %a2, ptr %v2, align 8
  %x3 = getelementptr i8, ptr %x, i64 24
  %v3 = getelementptr i8, ptr %v, i64 24
  %a3 = load double, ptr %x3, align 8
  store double %a3, ptr %v3, align 8
  %goes = icmp sgt i64 %n, 0
  br i1 %goes, label %loop, label %out

loop:
  %t = phi i64 [ 0, %entry ], [ %next, %loop ]
  %w = tail call noalias ptr @calloc(i64 1, i64 24)
  %b0 = load double, ptr %v, align 8
  %b1 = load double, ptr %v1, align 8
  %c0 = fmul double %b0, %b1
  store double %c0, ptr %w, align 8
  %b2 = load double, ptr %v2, align 8
  %c1 = fmul double %b1, %b2
  %w1 = getelementptr i8, ptr %w, i64 8
  store double %c1, ptr %w1, align 8
  %b3 = load double, ptr %v3, align 8
  %c2 = fmul double %b2, %b3
  %w2 = getelementptr i8, ptr %w, i64 16
  store double %c2, ptr %w2, align 8
  call void @copy(ptr %v1, ptr %w, i64 3)
  %next = add nuw nsw i64 %t, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %out

out:
  %r = load double, ptr %v2, align 8
  ret double %r
}

define internal void @copy(ptr %to, ptr %from, i64 %n) alwaysinline {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr double, ptr %from, i64 %i
  %q = getelementptr double, ptr %to, i64 %i
  %a = load double, ptr %p, align 8
  store double %a, ptr %q, align 8
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %out

out:
  ret void
}

declare noalias ptr @calloc(i64, i64)

define void @derivative(ptr %x, ptr %dx, i64 %n) {
entry:
  %dup = load i32, ptr @enzyme_dup, align 4
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, i32 %dup, ptr %x, ptr %dx, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
