; what:       A return out of two nested loops at once, `if s > 10: return s * j`: numbers of the inner
;   loop are taken from its end.
; cause:      What the inner loop counts the pass computes again as if that loop had run to its end.
; symptom:    wrong
; cure:       passes/values/live_out_integers.py, passes/control_flow/multi_level_exits.py
; call:       x = [2.0, 3.0, 5.0], dx = [0.0, 0.0, 0.0], n = 3
; right:      dx = [3.0, 2.0, 0.0]
; because:    s is three times x0, then x1 twice: it returns at j = 1
; of:         f, reverse

define double @f(ptr %x, i64 %n) {
entry:
  %cmp.not19 = icmp sgt i64 %n, 0
  br i1 %cmp.not19, label %for.body4.lr.ph, label %cleanup8

for.body4.lr.ph:
  %i.021 = phi i64 [ %inc7, %for.inc6 ], [ 0, %entry ]
  %s.020 = phi double [ %add, %for.inc6 ], [ 0.000000e+00, %entry ]
  %arrayidx = getelementptr inbounds nuw double, ptr %x, i64 %i.021
  %0 = load double, ptr %arrayidx, align 8
  br label %for.body4

for.body4:
  %j.018 = phi i64 [ 0, %for.body4.lr.ph ], [ %inc, %for.inc ]
  %s.217 = phi double [ %s.020, %for.body4.lr.ph ], [ %add, %for.inc ]
  %add = fadd double %s.217, %0
  %cmp5 = fcmp ogt double %add, 1.000000e+01
  br i1 %cmp5, label %cleanup.thread, label %for.inc

cleanup.thread:
  %conv = uitofp nneg i64 %j.018 to double
  %mul = fmul double %add, %conv
  br label %cleanup8

for.inc:
  %inc = add nuw nsw i64 %j.018, 1
  %exitcond.not = icmp eq i64 %inc, %n
  br i1 %exitcond.not, label %for.inc6, label %for.body4

for.inc6:
  %inc7 = add nuw nsw i64 %i.021, 1
  %exitcond25.not = icmp eq i64 %inc7, %n
  br i1 %exitcond25.not, label %cleanup8, label %for.body4.lr.ph

cleanup8:
  %retval.3 = phi double [ %mul, %cleanup.thread ], [ 0.000000e+00, %entry ], [ %add, %for.inc6 ]
  ret double %retval.3
}

define void @derivative(ptr %x, ptr %dx, i64 %n) {
entry:
  %call = tail call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, i64 %n)
  ret void
}

declare double @__enzyme_autodiff(ptr, ...)
