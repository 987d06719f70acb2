; what:       `memcpy` of records that begin with an integer, of a length that is not known, in reverse mode: no adjoint goes back.
; cause:      What the first byte is of, the whole copy is of.
; symptom:    wrong
; cure:       passes/types/typed_fills.py
; call:       x = [0.5, 1.2], dx = [0.0, 0.0], n = 2
; right:      dx = [1.0, 4.8]
; because:    x0^2 + 2 x1^2
; of:         f, reverse

%struct.counted = type { i64, double }

define double @f(ptr readonly %x, i64 %n) {
entry:
  %mul = shl i64 %n, 4
  %call = call noalias ptr @malloc(i64 %mul)
  %call2 = call noalias ptr @malloc(i64 %mul)
  %cmp40 = icmp sgt i64 %n, 0
  br i1 %cmp40, label %for.body, label %for.cond.cleanup

for.cond.cleanup:
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %call2, ptr align 8 %call, i64 %mul, i1 false)
  %cmp1042 = icmp sgt i64 %n, 0
  br i1 %cmp1042, label %for.body12, label %for.cond.cleanup11

for.body:
  %i.041 = phi i64 [ %add, %for.body ], [ 0, %entry ]
  %add = add nuw nsw i64 %i.041, 1
  %arrayidx = getelementptr inbounds %struct.counted, ptr %call, i64 %i.041
  store i64 %add, ptr %arrayidx, align 8
  %arrayidx3 = getelementptr inbounds double, ptr %x, i64 %i.041
  %0 = load double, ptr %arrayidx3, align 8
  %mul5 = fmul double %0, %0
  %sum = getelementptr inbounds i8, ptr %arrayidx, i64 8
  store double %mul5, ptr %sum, align 8
  %exitcond.not = icmp eq i64 %add, %n
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body

for.cond.cleanup11:
  %total.0.lcssa = phi double [ 0.000000e+00, %for.cond.cleanup ], [ %3, %for.body12 ]
  ret double %total.0.lcssa

for.body12:
  %i8.044 = phi i64 [ %inc19, %for.body12 ], [ 0, %for.cond.cleanup ]
  %total.043 = phi double [ %3, %for.body12 ], [ 0.000000e+00, %for.cond.cleanup ]
  %arrayidx13 = getelementptr inbounds %struct.counted, ptr %call2, i64 %i8.044
  %sum14 = getelementptr inbounds i8, ptr %arrayidx13, i64 8
  %1 = load double, ptr %sum14, align 8
  %2 = load i64, ptr %arrayidx13, align 8
  %conv = sitofp i64 %2 to double
  %3 = call double @llvm.fmuladd.f64(double %1, double %conv, double %total.043)
  %inc19 = add nuw nsw i64 %i8.044, 1
  %exitcond45.not = icmp eq i64 %inc19, %n
  br i1 %exitcond45.not, label %for.cond.cleanup11, label %for.body12
}

declare noalias ptr @malloc(i64)

declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly, ptr noalias readonly, i64, i1 immarg)

declare double @llvm.fmuladd.f64(double, double, double)

define void @derivative(ptr %x, ptr %dx, i64 %n) {
entry:
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
