source_filename = "halves.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32"
target triple = "aarch64-unknown-linux-gnu"

@stored = dso_local local_unnamed_addr global half 0xH0000, align 2, !dbg !0

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local half @half(half noundef %0, half noundef %1) local_unnamed_addr #0 !dbg !21 {
    #dbg_value(half %0, !25, !DIExpression(), !27)
    #dbg_value(half %1, !26, !DIExpression(), !27)
  %3 = fmul fast half %1, %0, !dbg !28
  %4 = fadd fast half %3, 0xH3E00, !dbg !29
  ret half %4, !dbg !30
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local fp128 @wide(fp128 noundef %0) local_unnamed_addr #0 !dbg !31 {
    #dbg_value(fp128 %0, !36, !DIExpression(), !37)
  %2 = fmul fast fp128 %0, 0xL00000000000000004000A00000000000, !dbg !38
  %3 = fadd fast fp128 %2, 0xL00000000000000003FFF000000000000, !dbg !39
  ret fp128 %3, !dbg !40
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local float @widened(half noundef %0) local_unnamed_addr #0 !dbg !41 {
    #dbg_value(half %0, !46, !DIExpression(), !47)
  %2 = fpext half %0 to float, !dbg !48
  ret float %2, !dbg !49
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local { double, double } @product([2 x double] noundef %0, [2 x double] noundef %1) local_unnamed_addr #0 !dbg !50 {
  %3 = extractvalue [2 x double] %0, 0
    #dbg_value(double %3, !55, !DIExpression(DW_OP_LLVM_fragment, 0, 64), !57)
  %4 = extractvalue [2 x double] %0, 1
    #dbg_value(double %4, !55, !DIExpression(DW_OP_LLVM_fragment, 64, 64), !57)
  %5 = extractvalue [2 x double] %1, 0
    #dbg_value(double %5, !56, !DIExpression(DW_OP_LLVM_fragment, 0, 64), !57)
  %6 = extractvalue [2 x double] %1, 1
    #dbg_value(double %6, !56, !DIExpression(DW_OP_LLVM_fragment, 64, 64), !57)
  %7 = fmul fast double %5, %3, !dbg !58
  %8 = fmul fast double %6, %4, !dbg !58
  %9 = fmul fast double %6, %3, !dbg !58
  %10 = fmul fast double %5, %4, !dbg !58
  %11 = fsub fast double %7, %8, !dbg !58
  %12 = fadd fast double %9, %10, !dbg !58
  %13 = fmul fast double %12, 2.000000e+00, !dbg !59
  %14 = fadd fast double %13, %11, !dbg !59
  %15 = fmul fast double %11, 2.000000e+00, !dbg !59
  %16 = fsub fast double %12, %15, !dbg !59
  %17 = fmul fast double %14, 2.000000e-01, !dbg !59
  %18 = fmul fast double %16, 2.000000e-01, !dbg !59
  %19 = insertvalue { double, double } poison, double %17, 0, !dbg !60
  %20 = insertvalue { double, double } %19, double %18, 1, !dbg !60
  ret { double, double } %20, !dbg !60
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local float @nan_() local_unnamed_addr #0 !dbg !61 {
  ret float 0x7FF8000000000000, !dbg !65
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local double @infinite() local_unnamed_addr #0 !dbg !66 {
  ret double 0xFFF0000000000000, !dbg !70
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local i128 @large(i128 noundef %0) local_unnamed_addr #0 !dbg !71 {
    #dbg_value(i128 %0, !75, !DIExpression(), !76)
  %2 = mul nsw i128 %0, %0, !dbg !77
  %3 = add nuw nsw i128 %2, 1267650600228229401496703205376, !dbg !78
  ret i128 %3, !dbg !79
}

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable "approx-func-fp-math"="true" "frame-pointer"="non-leaf" "min-legal-vector-width"="0" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+neon,+v8a" "unsafe-fp-math"="true" }

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!9, !10, !11, !12, !13, !14, !15, !16, !17, !18, !19}
!llvm.ident = !{!20}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "stored", scope: !2, file: !3, line: 4, type: !8, isLocal: false, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C99, file: !3, producer: "Debian clang version 14.0.6", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, retainedTypes: !4, globals: !7, splitDebugInlining: false, nameTableKind: None)
!3 = !DIFile(filename: "halves.c", directory: ".", checksumkind: CSK_MD5, checksum: "bf901a614778743749f25a90cf2578b6")
!4 = !{!5, !6}
!5 = !DIBasicType(name: "_Float16", size: 16, encoding: DW_ATE_float)
!6 = !DIBasicType(name: "__int128", size: 128, encoding: DW_ATE_signed)
!7 = !{!0}
!8 = !DIBasicType(name: "__fp16", size: 16, encoding: DW_ATE_float)
!9 = !{i32 7, !"Dwarf Version", i32 5}
!10 = !{i32 2, !"Debug Info Version", i32 3}
!11 = !{i32 1, !"wchar_size", i32 4}
!12 = !{i32 8, !"branch-target-enforcement", i32 0}
!13 = !{i32 8, !"sign-return-address", i32 0}
!14 = !{i32 8, !"sign-return-address-all", i32 0}
!15 = !{i32 8, !"sign-return-address-with-bkey", i32 0}
!16 = !{i32 8, !"PIC Level", i32 2}
!17 = !{i32 7, !"PIE Level", i32 2}
!18 = !{i32 7, !"uwtable", i32 1}
!19 = !{i32 7, !"frame-pointer", i32 1}
!20 = !{!"Debian clang version 14.0.6"}
!21 = distinct !DISubprogram(name: "half", scope: !3, file: !3, line: 1, type: !22, scopeLine: 1, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !24)
!22 = !DISubroutineType(types: !23)
!23 = !{!5, !5, !5}
!24 = !{!25, !26}
!25 = !DILocalVariable(name: "a", arg: 1, scope: !21, file: !3, line: 1, type: !5)
!26 = !DILocalVariable(name: "b", arg: 2, scope: !21, file: !3, line: 1, type: !5)
!27 = !DILocation(line: 0, scope: !21)
!28 = !DILocation(line: 1, column: 50, scope: !21)
!29 = !DILocation(line: 1, column: 54, scope: !21)
!30 = !DILocation(line: 1, column: 41, scope: !21)
!31 = distinct !DISubprogram(name: "wide", scope: !3, file: !3, line: 2, type: !32, scopeLine: 2, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !35)
!32 = !DISubroutineType(types: !33)
!33 = !{!34, !34}
!34 = !DIBasicType(name: "long double", size: 128, encoding: DW_ATE_float)
!35 = !{!36}
!36 = !DILocalVariable(name: "a", arg: 1, scope: !31, file: !3, line: 2, type: !34)
!37 = !DILocation(line: 0, scope: !31)
!38 = !DILocation(line: 2, column: 44, scope: !31)
!39 = !DILocation(line: 2, column: 52, scope: !31)
!40 = !DILocation(line: 2, column: 35, scope: !31)
!41 = distinct !DISubprogram(name: "widened", scope: !3, file: !3, line: 3, type: !42, scopeLine: 3, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !45)
!42 = !DISubroutineType(types: !43)
!43 = !{!44, !5}
!44 = !DIBasicType(name: "float", size: 32, encoding: DW_ATE_float)
!45 = !{!46}
!46 = !DILocalVariable(name: "a", arg: 1, scope: !41, file: !3, line: 3, type: !5)
!47 = !DILocation(line: 0, scope: !41)
!48 = !DILocation(line: 3, column: 36, scope: !41)
!49 = !DILocation(line: 3, column: 29, scope: !41)
!50 = distinct !DISubprogram(name: "product", scope: !3, file: !3, line: 5, type: !51, scopeLine: 5, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !54)
!51 = !DISubroutineType(types: !52)
!52 = !{!53, !53, !53}
!53 = !DIBasicType(name: "complex", size: 128, encoding: DW_ATE_complex_float)
!54 = !{!55, !56}
!55 = !DILocalVariable(name: "a", arg: 1, scope: !50, file: !3, line: 5, type: !53)
!56 = !DILocalVariable(name: "b", arg: 2, scope: !50, file: !3, line: 5, type: !53)
!57 = !DILocation(line: 0, scope: !50)
!58 = !DILocation(line: 5, column: 74, scope: !50)
!59 = !DILocation(line: 5, column: 78, scope: !50)
!60 = !DILocation(line: 5, column: 65, scope: !50)
!61 = distinct !DISubprogram(name: "nan_", scope: !3, file: !3, line: 6, type: !62, scopeLine: 6, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !64)
!62 = !DISubroutineType(types: !63)
!63 = !{!44}
!64 = !{}
!65 = !DILocation(line: 6, column: 20, scope: !61)
!66 = distinct !DISubprogram(name: "infinite", scope: !3, file: !3, line: 7, type: !67, scopeLine: 7, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !64)
!67 = !DISubroutineType(types: !68)
!68 = !{!69}
!69 = !DIBasicType(name: "double", size: 64, encoding: DW_ATE_float)
!70 = !DILocation(line: 7, column: 25, scope: !66)
!71 = distinct !DISubprogram(name: "large", scope: !3, file: !3, line: 8, type: !72, scopeLine: 8, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !74)
!72 = !DISubroutineType(types: !73)
!73 = !{!6, !6}
!74 = !{!75}
!75 = !DILocalVariable(name: "a", arg: 1, scope: !71, file: !3, line: 8, type: !6)
!76 = !DILocation(line: 0, scope: !71)
!77 = !DILocation(line: 8, column: 39, scope: !71)
!78 = !DILocation(line: 8, column: 43, scope: !71)
!79 = !DILocation(line: 8, column: 30, scope: !71)
