; what:       An array of records, a double and a float each, is copied as one block, and both arrays are
;   read behind that: adjoints of doubles are added across the ends of records.
; cause:      Of a block copy of a size that only the run knows, all has the type of its beginning. Bits
;   that are added to zeros stay what they are, so it shows only where both arrays are read.
; symptom:    wrong
; cure:       frontend/arrays/joins.py
; call:       x = [3.0, 5.0], dx = [0.0, 0.0], n = 2
; right:      dx = [2.0, 2.0]
; because:    the result is twice the sum of x
; of:         f, reverse

@enzyme_dup = external global i32, align 4

define double @f(ptr %x, i64 %n) {
entry:
  %size = mul i64 %n, 12
  %r = call ptr @malloc(i64 %size)
  br label %fill

fill:
  %i = phi i64 [ 0, %entry ], [ %i.next, %fill ]
  %x.i = getelementptr inbounds double, ptr %x, i64 %i
  %value = load double, ptr %x.i, align 8
  %r.i = getelementptr inbounds [12 x i8], ptr %r, i64 %i
  store double %value, ptr %r.i, align 4
  %w.i = getelementptr inbounds i8, ptr %r.i, i64 8
  store float 0.000000e+00, ptr %w.i, align 4
  %i.next = add nuw nsw i64 %i, 1
  %filled = icmp eq i64 %i.next, %n
  br i1 %filled, label %copy, label %fill

copy:
  %q = call ptr @malloc(i64 %size)
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %q, ptr align 4 %r, i64 %size, i1 false)
  br label %add

add:
  %j = phi i64 [ 0, %copy ], [ %j.next, %add ]
  %sum = phi double [ 0.000000e+00, %copy ], [ %sum.next, %add ]
  %r.j = getelementptr inbounds [12 x i8], ptr %r, i64 %j
  %of.r = load double, ptr %r.j, align 4
  %q.j = getelementptr inbounds [12 x i8], ptr %q, i64 %j
  %of.q = load double, ptr %q.j, align 4
  %both = fadd double %of.r, %of.q
  %sum.next = fadd double %sum, %both
  %j.next = add nuw nsw i64 %j, 1
  %added = icmp eq i64 %j.next, %n
  br i1 %added, label %end, label %add

end:
  ret double %sum.next
}

define void @derivative(ptr %x, ptr %dx, i64 %n) {
entry:
  %0 = load i32, ptr @enzyme_dup, align 4
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, i32 %0, ptr %x, ptr %dx, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)

declare ptr @malloc(i64)

declare void @llvm.memcpy.p0.p0.i64(ptr noalias, ptr noalias, i64, i1 immarg)
