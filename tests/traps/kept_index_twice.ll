; what:       Forward over reverse of a loop that reads by an index that it carries, `i = 2 * i + 1`, times a step, and that
;   a branch leads past: refused as a product of a float's bits.
; cause:      The reverse sweep keeps the index in a cache that grows. On the way past the loop that cache has no
;   value, and behind the merge the pass cannot tell any more that it holds integers.
; symptom:    refused
; cure:       passes/steps.py
; call:       x = [2.0, 3.0], dx = [1.0, 1.0], y = [0.0, 0.0], dy = [0.0, 0.0], n = 2, s = 8
; right:      dy = [2.0, 2.0]
; because:    the result is x0^2 + x1^2
; of:         g, forward

@enzyme_dup = external global i32, align 4

define double @f(ptr %x, i64 %n, i64 %s) {
entry:
  %first = load double, ptr %x, align 8
  %is.one = icmp eq i64 %n, 1
  br i1 %is.one, label %done, label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %t = phi double [ 0.0, %entry ], [ %t.next, %loop ]
  %at = mul i64 %i, %s
  %p = getelementptr i8, ptr %x, i64 %at
  %v = load double, ptr %p, align 8
  %vv = fmul double %v, %v
  %t.next = fadd double %vv, %t
  %i.twice = shl i64 %i, 1
  %i.next = add i64 %i.twice, 1
  %is.more = icmp slt i64 %i.next, %n
  br i1 %is.more, label %loop, label %done

done:
  %q = phi double [ %t.next, %loop ], [ %first, %entry ]
  ret double %q
}

define void @g(ptr %x, ptr %y, i64 %n, i64 %s) {
entry:
  %dup = load i32, ptr @enzyme_dup, align 4
  %call = call double (ptr, ...) @__enzyme_autodiff(ptr @f, i32 %dup, ptr %x, ptr %y, i64 %n, i64 %s)
  ret void
}

define void @derivative(ptr %x, ptr %dx, ptr %y, ptr %dy, i64 %n, i64 %s) {
entry:
  %dup = load i32, ptr @enzyme_dup, align 4
  call void (ptr, ...) @__enzyme_fwddiff(ptr @g, i32 %dup, ptr %x, ptr %dx, i32 %dup, ptr %y, ptr %dy, i64 %n, i64 %s)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
declare void @__enzyme_fwddiff(ptr, ...)
