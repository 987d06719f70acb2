; what:       A loop stores a trip count in a variable that begins there (`llvm.lifetime.start`), and reads it for an
;   inner loop. The derivative reads it in front of both loops, where nothing has been stored yet, and asks for a
;   tape of that size: zero or memory of others in place of the gradient. In NumPy: `np.reshape(y, (n, k, m))` in a loop.
; cause:      Such a variable the pass takes for one that it can fill again wherever it is read. The size of the
;   tape, which it computes in front of the loops, is computed without filling it.
; symptom:    wrong
; cure:       passes/memory/lasting_variables.py
; call:       x = [1.5], dx = [0.0], n = 2, m = 7, k = 1
; right:      dx = [79.734375]
; because:    u becomes x u^2, once in the first iteration and twice in the second, from 1: x, then x^3, then
;   x^7, whose slope is 7 x^6 (k = 1: the trip count of iteration i is i + 1)
; of:         f, reverse

define double @f(ptr %x, i64 %n, i64 %m, i64 %k) {
entry:
  %sizes = alloca [2 x i64], align 8
  br label %outer

outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %outer.latch ]
  %t = phi double [ 1.0, %entry ], [ %t.behind, %outer.latch ]
  call void @llvm.lifetime.start.p0(ptr %sizes)
  store i64 %m, ptr %sizes, align 8
  %second = getelementptr i64, ptr %sizes, i64 1
  store i64 %m, ptr %second, align 8
  %place = getelementptr i64, ptr %sizes, i64 %k
  %inferred = add i64 %i, 1
  store i64 %inferred, ptr %place, align 8
  %size = load i64, ptr %second, align 8
  call void @llvm.lifetime.end.p0(ptr %sizes)
  br label %inner

inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %u = phi double [ %t, %outer ], [ %u.next, %inner ]
  %0 = load double, ptr %x, align 8
  %1 = fmul double %u, %u
  %u.next = fmul double %1, %0
  %j.next = add nuw nsw i64 %j, 1
  %inner.ends = icmp eq i64 %j.next, %size
  br i1 %inner.ends, label %outer.latch, label %inner

outer.latch:
  %t.behind = phi double [ %u.next, %inner ]
  %i.next = add nuw nsw i64 %i, 1
  %outer.ends = icmp eq i64 %i.next, %n
  br i1 %outer.ends, label %exit, label %outer

exit:
  ret double %t.behind
}

define void @derivative(ptr %x, ptr %dx, i64 %n, i64 %m, i64 %k) {
  call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, i64 %n, i64 %m, i64 %k)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
declare void @llvm.lifetime.start.p0(ptr captures(none))
declare void @llvm.lifetime.end.p0(ptr captures(none))
