; what:       Split mode of a loop that makes a mask in each turn and sums what it picks, `y = np.sum(x[x > 0.0]) ** 2`: the
;   reverse half has lost the loop, and gives a gradient of zero.
; cause:      The reverse half makes the mask again, from a loop of its own (rematerialisation). In one reverse sweep, or with
;   the mask kept, it is right.
; symptom:    wrong
; cure:       assembly/entry.py, --enzyme-rematerialize=0
; call:       x = [2.0, -3.0, 5.0], dx = [0.0, 0.0, 0.0], y = [0.0], dy = [1.0], n = 3, m = 2
; right:      dx = [14.0, 0.0, 14.0]
; because:    y is (x0 + x2)^2
; of:         f, reverse

@enzyme_dup = external global i32, align 4

define void @f(ptr %x, ptr %y, i64 %n, i64 %m) {
entry:
  br label %turn

turn:
  %t = phi i64 [ 0, %entry ], [ %t.next, %turn.end ]
  %mask = call noalias ptr @malloc(i64 %n)
  br label %mark

mark:
  %h = phi i64 [ 0, %turn ], [ %h.next, %mark ]
  %x.h = getelementptr inbounds double, ptr %x, i64 %h
  %v.h = load double, ptr %x.h, align 8
  %is.h = fcmp ogt double %v.h, 0.0
  %bit = zext i1 %is.h to i8
  %m.h = getelementptr inbounds i8, ptr %mask, i64 %h
  store i8 %bit, ptr %m.h, align 1
  %h.next = add nuw nsw i64 %h, 1
  %h.more = icmp slt i64 %h.next, %n
  br i1 %h.more, label %mark, label %sum

sum:
  %a = phi i64 [ 0, %mark ], [ %a.next, %sum.next ]
  %s = phi double [ 0.0, %mark ], [ %s.next, %sum.next ]
  %m.a = getelementptr inbounds i8, ptr %mask, i64 %a
  %bit.a = load i8, ptr %m.a, align 1
  %is.a = icmp ne i8 %bit.a, 0
  br i1 %is.a, label %keep, label %sum.next

keep:
  %x.a = getelementptr inbounds double, ptr %x, i64 %a
  %v.a = load double, ptr %x.a, align 8
  %s.more = fadd double %s, %v.a
  br label %sum.next

sum.next:
  %s.next = phi double [ %s, %sum ], [ %s.more, %keep ]
  %a.next = add nuw nsw i64 %a, 1
  %a.more = icmp slt i64 %a.next, %n
  br i1 %a.more, label %sum, label %turn.end

turn.end:
  %square = fmul double %s.next, %s.next
  store double %square, ptr %y, align 8
  %t.next = add nuw nsw i64 %t, 1
  %over = icmp eq i64 %t.next, %m
  br i1 %over, label %done, label %turn

done:
  ret void
}

define void @derivative(ptr %x, ptr %dx, ptr %y, ptr %dy, i64 %n, i64 %m) {
entry:
  %dup = load i32, ptr @enzyme_dup, align 4
  %tape = call ptr (ptr, ...) @__enzyme_augmentfwd(ptr @f, i32 %dup, ptr %x, ptr %dx, i32 %dup, ptr %y, ptr %dy, i64 %n, i64 %m)
  call void (ptr, ...) @__enzyme_reverse(ptr @f, i32 %dup, ptr %x, ptr %dx, i32 %dup, ptr %y, ptr %dy, i64 %n, i64 %m, ptr %tape)
  ret void
}

declare noalias ptr @malloc(i64)
declare ptr @__enzyme_augmentfwd(ptr, ...)
declare void @__enzyme_reverse(ptr, ...)
