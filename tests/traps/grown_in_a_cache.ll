; what:       Rows grow by realloc, and the address of each row is kept in memory between: so the caches of a loop in a loop grow,
;   where nobody knows the number of iterations of either. That is refused.
; cause:      How much a realloc copies, the pass reads off the code that made the old block: not where its address was loaded.
; symptom:    refused
; cure:       passes/types/grown_caches.py
; call:       x = [3.0, 2.0], dx = [0.0, 0.0], n = 3
; right:      dx = [18.0, 27.0]
; because:    in each of 3 turns each of 3 rows adds its first element, x0 x1: the result is 9 x0 x1
; of:         f, reverse

@enzyme_dup = external global i32, align 4

define double @f(ptr %x, i64 %n) {
entry:
  %bytes = shl i64 %n, 3
  %rows = tail call ptr @calloc(i64 1, i64 %bytes)
  %second = getelementptr inbounds i8, ptr %x, i64 8
  br label %turn

turn:
  %j = phi i64 [ 0, %entry ], [ %j.next, %grown ]
  %sum = phi double [ 0.000000e+00, %entry ], [ %more, %grown ]
  %j.next = add nuw nsw i64 %j, 1
  %size = shl i64 %j.next, 3
  br label %grow

grow:
  %i = phi i64 [ 0, %turn ], [ %i.next, %grow ]
  %part = phi double [ %sum, %turn ], [ %more, %grow ]
  %slot = getelementptr inbounds ptr, ptr %rows, i64 %i
  %old = load ptr, ptr %slot, align 8
  %new = tail call ptr @realloc(ptr %old, i64 %size)
  store ptr %new, ptr %slot, align 8
  %last = getelementptr inbounds double, ptr %new, i64 %j
  %first = load double, ptr %x, align 8
  %other = load double, ptr %second, align 8
  %product = fmul double %first, %other
  store double %product, ptr %last, align 8
  %kept = load double, ptr %new, align 8
  %more = fadd double %part, %kept
  %i.next = add nuw nsw i64 %i, 1
  %is.over = icmp eq i64 %i.next, %n
  br i1 %is.over, label %grown, label %grow

grown:
  %is.done = icmp eq i64 %j.next, %n
  br i1 %is.done, label %done, label %turn

done:
  ret double %more
}

declare noalias ptr @calloc(i64, i64)

declare noalias ptr @realloc(ptr allocptr, i64)

define void @derivative(ptr %x, ptr %dx, i64 %n) {
entry:
  %0 = load i32, ptr @enzyme_dup, align 4
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, i32 %0, ptr %x, ptr %dx, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
