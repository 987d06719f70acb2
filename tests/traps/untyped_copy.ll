; what:       LLVM makes a block copy of a loop that copies floats, and the pass cannot tell what the
;   block holds.
; cause:      A copy says less than the loads and stores that it stands for.
; symptom:    refused
; cure:       --disable-loop-idiom-memcpy
; without:    --disable-loop-idiom-memcpy
; call:       x = [2.0, 3.0], dx = [1.0, 2.0], y = [0.0, 0.0], dy = [0.0, 0.0], c = [5.0, 7.0], n = 2
; right:      dx = [0.0, 0.0], dy = [1.0, 2.0]
; because:    y is x, and x is c
; of:         f, forward

@enzyme_dup = external global i32, align 4
@enzyme_const = external global i32, align 4

define void @f(ptr noalias %x, ptr noalias %y, ptr noalias %c, i64 %n) {
entry:
  %cmp9 = icmp sgt i64 %n, 0
  br i1 %cmp9, label %for.body6.preheader, label %for.cond.cleanup5

for.body6.preheader:
  %0 = shl nuw i64 %n, 3
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 8 %y, ptr align 8 %x, i64 %0, i1 false)
  %1 = shl nuw i64 %n, 3
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 8 %x, ptr align 8 %c, i64 %1, i1 false)
  br label %for.cond.cleanup5

for.cond.cleanup5:
  ret void
}

define void @derivative(ptr %x, ptr %dx, ptr %y, ptr %dy, ptr %c, i64 %n) {
entry:
  %0 = load i32, ptr @enzyme_dup, align 4
  %1 = load i32, ptr @enzyme_const, align 4
  %call = tail call double (ptr, ...) @__enzyme_fwddiff(ptr @f, i32 %0, ptr %x, ptr %dx, i32 %0, ptr %y, ptr %dy, i32 %1, ptr %c, i64 %n)
  ret void
}

declare double @__enzyme_fwddiff(ptr, ...)

declare void @llvm.memcpy.p0.p0.i64(ptr noalias , ptr noalias , i64, i1 immarg)
