; what:       A loop copies a row into memory of its own, and its next iteration overwrites that row, `z =
;   m[t + 1].copy(); m[t] = z * z`; the reverse sweep copies the new numbers.
; cause:      The memory is made again in the reverse sweep. Whether what was copied is overwritten the pass
;   asks LLVM's alias analysis and scalar evolution, which compare the rows of one iteration.
; symptom:    wrong
; cure:       passes/memory/overwriting/later_iterations.py
; call:       m = [2.0, 3.0, 5.0], dm = [1.0, 1.0, 1.0], n = 2, k = 1
; right:      dm = [0.0, 6.0, 11.0]
; because:    the sum of m afterwards is m1 m1 + m2 m2 + m2
; of:         f, reverse

define void @f(ptr %m, i64 %n, i64 %k) {
entry:
  %bytes = shl nsw i64 %k, 3
  br label %step

step:
  %t = phi i64 [ 0, %entry ], [ %later, %end ]
  %later = add nuw nsw i64 %t, 1
  %z = tail call noalias ptr @calloc(i64 1, i64 %bytes)
  %below = mul nuw nsw i64 %later, %k
  %row = getelementptr double, ptr %m, i64 %below
  br label %copy

copy:
  %i = phi i64 [ 0, %step ], [ %i.next, %copy ]
  %from = getelementptr double, ptr %row, i64 %i
  %number = load double, ptr %from, align 8
  %to = getelementptr double, ptr %z, i64 %i
  store double %number, ptr %to, align 8
  %i.next = add nuw nsw i64 %i, 1
  %copied = icmp eq i64 %i.next, %k
  br i1 %copied, label %squares, label %copy

squares:
  %here = mul nuw nsw i64 %t, %k
  %above = getelementptr double, ptr %m, i64 %here
  br label %square

square:
  %j = phi i64 [ 0, %squares ], [ %j.next, %square ]
  %read = getelementptr double, ptr %z, i64 %j
  %side = load double, ptr %read, align 8
  %area = fmul double %side, %side
  %written = getelementptr double, ptr %above, i64 %j
  store double %area, ptr %written, align 8
  %j.next = add nuw nsw i64 %j, 1
  %done = icmp eq i64 %j.next, %k
  br i1 %done, label %end, label %square

end:
  tail call void @free(ptr %z)
  %last = icmp eq i64 %later, %n
  br i1 %last, label %out, label %step

out:
  ret void
}

define void @derivative(ptr %m, ptr %dm, i64 %n, i64 %k) {
entry:
  tail call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %m, ptr %dm, i64 %n, i64 %k)
  ret void
}

declare noalias ptr @calloc(i64, i64) allockind("alloc,zeroed") allocsize(0,1) "alloc-family"="malloc"

declare void @free(ptr) allockind("free") "alloc-family"="malloc"

declare void @__enzyme_autodiff(ptr, ...)
