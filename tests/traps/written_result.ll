; what:       A function that is not inlined leaves a pointer in a variable; a constant is written
;   through that, and the adjoint of what was there is not cleared.
; cause:      As of written_through: the variable is taken for constant, and so is the pointer in it.
; symptom:    wrong
; cure:       passes/memory/written_results.py
; call:       x = [3.0], dx = [0.0], i = 0
; right:      dx = [0.5]
; because:    the result is 0.5 x
; of:         f, reverse

@enzyme_dup = external global i32, align 4

define void @look(ptr initializes((0, 8)) %out, ptr %table, i64 %i) noinline {
entry:
  %cmp3 = icmp sgt i64 %i, 0
  br i1 %cmp3, label %for.body.preheader, label %for.cond.cleanup

for.body.preheader:
  %0 = shl i64 %i, 3
  %scevgep = getelementptr i8, ptr %table, i64 %0
  br label %for.cond.cleanup

for.cond.cleanup:
  %table.addr.0.lcssa = phi ptr [ %table, %entry ], [ %scevgep, %for.body.preheader ]
  store ptr %table.addr.0.lcssa, ptr %out, align 8
  ret void
}

declare void @llvm.lifetime.start.p0(ptr )

declare void @llvm.lifetime.end.p0(ptr )

define double @f(ptr %x, i64 %i) {
entry:
  %v = alloca ptr, align 8
  %call = tail call dereferenceable_or_null(16) ptr @calloc(i64 2, i64 8)
  %0 = load double, ptr %x, align 8
  %mul = fmul double %0, %0
  store double %mul, ptr %call, align 8
  %arrayidx4 = getelementptr inbounds nuw i8, ptr %call, i64 8
  store double %0, ptr %arrayidx4, align 8
  %call5 = tail call dereferenceable_or_null(16) ptr @malloc(i64 16)
  store ptr %call, ptr %call5, align 8
  %arrayidx7 = getelementptr inbounds nuw i8, ptr %call5, i64 8
  store ptr %call, ptr %arrayidx7, align 8
  call void @llvm.lifetime.start.p0(ptr %v)
  call void @look(ptr %v, ptr %call5, i64 %i)
  %1 = load ptr, ptr %v, align 8
  %2 = load ptr, ptr %1, align 8
  store double 5.000000e-01, ptr %2, align 8
  %3 = load double, ptr %call, align 8
  %4 = load double, ptr %arrayidx4, align 8
  %mul12 = fmul double %3, %4
  call void @llvm.lifetime.end.p0(ptr %v)
  ret double %mul12
}

declare noalias ptr @calloc(i64, i64 )

declare noalias ptr @malloc(i64 )

define void @derivative(ptr %x, ptr %dx, i64 %i) {
entry:
  %0 = load i32, ptr @enzyme_dup, align 4
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, i32 %0, ptr %x, ptr %dx, i64 %i)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
