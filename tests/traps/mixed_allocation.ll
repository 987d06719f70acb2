; what:       Memory that a function makes and fills with constants meets active memory at a phi. Forward mode takes the
;   constants for their own tangents.
; cause:      As of mixed_activity_forward.
; symptom:    wrong
; cure:       passes/memory/written_pointers.py, host/refusals.py
; call:       x = [3.0, 2.0], dx = [1.0, 0.0], n = 0
; right:      result = 0.0
; because:    the result is 5 * 7
; of:         f, forward

@enzyme_dup = external global i32, align 4
@enzyme_const = external global i32, align 4

declare noalias ptr @malloc(i64)

define double @f(ptr %x, i64 %n) {
entry:
  %own = call noalias ptr @malloc(i64 16)
  %own.1 = getelementptr inbounds nuw i8, ptr %own, i64 8
  store double 5.0, ptr %own, align 8
  store double 7.0, ptr %own.1, align 8
  %is.none = icmp eq i64 %n, 0
  %one = select i1 %is.none, ptr %own, ptr %x
  %a = load double, ptr %one, align 8
  %at = getelementptr inbounds nuw i8, ptr %one, i64 8
  %b = load double, ptr %at, align 8
  %ab = fmul double %a, %b
  ret double %ab
}

define double @derivative(ptr %x, ptr %dx, i64 %n) {
entry:
  %dup = load i32, ptr @enzyme_dup, align 4
  %const = load i32, ptr @enzyme_const, align 4
  %d = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, i32 %dup, ptr %x, ptr %dx, i32 %const, i64 %n)
  ret double %d
}

declare double @__enzyme_fwddiff(ptr, ...)
