source_filename = "assembly.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

module asm ".globl lonely"
module asm "lonely: ret"

; Function Attrs: nounwind uwtable
define dso_local i32 @added(i32 noundef %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = tail call i32 asm sideeffect "addl $2, $0 # x\0A\09nop", "=r,0,r,~{cc},~{memory},~{dirflag},~{fpsr},~{flags}"(i32 %0, i32 %1) #1, !srcloc !5
  ret i32 %3
}

; Function Attrs: nounwind uwtable
define dso_local i32 @jumping(i32 noundef %0) #0 {
  callbr void asm sideeffect "jmp ${1:l}", "r,!i,~{dirflag},~{fpsr},~{flags}"(i32 %0) #1
          to label %3 [label %2], !srcloc !6

2:                                                ; preds = %1
  br label %3

3:                                                ; preds = %1, %2
  %4 = phi i32 [ 2, %2 ], [ 1, %1 ]
  ret i32 %4
}

attributes #0 = { nounwind uwtable "frame-pointer"="none" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nounwind }

!llvm.module.flags = !{!0, !1, !2, !3}
!llvm.ident = !{!4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 1}
!4 = !{!"Debian clang version 14.0.6"}
!5 = !{i64 62, i64 80}
!6 = !{i64 234}
