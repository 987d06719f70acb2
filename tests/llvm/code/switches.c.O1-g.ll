source_filename = "switches.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@.str = private unnamed_addr constant [5 x i8] c"zero\00", align 1
@.str.1 = private unnamed_addr constant [32 x i8] c"one \22quoted\22 %two @three, !four\00", align 1
@.str.2 = private unnamed_addr constant [6 x i8] c"five\0A\00", align 1
@switch.table.name = private unnamed_addr constant [6 x ptr] [ptr @.str, ptr @.str.1, ptr null, ptr null, ptr null, ptr @.str.2], align 8

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local i32 @chosen(i32 noundef %0) local_unnamed_addr #0 !dbg !9 {
    #dbg_value(i32 %0, !14, !DIExpression(), !15)
  switch i32 %0, label %5 [
    i32 1, label %7
    i32 2, label %2
    i32 3, label %2
    i32 -7, label %4
  ], !dbg !16

2:                                                ; preds = %1, %1
  %3 = shl nsw i32 %0, 1, !dbg !17
    #dbg_value(i32 %3, !14, !DIExpression(), !15)
  br label %7, !dbg !19

4:                                                ; preds = %1
    #dbg_value(i32 -6, !14, !DIExpression(), !20)
    #dbg_value(i32 36, !14, !DIExpression(), !20)
  br label %7, !dbg !22

5:                                                ; preds = %1
  %6 = mul nsw i32 %0, %0, !dbg !23
    #dbg_value(i32 %6, !14, !DIExpression(), !15)
  br label %7, !dbg !24

7:                                                ; preds = %2, %5, %1, %4
  %8 = phi i32 [ 36, %4 ], [ 5, %1 ], [ %6, %5 ], [ %3, %2 ], !dbg !15
  ret i32 %8, !dbg !25
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local ptr @name(i32 noundef %0) local_unnamed_addr #0 !dbg !26 {
    #dbg_value(i32 %0, !34, !DIExpression(), !35)
  %2 = icmp ult i32 %0, 6, !dbg !36
  br i1 %2, label %3, label %7, !dbg !36

3:                                                ; preds = %1
  %4 = sext i32 %0 to i64, !dbg !36
  %5 = getelementptr inbounds [6 x ptr], ptr @switch.table.name, i64 0, i64 %4, !dbg !36
  %6 = load ptr, ptr %5, align 8, !dbg !36
  br label %7, !dbg !36

7:                                                ; preds = %1, %3
  %8 = phi ptr [ %6, %3 ], [ null, %1 ], !dbg !35
  ret ptr %8, !dbg !37
}

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "min-legal-vector-width"="0" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3, !4, !5, !6, !7}
!llvm.ident = !{!8}

!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "Debian clang version 14.0.6", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "switches.c", directory: ".", checksumkind: CSK_MD5, checksum: "3f62f994c6750aac0dcd0ede4d765fae")
!2 = !{i32 7, !"Dwarf Version", i32 5}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !{i32 1, !"wchar_size", i32 4}
!5 = !{i32 8, !"PIC Level", i32 2}
!6 = !{i32 7, !"PIE Level", i32 2}
!7 = !{i32 7, !"uwtable", i32 1}
!8 = !{!"Debian clang version 14.0.6"}
!9 = distinct !DISubprogram(name: "chosen", scope: !1, file: !1, line: 1, type: !10, scopeLine: 1, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !13)
!10 = !DISubroutineType(types: !11)
!11 = !{!12, !12}
!12 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!13 = !{!14}
!14 = !DILocalVariable(name: "x", arg: 1, scope: !9, file: !1, line: 1, type: !12)
!15 = !DILocation(line: 0, scope: !9)
!16 = !DILocation(line: 2, column: 5, scope: !9)
!17 = !DILocation(line: 5, column: 15, scope: !18)
!18 = distinct !DILexicalBlock(scope: !9, file: !1, line: 2, column: 16)
!19 = !DILocation(line: 5, column: 21, scope: !18)
!20 = !DILocation(line: 0, scope: !9, inlinedAt: !21)
!21 = distinct !DILocation(line: 6, column: 21, scope: !18)
!22 = !DILocation(line: 6, column: 14, scope: !18)
!23 = !DILocation(line: 7, column: 20, scope: !18)
!24 = !DILocation(line: 8, column: 5, scope: !18)
!25 = !DILocation(line: 10, column: 1, scope: !9)
!26 = distinct !DISubprogram(name: "name", scope: !1, file: !1, line: 12, type: !27, scopeLine: 12, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !33)
!27 = !DISubroutineType(types: !28)
!28 = !{!29, !32}
!29 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !30, size: 64)
!30 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !31)
!31 = !DIBasicType(name: "char", size: 8, encoding: DW_ATE_signed_char)
!32 = !DIBasicType(name: "unsigned int", size: 32, encoding: DW_ATE_unsigned)
!33 = !{!34}
!34 = !DILocalVariable(name: "number", arg: 1, scope: !26, file: !1, line: 12, type: !32)
!35 = !DILocation(line: 0, scope: !26)
!36 = !DILocation(line: 13, column: 5, scope: !26)
!37 = !DILocation(line: 19, column: 1, scope: !26)
