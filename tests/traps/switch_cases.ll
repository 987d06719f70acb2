; what:       A switch with three cases that lead to one merge: the adjoint of its phi is added once for
;   each case.
; cause:      The pass goes through the cases, and not through the blocks that they lead to.
; symptom:    wrong
; cure:       passes/control_flow/two_way_merges.py
; call:       x = [2.0, 3.0], dx = [0.0, 0.0], n = 1
; right:      dx = [3.0, 2.0]
; because:    for n = 1 the result is x0 x1
; of:         f, reverse

define double @f(ptr %x, i64 %n) {
entry:
  %0 = load double, ptr %x, align 8
  switch i64 %n, label %if.then [
    i64 4, label %if.end
    i64 3, label %if.end
    i64 1, label %if.end
  ]

if.then:
  %mul = fmul double %0, %0
  %mul4 = fmul double %0, %mul
  br label %if.end

if.end:
  %t.0 = phi double [ %0, %entry ], [ %mul4, %if.then ], [ %0, %entry ], [ %0, %entry ]
  %arrayidx5 = getelementptr inbounds nuw i8, ptr %x, i64 8
  %1 = load double, ptr %arrayidx5, align 8
  %mul6 = fmul double %t.0, %1
  ret double %mul6
}

define void @derivative(ptr %x, ptr %dx, i64 %n) {
entry:
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
