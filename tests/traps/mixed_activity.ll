; what:       Constant and active memory meet at a phi. Reverse mode adds adjoints to the constant's own
;   memory.
; cause:      As of mixed_activity_forward.
; symptom:    wrong
; cure:       hidden_shadows, host/refusals.py
; call:       x = [3.0, 2.0], dx = [0.0, 0.0], c = [5.0, 7.0], n = 0
; right:      dx = [0.0, 0.0], c = [5.0, 7.0]
; because:    the result is c0 c1, and c is not written
; of:         f, reverse

@enzyme_dup = external global i32, align 4
@enzyme_const = external global i32, align 4

define double @f(ptr %x, ptr %c, i64 %n) {
entry:
  %tobool.not = icmp eq i64 %n, 0
  %cond = select i1 %tobool.not, ptr %c, ptr %x
  %0 = load double, ptr %cond, align 8
  %arrayidx1 = getelementptr inbounds nuw i8, ptr %cond, i64 8
  %1 = load double, ptr %arrayidx1, align 8
  %mul = fmul double %0, %1
  ret double %mul
}

define void @derivative(ptr %x, ptr %dx, ptr %c, i64 %n) {
entry:
  %0 = load i32, ptr @enzyme_dup, align 4
  %1 = load i32, ptr @enzyme_const, align 4
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, i32 %0, ptr %x, ptr %dx, i32 %1, ptr %c, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
