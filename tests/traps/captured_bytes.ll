; what:       A table of floats that the module has as bytes: the derivative of a gradient takes its
;   numbers for tangents.
; cause:      From bytes the pass concludes that what is loaded may be of any type, and forward mode
;   gives a constant that is no float its own value as tangent, as for a pointer.
; symptom:    wrong
; cure:       passes/memory/captured_numbers.py
; call:       a = 0.5, da = 1.0, n = 2
; right:      result = 18.0
; because:    the second derivative of 0 + (3 a)^2

@T = constant [16 x i8] c"\00\00\00\00\00\00\00\00\00\00\00\00\00\00\08@", align 16

define double @f(double %a, i64 %n) {
entry:
  %call = tail call dereferenceable_or_null(16) ptr @calloc(i64 2, i64 8)
  %cmp12 = icmp sgt i64 %n, 0
  br i1 %cmp12, label %for.body, label %for.cond.cleanup6.critedge

for.cond.cleanup:
  %arrayidx2 = getelementptr inbounds nuw i8, ptr %call, i64 8
  %0 = load double, ptr %arrayidx2, align 8
  %mul = fmul double %a, %0
  store double %mul, ptr %arrayidx2, align 8
  br label %for.body7

for.body:
  %i.013 = phi i64 [ %inc, %for.body ], [ 0, %entry ]
  %arrayidx = getelementptr inbounds nuw double, ptr @T, i64 %i.013
  %1 = load double, ptr %arrayidx, align 8
  %arrayidx1 = getelementptr inbounds nuw double, ptr %call, i64 %i.013
  store double %1, ptr %arrayidx1, align 8
  %inc = add nuw nsw i64 %i.013, 1
  %exitcond.not = icmp eq i64 %inc, %n
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body

for.cond.cleanup6.critedge:
  %arrayidx2.c = getelementptr inbounds nuw i8, ptr %call, i64 8
  %2 = load double, ptr %arrayidx2.c, align 8
  %mul.c = fmul double %a, %2
  store double %mul.c, ptr %arrayidx2.c, align 8
  br label %for.cond.cleanup6

for.cond.cleanup6:
  %s.0.lcssa = phi double [ 0.000000e+00, %for.cond.cleanup6.critedge ], [ %4, %for.body7 ]
  ret double %s.0.lcssa

for.body7:
  %i3.016 = phi i64 [ %inc12, %for.body7 ], [ 0, %for.cond.cleanup ]
  %s.015 = phi double [ %4, %for.body7 ], [ 0.000000e+00, %for.cond.cleanup ]
  %arrayidx8 = getelementptr inbounds nuw double, ptr %call, i64 %i3.016
  %3 = load double, ptr %arrayidx8, align 8
  %4 = tail call double @llvm.fmuladd.f64(double %3, double %3, double %s.015)
  %inc12 = add nuw nsw i64 %i3.016, 1
  %exitcond17.not = icmp eq i64 %inc12, %n
  br i1 %exitcond17.not, label %for.cond.cleanup6, label %for.body7
}

declare noalias ptr @calloc(i64, i64 )

declare double @llvm.fmuladd.f64(double, double, double)

define double @g(double %a, i64 %n) {
entry:
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, double %a, i64 %n)
  ret double %call
}

declare double @__enzyme_autodiff(ptr, ...)

define double @derivative(double %a, double %da, i64 %n) {
entry:
  %call = tail call double (ptr, ...) @__enzyme_fwddiff(ptr @g, double %a, double %da, i64 %n)
  ret double %call
}

declare double @__enzyme_fwddiff(ptr, ...)
