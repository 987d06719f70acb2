source_filename = "vectors.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(read) uwtable
define dso_local <4 x double> @axpy(double noundef %0, ptr noundef readonly byval(<4 x double>) align 32 captures(none) %1, ptr noundef readonly byval(<4 x double>) align 32 captures(none) %2) local_unnamed_addr #0 !dbg !9 {
  %4 = load <4 x double>, ptr %1, align 32, !tbaa !21
  %5 = load <4 x double>, ptr %2, align 32, !tbaa !21
    #dbg_value(double %0, !18, !DIExpression(), !24)
    #dbg_value(<4 x double> %4, !19, !DIExpression(), !24)
    #dbg_value(<4 x double> %5, !20, !DIExpression(), !24)
  %6 = insertelement <4 x double> poison, double %0, i64 0, !dbg !25
  %7 = shufflevector <4 x double> %6, <4 x double> poison, <4 x i32> zeroinitializer, !dbg !25
  %8 = fmul fast <4 x double> %4, %7, !dbg !26
  %9 = fadd fast <4 x double> %8, %5, !dbg !27
  ret <4 x double> %9, !dbg !28
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local <4 x i32> @compared(<4 x i32> noundef %0, <4 x i32> noundef %1) local_unnamed_addr #1 !dbg !29 {
    #dbg_value(<4 x i32> %0, !36, !DIExpression(), !38)
    #dbg_value(<4 x i32> %1, !37, !DIExpression(), !38)
  %3 = icmp slt <4 x i32> %0, %1, !dbg !39
  %4 = sext <4 x i1> %3 to <4 x i32>, !dbg !39
  ret <4 x i32> %4, !dbg !40
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(read) uwtable
define dso_local <4 x double> @shuffled(ptr noundef readonly byval(<4 x double>) align 32 captures(none) %0, ptr noundef readonly byval(<4 x double>) align 32 captures(none) %1) local_unnamed_addr #0 !dbg !41 {
  %3 = load <4 x double>, ptr %0, align 32, !tbaa !21
  %4 = load <4 x double>, ptr %1, align 32, !tbaa !21
    #dbg_value(<4 x double> %3, !45, !DIExpression(), !47)
    #dbg_value(<4 x double> %4, !46, !DIExpression(), !47)
  %5 = shufflevector <4 x double> %3, <4 x double> %4, <4 x i32> <i32 0, i32 5, i32 2, i32 7>, !dbg !48
  ret <4 x double> %5, !dbg !49
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(read) uwtable
define dso_local double @taken(ptr noundef readonly byval(<4 x double>) align 32 captures(none) %0, i32 noundef %1) local_unnamed_addr #2 !dbg !50 {
  %3 = load <4 x double>, ptr %0, align 32, !tbaa !21
    #dbg_value(<4 x double> %3, !54, !DIExpression(), !56)
    #dbg_value(i32 %1, !55, !DIExpression(), !56)
  %4 = extractelement <4 x double> %3, i32 %1, !dbg !57
  ret double %4, !dbg !58
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(read) uwtable
define dso_local <4 x double> @put(ptr noundef readonly byval(<4 x double>) align 32 captures(none) %0, i32 noundef %1, double noundef %2) local_unnamed_addr #0 !dbg !59 {
  %4 = load <4 x double>, ptr %0, align 32, !tbaa !21
    #dbg_value(<4 x double> %4, !63, !DIExpression(), !66)
    #dbg_value(i32 %1, !64, !DIExpression(), !66)
    #dbg_value(double %2, !65, !DIExpression(), !66)
  %5 = insertelement <4 x double> %4, double %2, i32 %1, !dbg !67
    #dbg_value(<4 x double> %5, !63, !DIExpression(), !66)
  ret <4 x double> %5, !dbg !68
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local <4 x i32> @less(<4 x i32> noundef %0) local_unnamed_addr #1 !dbg !69 {
    #dbg_value(<4 x i32> %0, !73, !DIExpression(), !74)
  %2 = sub <4 x i32> zeroinitializer, %0, !dbg !75
  %3 = and <4 x i32> %2, splat (i32 15), !dbg !76
  ret <4 x i32> %3, !dbg !77
}

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(read) uwtable "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "min-legal-vector-width"="256" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #1 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "min-legal-vector-width"="128" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #2 = { mustprogress nofree norecurse nosync nounwind willreturn memory(read) uwtable "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "min-legal-vector-width"="0" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3, !4, !5, !6, !7}
!llvm.ident = !{!8}

