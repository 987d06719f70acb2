; what:       A branch that becomes a select: the slope of what was not chosen is zero times infinity,
;   also with strong zero.
; cause:      SimplifyCFG in front of the pass folds `if x > 0: s = x log(x)`; the adjoint of log divides
;   zero by zero.
; symptom:    wrong
; cure:       --phi-node-folding-threshold=0, --two-entry-phi-node-folding-threshold=0
; without:    --phi-node-folding-threshold --two-entry-phi-node-folding-threshold --speculate-one-
;   expensive-inst
; call:       x = 0.0
; right:      result = 0.0
; because:    at 0 the result is the constant 0

@enzyme_strong_zero = external global i32, align 4

define double @f(double %x) {
entry:
  %cmp = fcmp ogt double %x, 0.000000e+00
  %call = tail call double @llvm.log.f64(double %x)
  %mul = fmul double %x, %call
  %s.0 = select i1 %cmp, double %mul, double 0.000000e+00
  ret double %s.0
}

define double @derivative(double %x) {
entry:
  %0 = load i32, ptr @enzyme_strong_zero, align 4
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, i32 %0, double %x)
  ret double %call
}

declare double @__enzyme_autodiff(ptr, ...)

declare double @llvm.log.f64(double)
