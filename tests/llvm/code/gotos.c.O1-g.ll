source_filename = "gotos.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@run.labels = internal unnamed_addr constant [3 x ptr] [ptr blockaddress(@run, %3), ptr blockaddress(@run, %8), ptr blockaddress(@run, %10)], align 16, !dbg !0

; Function Attrs: nofree norecurse nosync nounwind memory(read) uwtable
define dso_local i32 @run(ptr noundef readonly captures(none) %0, i32 noundef %1) #0 !dbg !2 {
    #dbg_value(ptr %0, !13, !DIExpression(), !29)
    #dbg_value(i32 %1, !14, !DIExpression(), !29)
  br label %11, !dbg !30

3:                                                ; preds = %11
    #dbg_label(!15, !31)
  %4 = add nsw i32 %13, 1, !dbg !32
    #dbg_value(i32 %4, !14, !DIExpression(), !29)
    #dbg_value(ptr %12, !13, !DIExpression(DW_OP_plus_uconst, 1, DW_OP_stack_value), !29)
  br label %5, !dbg !33

5:                                                ; preds = %3, %8
  %6 = phi i32 [ %4, %3 ], [ %9, %8 ]
  %7 = getelementptr inbounds i8, ptr %12, i64 1, !dbg !29
  br label %11, !dbg !29

8:                                                ; preds = %11
    #dbg_label(!16, !34)
  %9 = mul nsw i32 %13, 3, !dbg !35
    #dbg_value(i32 %9, !14, !DIExpression(), !29)
    #dbg_value(ptr %12, !13, !DIExpression(DW_OP_plus_uconst, 1, DW_OP_stack_value), !29)
  br label %5, !dbg !36

10:                                               ; preds = %11
    #dbg_label(!17, !37)
  ret i32 %13, !dbg !38

11:                                               ; preds = %5, %2
  %12 = phi ptr [ %0, %2 ], [ %7, %5 ]
  %13 = phi i32 [ %1, %2 ], [ %6, %5 ]
  %14 = load i8, ptr %12, align 1, !dbg !29, !tbaa !39
  %15 = zext i8 %14 to i64, !dbg !29
  %16 = getelementptr inbounds [3 x ptr], ptr @run.labels, i64 0, i64 %15, !dbg !29
  %17 = load ptr, ptr %16, align 8, !dbg !29, !tbaa !42
    #dbg_value(i32 %13, !14, !DIExpression(), !29)
    #dbg_value(ptr %12, !13, !DIExpression(), !29)
  indirectbr ptr %17, [label %3, label %8, label %10]
}

; Function Attrs: nofree norecurse nosync nounwind memory(none) uwtable
define dso_local i32 @around(i32 noundef %0) local_unnamed_addr #1 !dbg !44 {
    #dbg_value(i32 %0, !48, !DIExpression(), !51)
  %2 = add i32 %0, 2, !dbg !52
  %3 = call i32 @llvm.smin.i32(i32 %0, i32 10), !dbg !52
  %4 = sub i32 %2, %3, !dbg !52
  %5 = urem i32 %4, 3, !dbg !52
  %6 = sub i32 %4, %5, !dbg !52
    #dbg_value(i32 undef, !48, !DIExpression(), !51)
    #dbg_value(i32 undef, !48, !DIExpression(DW_OP_constu, 3, DW_OP_minus, DW_OP_stack_value), !51)
  %7 = sub i32 %0, %6, !dbg !52
  %8 = icmp slt i32 %7, 0, !dbg !53
  br i1 %8, label %20, label %9, !dbg !55

9:                                                ; preds = %1
  %10 = add i32 %6, 7, !dbg !56
  %11 = sub i32 %10, %0, !dbg !56
  %12 = icmp eq i32 %11, 0, !dbg !56
  %13 = add i32 %6, 98, !dbg !56
  %14 = sub i32 %13, %0, !dbg !56
  %15 = call i32 @llvm.umin.i32(i32 %14, i32 %11), !dbg !56
  %16 = select i1 %12, i32 0, i32 %15, !dbg !56
  %17 = add i32 %16, %0, !dbg !56
  %18 = add i32 %17, 1, !dbg !56
    #dbg_value(i32 undef, !48, !DIExpression(), !51)
    #dbg_value(i32 undef, !48, !DIExpression(DW_OP_plus_uconst, 1, DW_OP_stack_value), !51)
  %19 = sub i32 %18, %6, !dbg !56
  br label %20, !dbg !58

20:                                               ; preds = %9, %1
  %21 = phi i32 [ %7, %1 ], [ %19, %9 ]
    #dbg_value(i32 %21, !48, !DIExpression(), !51)
    #dbg_label(!50, !59)
  ret i32 %21, !dbg !58
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.smin.i32(i32, i32) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.umin.i32(i32, i32) #2

