; what:       A called function leaves a number and a count in a variable of its caller, which is called itself and
;   reads the number alone.
; cause:      The variable is taken for floats, whose shadow the forward sweep does without: the called function is
;   given `undef` there, and stores its count in it. To LLVM no such store runs, nor does what stands beside it.
; symptom:    wrong
; cure:       mixed_results
; call:       x = 3.0
; right:      result = 108.0
; because:    the result is (x^2)^2, and its slope 4 x^3
; of:         f, reverse

define void @pair(ptr noalias nocapture writeonly %result, double %x) noinline {
entry:
  %square = fmul double %x, %x
  store double %square, ptr %result, align 8
  %place = getelementptr inbounds nuw i8, ptr %result, i64 8
  store i64 40, ptr %place, align 8
  ret void
}

define void @first(ptr noalias nocapture writeonly %result, double %x) noinline {
entry:
  %pair = alloca { double, i64 }, align 8
  call void @pair(ptr %pair, double %x)
  %number = load double, ptr %pair, align 8
  store double %number, ptr %result, align 8
  ret void
}

define double @f(double %x) {
entry:
  %number = alloca double, align 8
  call void @first(ptr %number, double %x)
  %y = load double, ptr %number, align 8
  %z = fmul double %y, %y
  ret double %z
}

define double @derivative(double %x) {
entry:
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %x)
  ret double %call
}

declare double @__enzyme_autodiff(ptr, ...)
