; what:       A pointer that two nested loops move through an array, as in a sum of a matrix.
; cause:      The pass cannot count such a pointer, and keeps those of the shadow in the forward sweep,
;   before there is a shadow.
; symptom:    the derivative crashes
; cure:       passes/memory/allocations.py
; call:       x = [2.0, 3.0], dx = [0.0, 0.0], m = 1, k = 2, n = 1
; right:      dx = [4.0, 6.0]
; because:    the result is x0^2 + x1^2
; of:         f, reverse

@enzyme_dup = external global i32, align 4

define double @f(ptr noalias %x, i64 %m, i64 %k, i64 %n) {
entry:
  %cmp28 = icmp sgt i64 %n, 0
  br i1 %cmp28, label %for.body.lr.ph, label %for.cond.cleanup

for.body.lr.ph:
  %mul = mul nsw i64 %k, %m
  %cmp316 = icmp sgt i64 %mul, 0
  %cmp923 = icmp sgt i64 %m, 0
  %cmp1318 = icmp sgt i64 %k, 0
  %0 = shl i64 %k, 3
  br label %for.body

for.cond.cleanup:
  %s.0.lcssa = phi double [ 0.000000e+00, %entry ], [ %s.1.lcssa, %for.cond.cleanup10 ]
  ret double %s.0.lcssa

for.body:
  %s.030 = phi double [ 0.000000e+00, %for.body.lr.ph ], [ %s.1.lcssa, %for.cond.cleanup10 ]
  %t.029 = phi i64 [ 0, %for.body.lr.ph ], [ %inc24, %for.cond.cleanup10 ]
  %call = tail call ptr @calloc(i64 %mul, i64 8)
  br i1 %cmp316, label %for.body5, label %for.cond8.preheader

for.cond8.preheader:
  br i1 %cmp923, label %for.cond12.preheader, label %for.cond.cleanup10

for.body5:
  %i.017 = phi i64 [ %inc, %for.body5 ], [ 0, %for.body ]
  %arrayidx = getelementptr inbounds nuw double, ptr %x, i64 %i.017
  %1 = load double, ptr %arrayidx, align 8
  %arrayidx6 = getelementptr inbounds nuw double, ptr %call, i64 %i.017
  store double %1, ptr %arrayidx6, align 8
  %inc = add nuw nsw i64 %i.017, 1
  %exitcond.not = icmp eq i64 %inc, %mul
  br i1 %exitcond.not, label %for.cond8.preheader, label %for.body5

for.cond12.preheader:
  %i7.026 = phi i64 [ %inc21, %for.cond.cleanup14 ], [ 0, %for.cond8.preheader ]
  %p.025 = phi ptr [ %e.0.lcssa, %for.cond.cleanup14 ], [ %call, %for.cond8.preheader ]
  %s.124 = phi double [ %s.2.lcssa, %for.cond.cleanup14 ], [ %s.030, %for.cond8.preheader ]
  br i1 %cmp1318, label %for.body15, label %for.cond.cleanup14

for.cond.cleanup10:
  %s.1.lcssa = phi double [ %s.030, %for.cond8.preheader ], [ %s.2.lcssa, %for.cond.cleanup14 ]
  %inc24 = add nuw nsw i64 %t.029, 1
  %exitcond34.not = icmp eq i64 %inc24, %n
  br i1 %exitcond34.not, label %for.cond.cleanup, label %for.body

for.cond.cleanup14.loopexit:
  %scevgep = getelementptr i8, ptr %p.025, i64 %0
  br label %for.cond.cleanup14

for.cond.cleanup14:
  %s.2.lcssa = phi double [ %s.124, %for.cond12.preheader ], [ %3, %for.cond.cleanup14.loopexit ]
  %e.0.lcssa = phi ptr [ %p.025, %for.cond12.preheader ], [ %scevgep, %for.cond.cleanup14.loopexit ]
  %inc21 = add nuw nsw i64 %i7.026, 1
  %exitcond33.not = icmp eq i64 %inc21, %m
  br i1 %exitcond33.not, label %for.cond.cleanup10, label %for.cond12.preheader

for.body15:
  %j.021 = phi i64 [ %inc18, %for.body15 ], [ 0, %for.cond12.preheader ]
  %e.020 = phi ptr [ %incdec.ptr, %for.body15 ], [ %p.025, %for.cond12.preheader ]
  %s.219 = phi double [ %3, %for.body15 ], [ %s.124, %for.cond12.preheader ]
  %2 = load double, ptr %e.020, align 8
  %3 = tail call double @llvm.fmuladd.f64(double %2, double %2, double %s.219)
  %incdec.ptr = getelementptr inbounds nuw i8, ptr %e.020, i64 8
  %inc18 = add nuw nsw i64 %j.021, 1
  %exitcond32.not = icmp eq i64 %inc18, %k
  br i1 %exitcond32.not, label %for.cond.cleanup14.loopexit, label %for.body15
}

declare noalias ptr @calloc(i64, i64 )

declare double @llvm.fmuladd.f64(double, double, double)

define void @derivative(ptr %x, ptr %dx, i64 %m, i64 %k, i64 %n) {
entry:
  %0 = load i32, ptr @enzyme_dup, align 4
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, i32 %0, ptr %x, ptr %dx, i64 %m, i64 %k, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
