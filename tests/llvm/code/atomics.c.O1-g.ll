source_filename = "atomics.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@counted = dso_local global i32 0, align 4, !dbg !0

; Function Attrs: mustprogress nofree norecurse nounwind willreturn uwtable
define dso_local i32 @added(ptr noundef captures(none) %0) local_unnamed_addr #0 !dbg !25 {
    #dbg_value(ptr %0, !32, !DIExpression(), !33)
  %2 = atomicrmw add ptr %0, i32 1 seq_cst, align 4, !dbg !34
  ret i32 %2, !dbg !35
}

; Function Attrs: mustprogress nofree norecurse nounwind willreturn uwtable
define dso_local zeroext i1 @swapped(ptr noundef captures(none) %0, ptr noundef captures(none) %1, i64 noundef %2) local_unnamed_addr #0 !dbg !36 {
    #dbg_value(ptr %0, !46, !DIExpression(), !49)
    #dbg_value(ptr %1, !47, !DIExpression(), !49)
    #dbg_value(i64 %2, !48, !DIExpression(), !49)
  %4 = load i64, ptr %1, align 8, !dbg !50
  %5 = cmpxchg weak ptr %0, i64 %4, i64 %2 seq_cst seq_cst, align 8, !dbg !50
  %6 = extractvalue { i64, i1 } %5, 1, !dbg !50
  br i1 %6, label %9, label %7, !dbg !50

7:                                                ; preds = %3
  %8 = extractvalue { i64, i1 } %5, 0, !dbg !50
  store i64 %8, ptr %1, align 8, !dbg !50
  br label %9, !dbg !50

9:                                                ; preds = %7, %3
  ret i1 %6, !dbg !51
}

; Function Attrs: mustprogress nofree norecurse nounwind willreturn uwtable
define dso_local void @stored(ptr noundef writeonly captures(none) %0) local_unnamed_addr #0 !dbg !52 {
    #dbg_value(ptr %0, !56, !DIExpression(), !57)
  store atomic i32 3, ptr %0 release, align 4, !dbg !58
  fence acquire, !dbg !59
  ret void, !dbg !60
}

; Function Attrs: mustprogress nofree norecurse nounwind willreturn uwtable
define dso_local i32 @loaded(ptr noundef %0) local_unnamed_addr #0 !dbg !61 {
    #dbg_value(ptr %0, !67, !DIExpression(), !68)
  %2 = load atomic volatile i32, ptr %0 seq_cst, align 4, !dbg !69
  ret i32 %2, !dbg !70
}

; Function Attrs: mustprogress nofree norecurse nounwind willreturn uwtable
define dso_local i32 @nand(ptr noundef captures(none) %0) local_unnamed_addr #0 !dbg !71 {
    #dbg_value(ptr %0, !76, !DIExpression(), !77)
  %2 = atomicrmw nand ptr %0, i32 3 seq_cst, align 4, !dbg !78
  %3 = atomicrmw xchg ptr %0, i32 4 seq_cst, align 4, !dbg !79
  %4 = add nsw i32 %3, %2, !dbg !80
  ret i32 %4, !dbg !81
}

; Function Attrs: nofree norecurse nounwind uwtable
define dso_local i32 @read_again() local_unnamed_addr #1 !dbg !82 {
  store volatile i32 3, ptr @counted, align 4, !dbg !86, !tbaa !87
  %1 = load volatile i32, ptr @counted, align 4, !dbg !91, !tbaa !87
  ret i32 %1, !dbg !92
}

