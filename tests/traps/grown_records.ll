; what:       A block of records, a pointer and a double each, grows by realloc: the gradient of the doubles
;   that were in it is lost. So the caches of an inner derivative grow that keep the tapes of calls.
; cause:      The pass makes new memory and copies the block; a block that holds pointers it takes for pointers only.
; symptom:    wrong
; cure:       passes/types/grown_caches.py
; call:       x = [3.0, 2.0], dx = [0.0, 0.0], n = 4
; right:      dx = [8.0, 12.0]
; because:    of each record is read x0 (by its pointer) times x1: the result is 4 x0 x1
; of:         f, reverse

@enzyme_dup = external global i32, align 4

define double @f(ptr %x, i64 %n) {
entry:
  %start = tail call ptr @malloc(i64 16)
  %second = getelementptr inbounds i8, ptr %x, i64 8
  br label %fill

fill:
  %i = phi i64 [ 0, %entry ], [ %next, %fill ]
  %old = phi ptr [ %start, %entry ], [ %new, %fill ]
  %next = add nuw nsw i64 %i, 1
  %size = shl i64 %next, 4
  %new = tail call ptr @realloc(ptr %old, i64 %size)
  %record = getelementptr inbounds { ptr, double }, ptr %new, i64 %i
  store ptr %x, ptr %record, align 8
  %number = getelementptr inbounds i8, ptr %record, i64 8
  %value = load double, ptr %second, align 8
  store double %value, ptr %number, align 8
  %is.full = icmp eq i64 %next, %n
  br i1 %is.full, label %read, label %fill

read:
  %j = phi i64 [ 0, %fill ], [ %j.next, %read ]
  %sum = phi double [ 0.000000e+00, %fill ], [ %more, %read ]
  %place = getelementptr inbounds { ptr, double }, ptr %new, i64 %j
  %pointer = load ptr, ptr %place, align 8
  %first = load double, ptr %pointer, align 8
  %beside = getelementptr inbounds i8, ptr %place, i64 8
  %kept = load double, ptr %beside, align 8
  %product = fmul double %first, %kept
  %more = fadd double %sum, %product
  %j.next = add nuw nsw i64 %j, 1
  %is.over = icmp eq i64 %j.next, %n
  br i1 %is.over, label %done, label %read

done:
  tail call void @free(ptr %new)
  ret double %more
}

declare noalias ptr @malloc(i64)

declare noalias ptr @realloc(ptr allocptr, i64)

declare void @free(ptr)

define void @derivative(ptr %x, ptr %dx, i64 %n) {
entry:
  %0 = load i32, ptr @enzyme_dup, align 4
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, i32 %0, ptr %x, ptr %dx, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
