source_filename = "loops.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: nofree norecurse nosync nounwind memory(read) uwtable
define dso_local double @dot(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, i64 noundef %2) local_unnamed_addr #0 !dbg !9 {
    #dbg_value(ptr %0, !17, !DIExpression(), !23)
    #dbg_value(ptr %1, !18, !DIExpression(), !23)
    #dbg_value(i64 %2, !19, !DIExpression(), !23)
    #dbg_value(double 0.000000e+00, !20, !DIExpression(), !23)
    #dbg_value(i64 0, !21, !DIExpression(), !24)
  %4 = icmp eq i64 %2, 0, !dbg !25
  br i1 %4, label %5, label %7, !dbg !27

5:                                                ; preds = %7, %3
  %6 = phi double [ 0.000000e+00, %3 ], [ %15, %7 ], !dbg !23
  ret double %6, !dbg !28

7:                                                ; preds = %3, %7
  %8 = phi i64 [ %16, %7 ], [ 0, %3 ]
  %9 = phi double [ %15, %7 ], [ 0.000000e+00, %3 ]
    #dbg_value(i64 %8, !21, !DIExpression(), !24)
    #dbg_value(double %9, !20, !DIExpression(), !23)
  %10 = getelementptr inbounds double, ptr %0, i64 %8, !dbg !29
  %11 = load double, ptr %10, align 8, !dbg !29, !tbaa !30
  %12 = getelementptr inbounds double, ptr %1, i64 %8, !dbg !34
  %13 = load double, ptr %12, align 8, !dbg !34, !tbaa !30
  %14 = fmul fast double %13, %11, !dbg !35
  %15 = fadd fast double %14, %9, !dbg !36
    #dbg_value(double %15, !20, !DIExpression(), !23)
  %16 = add nuw i64 %8, 1, !dbg !37
    #dbg_value(i64 %16, !21, !DIExpression(), !24)
  %17 = icmp eq i64 %16, %2, !dbg !25
  br i1 %17, label %5, label %7, !dbg !27, !llvm.loop !38
}

; Function Attrs: nofree norecurse nosync nounwind uwtable
define dso_local void @product(i32 noundef %0, ptr noundef readonly captures(none) %1, ptr noundef readonly captures(none) %2, ptr noalias noundef writeonly captures(none) %3) local_unnamed_addr #1 !dbg !42 {
    #dbg_value(i32 %0, !53, !DIExpression(), !67)
    #dbg_value(ptr %1, !54, !DIExpression(), !67)
    #dbg_value(ptr %2, !55, !DIExpression(), !67)
    #dbg_value(ptr %3, !56, !DIExpression(), !67)
  %5 = zext i32 %0 to i64
    #dbg_value(i32 0, !57, !DIExpression(), !68)
  %6 = icmp sgt i32 %0, 0, !dbg !69
  br i1 %6, label %7, label %17, !dbg !70

7:                                                ; preds = %4
  %8 = sext i32 %0 to i64, !dbg !70
  %9 = zext i32 %0 to i64, !dbg !69
  %10 = zext i32 %0 to i64
  %11 = zext i32 %0 to i64
  br label %12, !dbg !70

12:                                               ; preds = %7, %21
  %13 = phi i64 [ 0, %7 ], [ %22, %21 ]
    #dbg_value(i64 %13, !57, !DIExpression(), !68)
    #dbg_value(i32 0, !59, !DIExpression(), !71)
  %14 = mul nuw nsw i64 %13, %5
  %15 = getelementptr inbounds double, ptr %1, i64 %14
  %16 = mul nsw i64 %13, %8
  br label %18, !dbg !72

17:                                               ; preds = %21, %4
  ret void, !dbg !73

18:                                               ; preds = %12, %24
  %19 = phi i64 [ 0, %12 ], [ %27, %24 ]
    #dbg_value(i64 %19, !59, !DIExpression(), !71)
    #dbg_value(i32 0, !65, !DIExpression(), !74)
    #dbg_value(double 0.000000e+00, !62, !DIExpression(), !75)
  %20 = getelementptr inbounds double, ptr %2, i64 %19
  br label %29, !dbg !76

21:                                               ; preds = %24
  %22 = add nuw nsw i64 %13, 1, !dbg !77
    #dbg_value(i64 %22, !57, !DIExpression(), !68)
  %23 = icmp eq i64 %22, %9, !dbg !69
  br i1 %23, label %17, label %12, !dbg !70, !llvm.loop !78

