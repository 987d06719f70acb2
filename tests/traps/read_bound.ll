; what:       A called function takes an item out of an array and moves the ones behind it down, as many as `n - 1 - index`, and writes `n - 1`
;   for `n`. Called twice, the derivative moves too few or too many back. In Python: two `pop(i)` of one `numba.typed.List`.
; cause:      The tape of the called function holds how many are moved. How often the loop runs the derivative computes from `n`, and reads
;   that again, when it is another number.
; symptom:    wrong
; cure:       passes/control_flow/bounds/read_bounds.py
; call:       x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], dx = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0], n = [5]
; right:      dx = [5.0, 0.0, 0.0, 0.0, 1.0, 0.0]
; because:    the items 0 and 3 are x0 and x4, and their product is returned
; of:         f, reverse

define internal double @pop(ptr %n, ptr %data, i64 %index) noinline {
entry:
  %length = load i64, ptr %n, align 8
  %place = getelementptr double, ptr %data, i64 %index
  %popped = load double, ptr %place, align 8
  %less = add nsw i64 %length, -1
  %count = sub nsw i64 %less, %index
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %loop, label %done

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %next = add nuw nsw i64 %i, 1
  %to = getelementptr double, ptr %place, i64 %i
  %from = getelementptr i8, ptr %to, i64 8
  %item = load double, ptr %from, align 8
  store double %item, ptr %to, align 8
  %ends = icmp eq i64 %next, %count
  br i1 %ends, label %done, label %loop

done:
  store i64 %less, ptr %n, align 8
  ret double %popped
}

define double @f(ptr %x, ptr %n) {
entry:
  %data = call noalias ptr @calloc(i64 1, i64 48)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %next = add nuw nsw i64 %i, 1
  %from = getelementptr double, ptr %x, i64 %i
  %to = getelementptr double, ptr %data, i64 %i
  %item = load double, ptr %from, align 8
  store double %item, ptr %to, align 8
  %ends = icmp eq i64 %next, 6
  br i1 %ends, label %done, label %loop
done:
  %a = call double @pop(ptr %n, ptr %data, i64 0)
  %b = call double @pop(ptr %n, ptr %data, i64 3)
  %r = fmul double %a, %b
  ret double %r
}

define void @derivative(ptr %x, ptr %dx, ptr %n) {
  call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, metadata !"enzyme_const", ptr %n)
  ret void
}

declare noalias ptr @calloc(i64, i64)
declare double @__enzyme_autodiff(ptr, ...)
