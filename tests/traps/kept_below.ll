; what:       A loop reads memory and hands it to a function that does not keep it, in a block that stands, in the text, in
;   front of the one that makes the memory. Behind the loop it is written through a pointer that moves.
; cause:      Whether that pointer may lead into the memory, the pass decides by who has kept it before. It goes through the
;   users as they stand in the text, and at the first call that does not keep it, it stops.
; symptom:    wrong
; cure:       passes/control_flow/block_order.py
; call:       x = [2.0, 3.0], dx = [0.0, 0.0], header = [0.0], dheader = [0.0], n = 0
; right:      dx = [4.0, 6.0]
; because:    the result is x0^2 + x1^2
; of:         f, reverse

declare noalias ptr @malloc(i64)

define i64 @look(ptr captures(none) %a, i64 %i) noinline "enzyme_inactive" {
entry:
  %p = getelementptr inbounds double, ptr %a, i64 %i
  %v = load double, ptr %p, align 8
  %is = fcmp ogt double %v, 1.0e+09
  %one = select i1 %is, i64 2, i64 1
  ret i64 %one
}

define double @f(ptr %x, ptr %header, i64 %n) {
entry:
  %is_none = icmp slt i64 %n, 0
  br i1 %is_none, label %none, label %make

none:
  ret double 0.0

loop:
  %i = phi i64 [ 0, %make ], [ %next, %loop ]
  %s = phi double [ 0.0, %make ], [ %t, %loop ]
  %p = getelementptr inbounds double, ptr %a, i64 %i
  %v = load double, ptr %p, align 8
  %vv = fmul double %v, %v
  %t = fadd double %s, %vv
  %step = call i64 @look(ptr captures(none) %a, i64 %i)
  %next = add nuw nsw i64 %i, %step
  %more = icmp ult i64 %next, 2
  br i1 %more, label %loop, label %move

make:
  %a = call noalias ptr @malloc(i64 16)
  store ptr %a, ptr %header, align 8
  %x0 = load double, ptr %x, align 8
  store double %x0, ptr %a, align 8
  %q = getelementptr inbounds i8, ptr %x, i64 8
  %x1 = load double, ptr %q, align 8
  %r = getelementptr inbounds i8, ptr %a, i64 8
  store double %x1, ptr %r, align 8
  br label %loop

move:
  %b = phi ptr [ %a, %loop ], [ %further, %move ]
  %m = phi i64 [ 0, %loop ], [ %moved, %move ]
  %by = and i64 %m, %n
  %further = getelementptr double, ptr %b, i64 %by
  %moved = add nuw nsw i64 %m, 1
  %again = icmp ult i64 %m, %n
  br i1 %again, label %move, label %end

end:
  store double 5.0e-01, ptr %b, align 8
  ret double %t
}

define void @derivative(ptr %x, ptr %dx, ptr %header, ptr %dheader, i64 %n) {
entry:
  %call = call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, ptr %header, ptr %dheader, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