24:                                               ; preds = %29
  %25 = add nsw i64 %19, %16, !dbg !80
  %26 = getelementptr inbounds double, ptr %3, i64 %25, !dbg !81
  store double %38, ptr %26, align 8, !dbg !82, !tbaa !30
  %27 = add nuw nsw i64 %19, 1, !dbg !83
    #dbg_value(i64 %27, !59, !DIExpression(), !71)
  %28 = icmp eq i64 %27, %10, !dbg !84
  br i1 %28, label %21, label %18, !dbg !72, !llvm.loop !85

29:                                               ; preds = %18, %29
  %30 = phi i64 [ 0, %18 ], [ %39, %29 ]
  %31 = phi double [ 0.000000e+00, %18 ], [ %38, %29 ]
    #dbg_value(i64 %30, !65, !DIExpression(), !74)
    #dbg_value(double %31, !62, !DIExpression(), !75)
  %32 = getelementptr inbounds double, ptr %15, i64 %30, !dbg !87
  %33 = load double, ptr %32, align 8, !dbg !87, !tbaa !30
  %34 = mul nuw nsw i64 %30, %5, !dbg !89
  %35 = getelementptr inbounds double, ptr %20, i64 %34, !dbg !89
  %36 = load double, ptr %35, align 8, !dbg !89, !tbaa !30
  %37 = fmul fast double %36, %33, !dbg !90
  %38 = fadd fast double %37, %31, !dbg !91
    #dbg_value(double %38, !62, !DIExpression(), !75)
  %39 = add nuw nsw i64 %30, 1, !dbg !92
    #dbg_value(i64 %39, !65, !DIExpression(), !74)
  %40 = icmp eq i64 %39, %11, !dbg !93
  br i1 %40, label %24, label %29, !dbg !76, !llvm.loop !94
}

attributes #0 = { nofree norecurse nosync nounwind memory(read) uwtable "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "min-legal-vector-width"="0" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #1 = { nofree norecurse nosync nounwind uwtable "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "min-legal-vector-width"="0" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3, !4, !5, !6, !7}
!llvm.ident = !{!8}

