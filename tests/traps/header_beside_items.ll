; what:       A list with two integers in front of its floats, in one block, grows by realloc: the
;   gradient of what was in it is lost.
; cause:      What the pass knows of the type of the block's beginning it takes for that of all of it.
; symptom:    wrong
; cure:       frontend/containers/lists.py
; call:       x = [3.0, 2.0], dx = [0.0, 0.0], n = 2
; right:      dx = [6.0, 4.0]
; because:    the result is x0^2 + x1^2
; of:         f, reverse

@enzyme_dup = external global i32, align 4

define double @f(ptr %x, i64 %n) {
entry:
  %call = tail call dereferenceable_or_null(24) ptr @malloc(i64 24)
  store i64 0, ptr %call, align 8
  %room = getelementptr inbounds nuw i8, ptr %call, i64 8
  store i64 1, ptr %room, align 8
  %cmp19 = icmp sgt i64 %n, 0
  br i1 %cmp19, label %for.body, label %for.cond.cleanup17

for.body18.lr.ph:
  %items19 = getelementptr inbounds nuw i8, ptr %u.1, i64 16
  br label %for.body18

for.body:
  %i.021 = phi i64 [ %inc13, %if.end ], [ 0, %entry ]
  %u.020 = phi ptr [ %u.1, %if.end ], [ %call, %entry ]
  %0 = load i64, ptr %u.020, align 8
  %room2 = getelementptr inbounds nuw i8, ptr %u.020, i64 8
  %1 = load i64, ptr %room2, align 8
  %cmp3 = icmp eq i64 %0, %1
  br i1 %cmp3, label %if.then, label %if.end

if.then:
  %mul = shl nsw i64 %0, 1
  store i64 %mul, ptr %room2, align 8
  %mul6 = shl nsw i64 %0, 4
  %add = add nsw i64 %mul6, 16
  %call7 = tail call ptr @realloc(ptr %u.020, i64 %add)
  br label %if.end

if.end:
  %u.1 = phi ptr [ %call7, %if.then ], [ %u.020, %for.body ]
  %arrayidx = getelementptr inbounds nuw double, ptr %x, i64 %i.021
  %2 = load double, ptr %arrayidx, align 8
  %mul9 = fmul double %2, %2
  %items = getelementptr inbounds nuw i8, ptr %u.1, i64 16
  %3 = load i64, ptr %u.1, align 8
  %arrayidx11 = getelementptr inbounds double, ptr %items, i64 %3
  store double %mul9, ptr %arrayidx11, align 8
  %4 = load i64, ptr %u.1, align 8
  %inc = add nsw i64 %4, 1
  store i64 %inc, ptr %u.1, align 8
  %inc13 = add nuw nsw i64 %i.021, 1
  %exitcond.not = icmp eq i64 %inc13, %n
  br i1 %exitcond.not, label %for.body18.lr.ph, label %for.body

for.cond.cleanup17:
  %s.0.lcssa = phi double [ 0.000000e+00, %entry ], [ %add21, %for.body18 ]
  ret double %s.0.lcssa

for.body18:
  %i14.024 = phi i64 [ 0, %for.body18.lr.ph ], [ %inc23, %for.body18 ]
  %s.023 = phi double [ 0.000000e+00, %for.body18.lr.ph ], [ %add21, %for.body18 ]
  %arrayidx20 = getelementptr inbounds nuw double, ptr %items19, i64 %i14.024
  %5 = load double, ptr %arrayidx20, align 8
  %add21 = fadd double %s.023, %5
  %inc23 = add nuw nsw i64 %i14.024, 1
  %exitcond26.not = icmp eq i64 %inc23, %n
  br i1 %exitcond26.not, label %for.cond.cleanup17, label %for.body18
}

declare noalias ptr @malloc(i64 )

declare noalias ptr @realloc(ptr allocptr , i64 )

define void @derivative(ptr %x, ptr %dx, i64 %n) {
entry:
  %0 = load i32, ptr @enzyme_dup, align 4
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, i32 %0, ptr %x, ptr %dx, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