attributes #0 = { mustprogress nofree norecurse nounwind willreturn uwtable "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "min-legal-vector-width"="0" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #1 = { nofree norecurse nounwind uwtable "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "min-legal-vector-width"="0" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!18, !19, !20, !21, !22, !23}
!llvm.ident = !{!24}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "counted", scope: !2, file: !3, line: 11, type: !16, isLocal: false, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C99, file: !3, producer: "Debian clang version 14.0.6", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, enums: !4, globals: !15, splitDebugInlining: false, nameTableKind: None)
!3 = !DIFile(filename: "atomics.c", directory: ".", checksumkind: CSK_MD5, checksum: "be12241fdae33ede7179e7fed8240866")
!4 = !{!5}
!5 = !DICompositeType(tag: DW_TAG_enumeration_type, name: "memory_order", file: !6, line: 56, baseType: !7, size: 32, elements: !8)
!6 = !DIFile(filename: "/usr/lib/llvm-14/lib/clang/14.0.6/include/stdatomic.h", directory: "", checksumkind: CSK_MD5, checksum: "de5d66a1ef2f5448cc1919ff39db92bc")
!7 = !DIBasicType(name: "unsigned int", size: 32, encoding: DW_ATE_unsigned)
!8 = !{!9, !10, !11, !12, !13, !14}
!9 = !DIEnumerator(name: "memory_order_relaxed", value: 0)
!10 = !DIEnumerator(name: "memory_order_consume", value: 1)
!11 = !DIEnumerator(name: "memory_order_acquire", value: 2)
!12 = !DIEnumerator(name: "memory_order_release", value: 3)
!13 = !DIEnumerator(name: "memory_order_acq_rel", value: 4)
!14 = !DIEnumerator(name: "memory_order_seq_cst", value: 5)
!15 = !{!0}
!16 = !DIDerivedType(tag: DW_TAG_volatile_type, baseType: !17)
!17 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!18 = !{i32 7, !"Dwarf Version", i32 5}
!19 = !{i32 2, !"Debug Info Version", i32 3}
!20 = !{i32 1, !"wchar_size", i32 4}
!21 = !{i32 8, !"PIC Level", i32 2}
!22 = !{i32 7, !"PIE Level", i32 2}
!23 = !{i32 7, !"uwtable", i32 1}
!24 = !{!"Debian clang version 14.0.6"}
!25 = distinct !DISubprogram(name: "added", scope: !3, file: !3, line: 3, type: !26, scopeLine: 3, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !31)
!26 = !DISubroutineType(types: !27)
!27 = !{!17, !28}
!28 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !29, size: 64)
!29 = !DIDerivedType(tag: DW_TAG_typedef, name: "atomic_int", file: !6, line: 92, baseType: !30)
!30 = !DIDerivedType(tag: DW_TAG_atomic_type, baseType: !17)
!31 = !{!32}
!32 = !DILocalVariable(name: "p", arg: 1, scope: !25, file: !3, line: 3, type: !28)
!33 = !DILocation(line: 0, scope: !25)
!34 = !DILocation(line: 3, column: 35, scope: !25)
!35 = !DILocation(line: 3, column: 28, scope: !25)
!36 = distinct !DISubprogram(name: "swapped", scope: !3, file: !3, line: 4, type: !37, scopeLine: 4, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !45)
!37 = !DISubroutineType(types: !38)
!38 = !{!39, !40, !44, !43}
!39 = !DIBasicType(name: "_Bool", size: 8, encoding: DW_ATE_boolean)
!40 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !41, size: 64)
!41 = !DIDerivedType(tag: DW_TAG_typedef, name: "atomic_long", file: !6, line: 94, baseType: !42)
!42 = !DIDerivedType(tag: DW_TAG_atomic_type, baseType: !43)
!43 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
!44 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !43, size: 64)
!45 = !{!46, !47, !48}
!46 = !DILocalVariable(name: "p", arg: 1, scope: !36, file: !3, line: 4, type: !40)
!47 = !DILocalVariable(name: "old", arg: 2, scope: !36, file: !3, line: 4, type: !44)
!48 = !DILocalVariable(name: "new", arg: 3, scope: !36, file: !3, line: 4, type: !43)
!49 = !DILocation(line: 0, scope: !36)
!50 = !DILocation(line: 4, column: 61, scope: !36)
!51 = !DILocation(line: 4, column: 54, scope: !36)
!52 = distinct !DISubprogram(name: "stored", scope: !3, file: !3, line: 5, type: !53, scopeLine: 5, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !55)
!53 = !DISubroutineType(types: !54)
!54 = !{null, !28}
!55 = !{!56}
!56 = !DILocalVariable(name: "p", arg: 1, scope: !52, file: !3, line: 5, type: !28)
!57 = !DILocation(line: 0, scope: !52)
!58 = !DILocation(line: 6, column: 5, scope: !52)
!59 = !DILocation(line: 7, column: 5, scope: !52)
!60 = !DILocation(line: 8, column: 1, scope: !52)
!61 = distinct !DISubprogram(name: "loaded", scope: !3, file: !3, line: 9, type: !62, scopeLine: 9, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !66)
!62 = !DISubroutineType(types: !63)
!63 = !{!17, !64}
!64 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !65, size: 64)
!65 = !DIDerivedType(tag: DW_TAG_volatile_type, baseType: !29)
!66 = !{!67}
!67 = !DILocalVariable(name: "p", arg: 1, scope: !61, file: !3, line: 9, type: !64)
!68 = !DILocation(line: 0, scope: !61)
!69 = !DILocation(line: 9, column: 45, scope: !61)
!70 = !DILocation(line: 9, column: 38, scope: !61)
!71 = distinct !DISubprogram(name: "nand", scope: !3, file: !3, line: 10, type: !72, scopeLine: 10, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !75)
!72 = !DISubroutineType(types: !73)
!73 = !{!17, !74}
!74 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !17, size: 64)
!75 = !{!76}
!76 = !DILocalVariable(name: "p", arg: 1, scope: !71, file: !3, line: 10, type: !74)
!77 = !DILocation(line: 0, scope: !71)
!78 = !DILocation(line: 10, column: 27, scope: !71)
!79 = !DILocation(line: 10, column: 57, scope: !71)
!80 = !DILocation(line: 10, column: 55, scope: !71)
!81 = !DILocation(line: 10, column: 20, scope: !71)
!82 = distinct !DISubprogram(name: "read_again", scope: !3, file: !3, line: 12, type: !83, scopeLine: 12, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !85)
!83 = !DISubroutineType(types: !84)
!84 = !{!17}
!85 = !{}
!86 = !DILocation(line: 12, column: 32, scope: !82)
!87 = !{!88, !88, i64 0}
!88 = !{!"int", !89, i64 0}
!89 = !{!"omnipotent char", !90, i64 0}
!90 = !{!"Simple C/C++ TBAA"}
!91 = !DILocation(line: 12, column: 44, scope: !82)
!92 = !DILocation(line: 12, column: 37, scope: !82)
