source_filename = "assembly.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

module asm ".globl lonely"
module asm "lonely: ret"

; Function Attrs: nounwind uwtable
define dso_local i32 @added(i32 noundef %0, i32 noundef %1) local_unnamed_addr #0 !dbg !9 {
    #dbg_value(i32 %0, !14, !DIExpression(), !17)
    #dbg_value(i32 %1, !15, !DIExpression(), !17)
  %3 = call i32 asm sideeffect "addl $2, $0 # x\0A\09nop", "=r,0,r,~{cc},~{memory},~{dirflag},~{fpsr},~{flags}"(i32 %0, i32 %1) #1, !dbg !18, !srcloc !19
    #dbg_value(i32 %3, !16, !DIExpression(), !17)
  ret i32 %3, !dbg !20
}

; Function Attrs: nounwind uwtable
define dso_local i32 @jumping(i32 noundef %0) #0 !dbg !21 {
    #dbg_value(i32 %0, !25, !DIExpression(), !27)
  callbr void asm sideeffect "jmp ${1:l}", "r,!i,~{dirflag},~{fpsr},~{flags}"(i32 %0) #1
          to label %3 [label %2], !dbg !28, !srcloc !29

2:                                                ; preds = %1
    #dbg_label(!26, !30)
  br label %3, !dbg !31

3:                                                ; preds = %1, %2
  %4 = phi i32 [ 2, %2 ], [ 1, %1 ], !dbg !27
  ret i32 %4, !dbg !32
}

attributes #0 = { nounwind uwtable "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "min-legal-vector-width"="0" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #1 = { nounwind }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3, !4, !5, !6, !7}
!llvm.ident = !{!8}

!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "Debian clang version 14.0.6", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "assembly.c", directory: ".", checksumkind: CSK_MD5, checksum: "bcd08804fd85a02ebcf7e9721d39d00f")
!2 = !{i32 7, !"Dwarf Version", i32 5}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !{i32 1, !"wchar_size", i32 4}
!5 = !{i32 8, !"PIC Level", i32 2}
!6 = !{i32 7, !"PIE Level", i32 2}
!7 = !{i32 7, !"uwtable", i32 1}
!8 = !{!"Debian clang version 14.0.6"}
!9 = distinct !DISubprogram(name: "added", scope: !1, file: !1, line: 1, type: !10, scopeLine: 1, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !13)
!10 = !DISubroutineType(types: !11)
!11 = !{!12, !12, !12}
!12 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!13 = !{!14, !15, !16}
!14 = !DILocalVariable(name: "a", arg: 1, scope: !9, file: !1, line: 1, type: !12)
!15 = !DILocalVariable(name: "b", arg: 2, scope: !9, file: !1, line: 1, type: !12)
!16 = !DILocalVariable(name: "sum", scope: !9, file: !1, line: 2, type: !12)
!17 = !DILocation(line: 0, scope: !9)
!18 = !DILocation(line: 3, column: 5, scope: !9)
!19 = !{i64 62, i64 80}
!20 = !DILocation(line: 4, column: 5, scope: !9)
!21 = distinct !DISubprogram(name: "jumping", scope: !1, file: !1, line: 9, type: !22, scopeLine: 9, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !24)
!22 = !DISubroutineType(types: !23)
!23 = !{!12, !12}
!24 = !{!25, !26}
!25 = !DILocalVariable(name: "x", arg: 1, scope: !21, file: !1, line: 9, type: !12)
!26 = !DILabel(scope: !21, name: "out", file: !1, line: 12)
!27 = !DILocation(line: 0, scope: !21)
!28 = !DILocation(line: 10, column: 5, scope: !21)
!29 = !{i64 234}
!30 = !DILocation(line: 12, column: 1, scope: !21)
!31 = !DILocation(line: 13, column: 5, scope: !21)
!32 = !DILocation(line: 14, column: 1, scope: !21)