!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "Debian clang version 14.0.6", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "vectors.c", directory: ".", checksumkind: CSK_MD5, checksum: "7a809f3b1d6403bd88c1364bd10c23eb")
!2 = !{i32 7, !"Dwarf Version", i32 5}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !{i32 1, !"wchar_size", i32 4}
!5 = !{i32 8, !"PIC Level", i32 2}
!6 = !{i32 7, !"PIE Level", i32 2}
!7 = !{i32 7, !"uwtable", i32 1}
!8 = !{!"Debian clang version 14.0.6"}
!9 = distinct !DISubprogram(name: "axpy", scope: !1, file: !1, line: 4, type: !10, scopeLine: 4, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !17)
!10 = !DISubroutineType(types: !11)
!11 = !{!12, !14, !12, !12}
!12 = !DIDerivedType(tag: DW_TAG_typedef, name: "Doubles", file: !1, line: 1, baseType: !13)
!13 = !DICompositeType(tag: DW_TAG_array_type, baseType: !14, size: 256, flags: DIFlagVector, elements: !15)
!14 = !DIBasicType(name: "double", size: 64, encoding: DW_ATE_float)
!15 = !{!16}
!16 = !DISubrange(count: 4)
!17 = !{!18, !19, !20}
!18 = !DILocalVariable(name: "a", arg: 1, scope: !9, file: !1, line: 4, type: !14)
!19 = !DILocalVariable(name: "x", arg: 2, scope: !9, file: !1, line: 4, type: !12)
!20 = !DILocalVariable(name: "y", arg: 3, scope: !9, file: !1, line: 4, type: !12)
!21 = !{!22, !22, i64 0}
!22 = !{!"omnipotent char", !23, i64 0}
!23 = !{!"Simple C/C++ TBAA"}
!24 = !DILocation(line: 0, scope: !9)
!25 = !DILocation(line: 4, column: 55, scope: !9)
!26 = !DILocation(line: 4, column: 57, scope: !9)
!27 = !DILocation(line: 4, column: 61, scope: !9)
!28 = !DILocation(line: 4, column: 48, scope: !9)
!29 = distinct !DISubprogram(name: "compared", scope: !1, file: !1, line: 5, type: !30, scopeLine: 5, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !35)
!30 = !DISubroutineType(types: !31)
!31 = !{!32, !32, !32}
!32 = !DIDerivedType(tag: DW_TAG_typedef, name: "Integers", file: !1, line: 2, baseType: !33)
!33 = !DICompositeType(tag: DW_TAG_array_type, baseType: !34, size: 128, flags: DIFlagVector, elements: !15)
!34 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!35 = !{!36, !37}
!36 = !DILocalVariable(name: "a", arg: 1, scope: !29, file: !1, line: 5, type: !32)
!37 = !DILocalVariable(name: "b", arg: 2, scope: !29, file: !1, line: 5, type: !32)
!38 = !DILocation(line: 0, scope: !29)
!39 = !DILocation(line: 5, column: 54, scope: !29)
!40 = !DILocation(line: 5, column: 45, scope: !29)
!41 = distinct !DISubprogram(name: "shuffled", scope: !1, file: !1, line: 6, type: !42, scopeLine: 6, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !44)
!42 = !DISubroutineType(types: !43)
!43 = !{!12, !12, !12}
!44 = !{!45, !46}
!45 = !DILocalVariable(name: "a", arg: 1, scope: !41, file: !1, line: 6, type: !12)
!46 = !DILocalVariable(name: "b", arg: 2, scope: !41, file: !1, line: 6, type: !12)
!47 = !DILocation(line: 0, scope: !41)
!48 = !DILocation(line: 6, column: 49, scope: !41)
!49 = !DILocation(line: 6, column: 42, scope: !41)
!50 = distinct !DISubprogram(name: "taken", scope: !1, file: !1, line: 7, type: !51, scopeLine: 7, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !53)
!51 = !DISubroutineType(types: !52)
!52 = !{!14, !12, !34}
!53 = !{!54, !55}
!54 = !DILocalVariable(name: "a", arg: 1, scope: !50, file: !1, line: 7, type: !12)
!55 = !DILocalVariable(name: "i", arg: 2, scope: !50, file: !1, line: 7, type: !34)
!56 = !DILocation(line: 0, scope: !50)
!57 = !DILocation(line: 7, column: 41, scope: !50)
!58 = !DILocation(line: 7, column: 34, scope: !50)
!59 = distinct !DISubprogram(name: "put", scope: !1, file: !1, line: 8, type: !60, scopeLine: 8, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !62)
!60 = !DISubroutineType(types: !61)
!61 = !{!12, !12, !34, !14}
!62 = !{!63, !64, !65}
!63 = !DILocalVariable(name: "a", arg: 1, scope: !59, file: !1, line: 8, type: !12)
!64 = !DILocalVariable(name: "i", arg: 2, scope: !59, file: !1, line: 8, type: !34)
!65 = !DILocalVariable(name: "x", arg: 3, scope: !59, file: !1, line: 8, type: !14)
!66 = !DILocation(line: 0, scope: !59)
!67 = !DILocation(line: 8, column: 48, scope: !59)
!68 = !DILocation(line: 8, column: 53, scope: !59)
!69 = distinct !DISubprogram(name: "less", scope: !1, file: !1, line: 9, type: !70, scopeLine: 9, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !72)
!70 = !DISubroutineType(types: !71)
!71 = !{!32, !32}
!72 = !{!73}
!73 = !DILocalVariable(name: "a", arg: 1, scope: !69, file: !1, line: 9, type: !32)
!74 = !DILocation(line: 0, scope: !69)
!75 = !DILocation(line: 9, column: 36, scope: !69)
!76 = !DILocation(line: 9, column: 39, scope: !69)
!77 = !DILocation(line: 9, column: 29, scope: !69)