!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "Debian clang version 14.0.6", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "loops.c", directory: ".", checksumkind: CSK_MD5, checksum: "49bf2002ebb35f53bbabcea7bdcbf016")
!2 = !{i32 7, !"Dwarf Version", i32 5}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !{i32 1, !"wchar_size", i32 4}
!5 = !{i32 8, !"PIC Level", i32 2}
!6 = !{i32 7, !"PIE Level", i32 2}
!7 = !{i32 7, !"uwtable", i32 1}
!8 = !{!"Debian clang version 14.0.6"}
!9 = distinct !DISubprogram(name: "dot", scope: !1, file: !1, line: 1, type: !10, scopeLine: 1, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !16)
!10 = !DISubroutineType(types: !11)
!11 = !{!12, !13, !13, !15}
!12 = !DIBasicType(name: "double", size: 64, encoding: DW_ATE_float)
!13 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !14, size: 64)
!14 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !12)
!15 = !DIBasicType(name: "unsigned long", size: 64, encoding: DW_ATE_unsigned)
!16 = !{!17, !18, !19, !20, !21}
!17 = !DILocalVariable(name: "a", arg: 1, scope: !9, file: !1, line: 1, type: !13)
!18 = !DILocalVariable(name: "b", arg: 2, scope: !9, file: !1, line: 1, type: !13)
!19 = !DILocalVariable(name: "n", arg: 3, scope: !9, file: !1, line: 1, type: !15)
!20 = !DILocalVariable(name: "sum", scope: !9, file: !1, line: 2, type: !12)
!21 = !DILocalVariable(name: "i", scope: !22, file: !1, line: 3, type: !15)
!22 = distinct !DILexicalBlock(scope: !9, file: !1, line: 3, column: 5)
!23 = !DILocation(line: 0, scope: !9)
!24 = !DILocation(line: 0, scope: !22)
!25 = !DILocation(line: 3, column: 33, scope: !26)
!26 = distinct !DILexicalBlock(scope: !22, file: !1, line: 3, column: 5)
!27 = !DILocation(line: 3, column: 5, scope: !22)
!28 = !DILocation(line: 4, column: 5, scope: !9)
!29 = !DILocation(line: 3, column: 50, scope: !26)
!30 = !{!31, !31, i64 0}
!31 = !{!"double", !32, i64 0}
!32 = !{!"omnipotent char", !33, i64 0}
!33 = !{!"Simple C/C++ TBAA"}
!34 = !DILocation(line: 3, column: 57, scope: !26)
!35 = !DILocation(line: 3, column: 55, scope: !26)
!36 = !DILocation(line: 3, column: 47, scope: !26)
!37 = !DILocation(line: 3, column: 39, scope: !26)
!38 = distinct !{!38, !27, !39, !40, !41}
!39 = !DILocation(line: 3, column: 60, scope: !22)
!40 = !{!"llvm.loop.mustprogress"}
!41 = !{!"llvm.loop.unroll.disable"}
!42 = distinct !DISubprogram(name: "product", scope: !1, file: !1, line: 7, type: !43, scopeLine: 7, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !52)
!43 = !DISubroutineType(types: !44)
!44 = !{null, !45, !46, !46, !50}
!45 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!46 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !47, size: 64)
!47 = !DICompositeType(tag: DW_TAG_array_type, baseType: !12, elements: !48)
!48 = !{!49}
!49 = !DISubrange(count: -1)
!50 = !DIDerivedType(tag: DW_TAG_restrict_type, baseType: !51)
!51 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !12, size: 64)
!52 = !{!53, !54, !55, !56, !57, !59, !62, !65}
!53 = !DILocalVariable(name: "n", arg: 1, scope: !42, file: !1, line: 7, type: !45)
!54 = !DILocalVariable(name: "a", arg: 2, scope: !42, file: !1, line: 7, type: !46)
!55 = !DILocalVariable(name: "b", arg: 3, scope: !42, file: !1, line: 7, type: !46)
!56 = !DILocalVariable(name: "c", arg: 4, scope: !42, file: !1, line: 7, type: !50)
!57 = !DILocalVariable(name: "i", scope: !58, file: !1, line: 8, type: !45)
!58 = distinct !DILexicalBlock(scope: !42, file: !1, line: 8, column: 5)
!59 = !DILocalVariable(name: "j", scope: !60, file: !1, line: 9, type: !45)
!60 = distinct !DILexicalBlock(scope: !61, file: !1, line: 9, column: 9)
!61 = distinct !DILexicalBlock(scope: !58, file: !1, line: 8, column: 5)
!62 = !DILocalVariable(name: "sum", scope: !63, file: !1, line: 10, type: !12)
!63 = distinct !DILexicalBlock(scope: !64, file: !1, line: 9, column: 37)
!64 = distinct !DILexicalBlock(scope: !60, file: !1, line: 9, column: 9)
!65 = !DILocalVariable(name: "k", scope: !66, file: !1, line: 11, type: !45)
!66 = distinct !DILexicalBlock(scope: !63, file: !1, line: 11, column: 13)
!67 = !DILocation(line: 0, scope: !42)
!68 = !DILocation(line: 0, scope: !58)
!69 = !DILocation(line: 8, column: 23, scope: !61)
!70 = !DILocation(line: 8, column: 5, scope: !58)
!71 = !DILocation(line: 0, scope: !60)
!72 = !DILocation(line: 9, column: 9, scope: !60)
!73 = !DILocation(line: 14, column: 1, scope: !42)
!74 = !DILocation(line: 0, scope: !66)
!75 = !DILocation(line: 0, scope: !63)
!76 = !DILocation(line: 11, column: 13, scope: !66)
!77 = !DILocation(line: 8, column: 29, scope: !61)
!78 = distinct !{!78, !70, !79, !40, !41}
!79 = !DILocation(line: 13, column: 9, scope: !58)
!80 = !DILocation(line: 12, column: 21, scope: !63)
!81 = !DILocation(line: 12, column: 13, scope: !63)
!82 = !DILocation(line: 12, column: 26, scope: !63)
!83 = !DILocation(line: 9, column: 33, scope: !64)
!84 = !DILocation(line: 9, column: 27, scope: !64)
!85 = distinct !{!85, !72, !86, !40, !41}
!86 = !DILocation(line: 13, column: 9, scope: !60)
!87 = !DILocation(line: 11, column: 48, scope: !88)
!88 = distinct !DILexicalBlock(scope: !66, file: !1, line: 11, column: 13)
!89 = !DILocation(line: 11, column: 58, scope: !88)
!90 = !DILocation(line: 11, column: 56, scope: !88)
!91 = !DILocation(line: 11, column: 45, scope: !88)
!92 = !DILocation(line: 11, column: 37, scope: !88)
!93 = !DILocation(line: 11, column: 31, scope: !88)
!94 = distinct !{!94, !76, !95, !40, !41}
!95 = !DILocation(line: 11, column: 64, scope: !66)
