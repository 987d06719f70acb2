; what:       Two loops that read the same array from end to end, one in the other, `a = x[i] * c[i]; for j: s += a * x[j]`, and
;   `x` is overwritten behind them: in the sweep of the one Enzyme takes what the other one cached, by the other's index.
; cause:      What both read begins at one address and ends at one bound, so the pass takes the loops for one.
; symptom:    wrong
; cure:       passes/control_flow/bounds/own_bounds.py
; call:       x = [2.0, 3.0], dx = [0.0, 0.0], c = [5.0, 7.0], dc = [0.0, 0.0], n = 2
; right:      dx = [56.0, 66.0]
; because:    the result is (x0 c0 + x1 c1) (x0 + x1): each slope is c times the sum of x, and the sum of x c
; of:         f, reverse

define double @f(ptr noalias %x, ptr noalias %c, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %outer, label %none

outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %s = phi double [ 0.0, %entry ], [ %s.next, %latch ]
  %x.i = getelementptr inbounds double, ptr %x, i64 %i
  %c.i = getelementptr inbounds double, ptr %c, i64 %i
  %x.value = load double, ptr %x.i, align 8
  %c.value = load double, ptr %c.i, align 8
  %a = fmul double %x.value, %c.value
  br label %inner

inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %t = phi double [ %s, %outer ], [ %s.next, %inner ]
  %x.j = getelementptr inbounds double, ptr %x, i64 %j
  %other = load double, ptr %x.j, align 8
  %product = fmul double %a, %other
  %s.next = fadd double %t, %product
  %j.next = add nuw nsw i64 %j, 1
  %j.done = icmp eq i64 %j.next, %n
  br i1 %j.done, label %latch, label %inner

latch:
  %i.next = add nuw nsw i64 %i, 1
  %i.done = icmp eq i64 %i.next, %n
  br i1 %i.done, label %out, label %outer

out:
  %bytes = shl i64 %n, 3
  call void @llvm.memset.p0.i64(ptr align 8 %x, i8 0, i64 %bytes, i1 false)
  br label %none

none:
  %result = phi double [ 0.0, %entry ], [ %s.next, %out ]
  ret double %result
}

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define void @derivative(ptr %x, ptr %dx, ptr %c, ptr %dc, i64 %n) {
entry:
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, ptr %c, ptr %dc, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
