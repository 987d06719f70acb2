; what:       An array that an inner loop fills with what it allocates itself, `for i: r = ...; c[i] =
;   r[i]`.
; cause:      To make c again the pass runs the inner loop again, with the memory that r had in the last
;   iteration.
; symptom:    wrong
; cure:       passes/memory/allocations.py
; call:       x = [2.0, 3.0], dx = [0.0, 0.0], m = 2, n = 2
; right:      dx = [6.0, 4.0]
; because:    c is x, and the result is 2 x0 x1
; of:         f, reverse

@enzyme_dup = external global i32, align 4

define double @f(ptr noalias %x, i64 %m, i64 %n) {
entry:
  %cmp19 = icmp sgt i64 %n, 0
  br i1 %cmp19, label %for.body.lr.ph, label %for.cond.cleanup

for.body.lr.ph:
  %cmp217 = icmp sgt i64 %m, 0
  br label %for.body

for.cond.cleanup:
  %s.0.lcssa = phi double [ 0.000000e+00, %entry ], [ %2, %for.cond.cleanup3 ]
  ret double %s.0.lcssa

for.body:
  %s.021 = phi double [ 0.000000e+00, %for.body.lr.ph ], [ %2, %for.cond.cleanup3 ]
  %t.020 = phi i64 [ 0, %for.body.lr.ph ], [ %inc19, %for.cond.cleanup3 ]
  %call = tail call ptr @calloc(i64 %m, i64 8)
  br i1 %cmp217, label %for.body4, label %for.cond.cleanup3

for.cond.cleanup3:
  %0 = load double, ptr %call, align 8
  %arrayidx17 = getelementptr inbounds nuw i8, ptr %call, i64 8
  %1 = load double, ptr %arrayidx17, align 8
  %2 = tail call double @llvm.fmuladd.f64(double %0, double %1, double %s.021)
  %inc19 = add nuw nsw i64 %t.020, 1
  %exitcond23.not = icmp eq i64 %inc19, %n
  br i1 %exitcond23.not, label %for.cond.cleanup, label %for.body

for.body4:
  %i.018 = phi i64 [ %inc14, %for.cond.cleanup8 ], [ 0, %for.body ]
  %call5 = tail call ptr @calloc(i64 %m, i64 8)
  br label %for.body9

for.cond.cleanup8:
  %arrayidx11 = getelementptr inbounds nuw double, ptr %call5, i64 %i.018
  %3 = load double, ptr %arrayidx11, align 8
  %arrayidx12 = getelementptr inbounds nuw double, ptr %call, i64 %i.018
  store double %3, ptr %arrayidx12, align 8
  %inc14 = add nuw nsw i64 %i.018, 1
  %exitcond22.not = icmp eq i64 %inc14, %m
  br i1 %exitcond22.not, label %for.cond.cleanup3, label %for.body4

for.body9:
  %j.016 = phi i64 [ 0, %for.body4 ], [ %inc, %for.body9 ]
  %arrayidx = getelementptr inbounds nuw double, ptr %x, i64 %j.016
  %4 = load double, ptr %arrayidx, align 8
  %arrayidx10 = getelementptr inbounds nuw double, ptr %call5, i64 %j.016
  store double %4, ptr %arrayidx10, align 8
  %inc = add nuw nsw i64 %j.016, 1
  %exitcond.not = icmp eq i64 %inc, %m
  br i1 %exitcond.not, label %for.cond.cleanup8, label %for.body9
}

declare noalias ptr @calloc(i64, i64 )

declare double @llvm.fmuladd.f64(double, double, double)

define void @derivative(ptr %x, ptr %dx, i64 %m, i64 %n) {
entry:
  %0 = load i32, ptr @enzyme_dup, align 4
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, i32 %0, ptr %x, ptr %dx, i64 %m, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
