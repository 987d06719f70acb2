; what:       A loop goes on as long as its counter is less than what it reads from memory, `while i < limits[i]`. The derivative goes
;   on until both are equal. In NumPy: `while i < m: m //= 2; i += 1` ended the process, since they may never be.
; cause:      The pass writes "is not equal" for "is less", for a counter that begins at 0 and goes up by 1. That is right for a bound
;   that stays as it is. It does not ask whether it does; only, whether one of both may be negative.
; symptom:    wrong
; cure:       passes/control_flow/bounds/moving_bounds.py
; call:       x = [1.0, 2.0, 3.0, 4.0], dx = [0.0, 0.0, 0.0, 0.0], limits = [9, 3, 1, 3]
; right:      dx = [2.0, 4.0, 0.0, 0.0]
; because:    1 is less than limits[1] = 3, and 2 is not less than limits[2] = 1: x0^2 + x1^2. 3 is equal to limits[3]
; of:         f, reverse

define double @f(ptr %x, ptr %limits) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %s = phi double [ 0.0, %entry ], [ %s.next, %loop ]
  %place = getelementptr double, ptr %x, i64 %i
  %value = load double, ptr %place, align 8
  %square = fmul double %value, %value
  %s.next = fadd double %s, %square
  %i.next = add nuw nsw i64 %i, 1
  %limit = getelementptr i64, ptr %limits, i64 %i.next
  %bound = load i64, ptr %limit, align 8
  %goes.on = icmp ult i64 %i.next, %bound
  br i1 %goes.on, label %loop, label %exit

exit:
  ret double %s.next
}

define void @derivative(ptr %x, ptr %dx, ptr %limits) {
  call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, metadata !"enzyme_const", ptr %limits)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
