; what:       Reverse over reverse of a function that calls itself: second derivatives are lost.
; cause:      What the inner derivative kept goes to the function as a struct by value. It has a pointer
;   among its fields, so it has a shadow, by value too: what is added to a double in that goes nowhere.
; symptom:    wrong
; cure:       passes/types/flat_parameters.py, passes/steps.py
; call:       x = [2.0, 3.0, 5.0], dx = [0.0, 0.0, 0.0], y = [0.0, 0.0, 0.0], dy = [1.0, 0.0, 0.0], n = 3
; right:      dx = [0.0, 5.0, 3.0]
; because:    y0 is x1 x2
; of:         g, reverse

@enzyme_dup = external global i32, align 4

define double @f(ptr %x, i64 %i, i64 %n) {
entry:
  %cmp = icmp eq i64 %i, %n
  br i1 %cmp, label %common.ret, label %if.end

common.ret:
  %common.ret.op = phi double [ %mul, %if.end ], [ 1.000000e+00, %entry ]
  ret double %common.ret.op

if.end:
  %arrayidx = getelementptr inbounds double, ptr %x, i64 %i
  %0 = load double, ptr %arrayidx, align 8
  %add = add nsw i64 %i, 1
  %call = tail call double @f(ptr %x, i64 %add, i64 %n)
  %mul = fmul double %0, %call
  br label %common.ret
}

define double @f0(ptr %x, i64 %n) {
entry:
  %call = tail call double @f(ptr %x, i64 0, i64 %n)
  ret double %call
}

define void @g(ptr %x, ptr %y, i64 %n) {
entry:
  %0 = load i32, ptr @enzyme_dup, align 4
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f0, i32 %0, ptr %x, ptr %y, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)

define void @derivative(ptr %x, ptr %dx, ptr %y, ptr %dy, i64 %n) {
entry:
  %0 = load i32, ptr @enzyme_dup, align 4
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @g, i32 %0, ptr %x, ptr %dx, i32 %0, ptr %y, ptr %dy, i64 %n)
  ret void
}
