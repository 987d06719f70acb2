; what:       A call of a function that neither returns nor unwinds is dropped, together with the check
;   in front of it: what should have been raised is not.
; cause:      The pass takes such a call for code that is never reached.
; symptom:    wrong
; cure:       frontend/codegen/calling_convention
; call:       x = [2.0], dx = [0.0], c = [0], n = 2
; right:      c = [1]
; because:    for n > 1 the function leaves by longjmp, and the driver then notes 1

@place = internal global [64 x i64] zeroinitializer, align 16
@enzyme_dup = external global i32, align 4

define double @f(ptr %x, i64 %n) {
entry:
  %cmp = icmp sgt i64 %n, 1
  br i1 %cmp, label %if.then, label %if.end

if.then:
  tail call void @longjmp(ptr @place, i32 1)
  unreachable

if.end:
  %0 = load double, ptr %x, align 8
  %mul = fmul double %0, %0
  ret double %mul
}

declare void @longjmp(ptr, i32 ) noreturn nounwind

define void @derivative(ptr %x, ptr %dx, ptr %c, i64 %n) {
entry:
  %call = call i32 @_setjmp(ptr @place)
  %tobool.not = icmp eq i32 %call, 0
  br i1 %tobool.not, label %if.end, label %if.then

if.then:
  store i64 1, ptr %c, align 8
  br label %return

if.end:
  %0 = load i32, ptr @enzyme_dup, align 4
  %call1 = call double (ptr, ...) @__enzyme_autodiff(ptr @f, i32 %0, ptr %x, ptr %dx, i64 %n)
  br label %return

return:
  ret void
}

declare i32 @_setjmp(ptr ) returns_twice

declare double @__enzyme_autodiff(ptr, ...)
