; what:       Two loops that read the same array by pointers, as C++ counts them, one in the other, and the array is overwritten behind them:
;   in the sweep of the one Enzyme takes what the other one cached, by the other's index.
; cause:      What both read begins at one address and ends at one address, so the pass takes the loops for one (equal_loops).
; symptom:    wrong
; cure:       passes/control_flow/bounds/own_bounds.py
; call:       x = [2.0, 3.0], dx = [0.0, 0.0], c = [5.0, 7.0], dc = [0.0, 0.0], n = 2
; right:      dx = [189.0, 277.0]
; because:    the result is (x0 c0 + x1 c1) (x0^2 + x1^2): each slope is c times the sum of the squares, and 2 x times x c
; of:         f, reverse

define double @f(ptr noalias %x, ptr noalias %c, i64 %n) {
entry:
  %bytes = shl i64 %n, 3
  %end = getelementptr inbounds i8, ptr %x, i64 %bytes
  %none = icmp eq i64 %n, 0
  br i1 %none, label %out, label %outer

outer:
  %p = phi ptr [ %x, %entry ], [ %p.next, %latch ]
  %q = phi ptr [ %c, %entry ], [ %q.next, %latch ]
  %s = phi double [ 0.0, %entry ], [ %s.next, %latch ]
  %x.value = load double, ptr %p, align 8
  %c.value = load double, ptr %q, align 8
  %a = fmul double %x.value, %c.value
  br label %inner

inner:
  %r = phi ptr [ %x, %outer ], [ %r.next, %inner ]
  %t = phi double [ %s, %outer ], [ %s.next, %inner ]
  %other = load double, ptr %r, align 8
  %product = fmul double %a, %other
  %square = fmul double %product, %other
  %s.next = fadd double %t, %square
  %r.next = getelementptr inbounds i8, ptr %r, i64 8
  %r.done = icmp eq ptr %r.next, %end
  br i1 %r.done, label %latch, label %inner

latch:
  %p.next = getelementptr inbounds i8, ptr %p, i64 8
  %q.next = getelementptr inbounds i8, ptr %q, i64 8
  %p.done = icmp eq ptr %p.next, %end
  br i1 %p.done, label %out, label %outer

out:
  %result = phi double [ 0.0, %entry ], [ %s.next, %latch ]
  call void @llvm.memset.p0.i64(ptr align 8 %x, i8 0, i64 %bytes, i1 false)
  ret double %result
}

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define void @derivative(ptr %x, ptr %dx, ptr %c, ptr %dc, i64 %n) {
entry:
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, ptr %c, ptr %dc, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
