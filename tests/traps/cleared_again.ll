; what:       `memset` of numbers in each iteration of a loop, in reverse mode: their adjoints are not cleared.
; cause:      Memory whose type is not known, and that nothing in the same basic block writes before, is taken for new
;   and for one of integers.
; symptom:    wrong
; cure:       passes/types/typed_fills.py
; call:       x = [0.5, 1.2], dx = [0.0, 0.0], n = 2
; right:      dx = [27.0, 155.52]
; because:    three rounds with the factors 1, 2, 3: 3 x^2 (1 + 8 + 27)
; of:         f, reverse

define double @f(ptr readonly %x, i64 %n) {
entry:
  %mul = shl i64 %n, 3
  %call = call noalias ptr @malloc(i64 %mul)
  %cmp.not50 = icmp slt i64 %n, 0
  br i1 %cmp.not50, label %for.cond.cleanup, label %for.body.preheader

for.body.preheader:
  %cond = icmp eq i64 %n, 0
  br label %for.body

for.cond.cleanup:
  %total.0.lcssa = phi double [ 0.000000e+00, %entry ], [ %total.1.lcssa, %for.cond.cleanup13 ]
  call void @free(ptr %call)
  ret double %total.0.lcssa

for.body:
  %total.052 = phi double [ %total.1.lcssa, %for.cond.cleanup13 ], [ 0.000000e+00, %for.body.preheader ]
  %round.051 = phi i64 [ %inc24, %for.cond.cleanup13 ], [ 0, %for.body.preheader ]
  call void @llvm.memset.p0.i64(ptr align 8 %call, i8 0, i64 %mul, i1 false)
  br i1 %cond, label %for.cond.cleanup13, label %for.body5.lr.ph

for.body5.lr.ph:
  %add = add nuw nsw i64 %round.051, 1
  %conv = uitofp nneg i64 %add to double
  br label %for.body5

for.body5:
  %i.046 = phi i64 [ 0, %for.body5.lr.ph ], [ %inc, %for.body5 ]
  %arrayidx = getelementptr inbounds double, ptr %x, i64 %i.046
  %0 = load double, ptr %arrayidx, align 8
  %mul7 = mul nuw nsw i64 %i.046, 3
  %rem = urem i64 %mul7, %n
  %arrayidx8 = getelementptr inbounds double, ptr %call, i64 %rem
  %1 = load double, ptr %arrayidx8, align 8
  %2 = call double @llvm.fmuladd.f64(double %0, double %conv, double %1)
  store double %2, ptr %arrayidx8, align 8
  %inc = add nuw nsw i64 %i.046, 1
  %exitcond.not = icmp eq i64 %inc, %n
  br i1 %exitcond.not, label %for.body14, label %for.body5

for.cond.cleanup13:
  %total.1.lcssa = phi double [ %total.052, %for.body ], [ %5, %for.body14 ]
  %inc24 = add nuw i64 %round.051, 1
  %exitcond55.not = icmp eq i64 %round.051, %n
  br i1 %exitcond55.not, label %for.cond.cleanup, label %for.body

for.body14:
  %total.149 = phi double [ %5, %for.body14 ], [ %total.052, %for.body5 ]
  %i9.048 = phi i64 [ %add15, %for.body14 ], [ 0, %for.body5 ]
  %add15 = add nuw nsw i64 %i9.048, 1
  %3 = icmp eq i64 %add15, %n
  %iv.rem = select i1 %3, i64 0, i64 %add15
  %arrayidx17 = getelementptr inbounds double, ptr %call, i64 %iv.rem
  %4 = load double, ptr %arrayidx17, align 8
  %mul18 = fmul double %4, %4
  %5 = call double @llvm.fmuladd.f64(double %mul18, double %4, double %total.149)
  %exitcond54.not = icmp eq i64 %add15, %n
  br i1 %exitcond54.not, label %for.cond.cleanup13, label %for.body14
}

declare noalias ptr @malloc(i64)

declare void @llvm.memset.p0.i64(ptr writeonly, i8, i64, i1 immarg)

declare double @llvm.fmuladd.f64(double, double, double)

declare void @free(ptr allocptr)

define void @derivative(ptr %x, ptr %dx, i64 %n) {
entry:
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