attributes #0 = { nofree norecurse nosync nounwind memory(read) uwtable "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "min-legal-vector-width"="0" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #1 = { nofree norecurse nosync nounwind memory(none) uwtable "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "min-legal-vector-width"="0" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #2 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.dbg.cu = !{!10}
!llvm.module.flags = !{!22, !23, !24, !25, !26, !27}
!llvm.ident = !{!28}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "labels", scope: !2, file: !3, line: 2, type: !18, isLocal: true, isDefinition: true)
!2 = distinct !DISubprogram(name: "run", scope: !3, file: !3, line: 1, type: !4, scopeLine: 1, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !10, retainedNodes: !12)
!3 = !DIFile(filename: "gotos.c", directory: ".", checksumkind: CSK_MD5, checksum: "535bc01c80ad0079118c015795810012")
!4 = !DISubroutineType(types: !5)
!5 = !{!6, !7, !6}
!6 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!7 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !8, size: 64)
!8 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !9)
!9 = !DIBasicType(name: "unsigned char", size: 8, encoding: DW_ATE_unsigned_char)
!10 = distinct !DICompileUnit(language: DW_LANG_C99, file: !3, producer: "Debian clang version 14.0.6", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, globals: !11, splitDebugInlining: false, nameTableKind: None)
!11 = !{!0}
!12 = !{!13, !14, !15, !16, !17}
!13 = !DILocalVariable(name: "p", arg: 1, scope: !2, file: !3, line: 1, type: !7)
!14 = !DILocalVariable(name: "x", arg: 2, scope: !2, file: !3, line: 1, type: !6)
!15 = !DILabel(scope: !2, name: "a", file: !3, line: 4)
!16 = !DILabel(scope: !2, name: "b", file: !3, line: 7)
!17 = !DILabel(scope: !2, name: "c", file: !3, line: 10)
!18 = !DICompositeType(tag: DW_TAG_array_type, baseType: !19, size: 192, elements: !20)
!19 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: null, size: 64)
!20 = !{!21}
!21 = !DISubrange(count: 3)
!22 = !{i32 7, !"Dwarf Version", i32 5}
!23 = !{i32 2, !"Debug Info Version", i32 3}
!24 = !{i32 1, !"wchar_size", i32 4}
!25 = !{i32 8, !"PIC Level", i32 2}
!26 = !{i32 7, !"PIE Level", i32 2}
!27 = !{i32 7, !"uwtable", i32 1}
!28 = !{!"Debian clang version 14.0.6"}
!29 = !DILocation(line: 0, scope: !2)
!30 = !DILocation(line: 3, column: 5, scope: !2)
!31 = !DILocation(line: 4, column: 1, scope: !2)
!32 = !DILocation(line: 5, column: 6, scope: !2)
!33 = !DILocation(line: 6, column: 5, scope: !2)
!34 = !DILocation(line: 7, column: 1, scope: !2)
!35 = !DILocation(line: 8, column: 7, scope: !2)
!36 = !DILocation(line: 9, column: 5, scope: !2)
!37 = !DILocation(line: 10, column: 1, scope: !2)
!38 = !DILocation(line: 11, column: 5, scope: !2)
!39 = !{!40, !40, i64 0}
!40 = !{!"omnipotent char", !41, i64 0}
!41 = !{!"Simple C/C++ TBAA"}
!42 = !{!43, !43, i64 0}
!43 = !{!"any pointer", !40, i64 0}
!44 = distinct !DISubprogram(name: "around", scope: !3, file: !3, line: 14, type: !45, scopeLine: 14, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !10, retainedNodes: !47)
!45 = !DISubroutineType(types: !46)
!46 = !{!6, !6}
!47 = !{!48, !49, !50}
!48 = !DILocalVariable(name: "n", arg: 1, scope: !44, file: !3, line: 14, type: !6)
!49 = !DILabel(scope: !44, name: "again", file: !3, line: 15)
!50 = !DILabel(scope: !44, name: "end", file: !3, line: 25)
!51 = !DILocation(line: 0, scope: !44)
!52 = !DILocation(line: 14, column: 19, scope: !44)
!53 = !DILocation(line: 20, column: 11, scope: !54)
!54 = distinct !DILexicalBlock(scope: !44, file: !3, line: 20, column: 9)
!55 = !DILocation(line: 20, column: 9, scope: !44)
!56 = !DILocation(line: 21, column: 5, scope: !57)
!57 = distinct !DILexicalBlock(scope: !44, file: !3, line: 21, column: 5)
!58 = !DILocation(line: 26, column: 5, scope: !44)
!59 = !DILocation(line: 25, column: 1, scope: !44)
