source_filename = "globals.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.Row.83 = type { i32, double, ptr, ptr }

@.str = private unnamed_addr constant [2 x i8] c"a\00", align 1
@.str.1 = private unnamed_addr constant [4 x i8] c"b\\\22\00", align 1
@table = dso_local global [2 x %struct.Row.83] [%struct.Row.83 { i32 1, double 2.500000e+00, ptr @.str, ptr @twice }, %struct.Row.83 { i32 2, double -1.000000e-01, ptr @.str.1, ptr null }], align 16, !dbg !0
@numbers = dso_local local_unnamed_addr constant [3 x double] [double 3.140000e+00, double 1.000000e+300, double -0.000000e+00], align 16, !dbg !7
@elsewhere = external global i32, align 4
@there = dso_local local_unnamed_addr global ptr @elsewhere, align 8, !dbg !14
@own = dso_local thread_local local_unnamed_addr global i32 9, align 4, !dbg !18
@placed = internal global i32 3, section "mine", align 64, !dbg !20
@zero = dso_local local_unnamed_addr global [100 x i32] zeroinitializer, align 16, !dbg !22
@weak = weak dso_local local_unnamed_addr global i32 0, align 4, !dbg !27
@message = internal unnamed_addr constant [13 x i8] c"100% @home\01\FF\00", align 1, !dbg !44
@llvm.global_ctors = appending global [0 x { i32, ptr, ptr }] zeroinitializer
@llvm.compiler.used = appending global [1 x ptr] [ptr @placed], section "llvm.metadata"

@other_name = dso_local alias i32 (i32), ptr @used

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define internal i32 @twice(i32 noundef %0) #0 !dbg !59 {
    #dbg_value(i32 %0, !61, !DIExpression(), !62)
  %2 = shl nsw i32 %0, 1, !dbg !63
  ret i32 %2, !dbg !64
}

; Function Attrs: nounwind uwtable
define dso_local i32 @used(i32 noundef %0) #1 !dbg !65 {
    #dbg_value(i32 %0, !67, !DIExpression(), !68)
  %2 = sext i32 %0 to i64, !dbg !69
  %3 = getelementptr inbounds [2 x %struct.Row.83], ptr @table, i64 0, i64 %2, i32 3, !dbg !70
  %4 = load ptr, ptr %3, align 8, !dbg !70, !tbaa !71
  %5 = call i32 %4(i32 noundef %0) #3, !dbg !69
  %6 = getelementptr inbounds [100 x i32], ptr @zero, i64 0, i64 %2, !dbg !78
  %7 = load i32, ptr %6, align 4, !dbg !78, !tbaa !79
  %8 = load i32, ptr @table, align 16, !dbg !80, !tbaa !81
  %9 = load i32, ptr @own, align 4, !dbg !82, !tbaa !79
  %10 = load i32, ptr @weak, align 4, !dbg !83, !tbaa !79
  %11 = getelementptr inbounds [13 x i8], ptr @message, i64 0, i64 %2, !dbg !84
  %12 = load i8, ptr %11, align 1, !dbg !84, !tbaa !85
  %13 = sext i8 %12 to i32, !dbg !84
  %14 = add i32 %5, ptrtoint (ptr getelementptr inbounds ([2 x %struct.Row.83], ptr @table, i64 0, i64 1, i32 1) to i32), !dbg !86
  %15 = add i32 %14, %7, !dbg !87
  %16 = add i32 %15, %8, !dbg !88
  %17 = add i32 %16, %9, !dbg !89
  %18 = add i32 %17, %10, !dbg !90
  %19 = add i32 %18, %13, !dbg !91
  ret i32 %19, !dbg !92
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(write) uwtable
define dso_local void @first() local_unnamed_addr #2 !dbg !93 {
  store i32 9, ptr @own, align 4, !dbg !97, !tbaa !79
  ret void, !dbg !98
}

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "min-legal-vector-width"="0" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #1 = { nounwind uwtable "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "min-legal-vector-width"="0" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #2 = { mustprogress nofree norecurse nosync nounwind willreturn memory(write) uwtable "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "min-legal-vector-width"="0" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #3 = { nounwind }

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!52, !53, !54, !55, !56, !57}
!llvm.ident = !{!58}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "table", scope: !2, file: !3, line: 3, type: !49, isLocal: false, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C99, file: !3, producer: "Debian clang version 14.0.6", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, retainedTypes: !4, globals: !6, splitDebugInlining: false, nameTableKind: None)
!3 = !DIFile(filename: "globals.c", directory: ".", checksumkind: CSK_MD5, checksum: "1d4a6bc88f714514041ff44ccab98e06")
!4 = !{!5}
!5 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
!6 = !{!0, !7, !14, !18, !20, !22, !27, !29, !44}
!7 = !DIGlobalVariableExpression(var: !8, expr: !DIExpression())
!8 = distinct !DIGlobalVariable(name: "numbers", scope: !2, file: !3, line: 5, type: !9, isLocal: false, isDefinition: true)
!9 = !DICompositeType(tag: DW_TAG_array_type, baseType: !10, size: 192, elements: !12)
!10 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !11)
!11 = !DIBasicType(name: "double", size: 64, encoding: DW_ATE_float)
!12 = !{!13}
!13 = !DISubrange(count: 3)
!14 = !DIGlobalVariableExpression(var: !15, expr: !DIExpression())
!15 = distinct !DIGlobalVariable(name: "there", scope: !2, file: !3, line: 8, type: !16, isLocal: false, isDefinition: true)
!16 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !17, size: 64)
!17 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!18 = !DIGlobalVariableExpression(var: !19, expr: !DIExpression())
!19 = distinct !DIGlobalVariable(name: "own", scope: !2, file: !3, line: 9, type: !17, isLocal: false, isDefinition: true)
!20 = !DIGlobalVariableExpression(var: !21, expr: !DIExpression())
!21 = distinct !DIGlobalVariable(name: "placed", scope: !2, file: !3, line: 12, type: !17, isLocal: true, isDefinition: true, align: 512)
!22 = !DIGlobalVariableExpression(var: !23, expr: !DIExpression())
!23 = distinct !DIGlobalVariable(name: "zero", scope: !2, file: !3, line: 4, type: !24, isLocal: false, isDefinition: true)
!24 = !DICompositeType(tag: DW_TAG_array_type, baseType: !17, size: 3200, elements: !25)
!25 = !{!26}
!26 = !DISubrange(count: 100)
!27 = !DIGlobalVariableExpression(var: !28, expr: !DIExpression())
!28 = distinct !DIGlobalVariable(name: "weak", scope: !2, file: !3, line: 10, type: !17, isLocal: false, isDefinition: true)
!29 = !DIGlobalVariableExpression(var: !30, expr: !DIExpression())
!30 = distinct !DIGlobalVariable(name: "last", scope: !2, file: !3, line: 6, type: !31, isLocal: true, isDefinition: true)
!31 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !32, size: 64)
!32 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "Row", file: !3, line: 1, size: 256, elements: !33)
!33 = !{!34, !35, !36, !40}
!34 = !DIDerivedType(tag: DW_TAG_member, name: "a", scope: !32, file: !3, line: 1, baseType: !17, size: 32)
!35 = !DIDerivedType(tag: DW_TAG_member, name: "d", scope: !32, file: !3, line: 1, baseType: !11, size: 64, offset: 64)
!36 = !DIDerivedType(tag: DW_TAG_member, name: "s", scope: !32, file: !3, line: 1, baseType: !37, size: 64, offset: 128)
!37 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !38, size: 64)
!38 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !39)
!39 = !DIBasicType(name: "char", size: 8, encoding: DW_ATE_signed_char)
!40 = !DIDerivedType(tag: DW_TAG_member, name: "f", scope: !32, file: !3, line: 1, baseType: !41, size: 64, offset: 192)
!41 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !42, size: 64)
!42 = !DISubroutineType(types: !43)
!43 = !{!17, !17}
!44 = !DIGlobalVariableExpression(var: !45, expr: !DIExpression())
!45 = distinct !DIGlobalVariable(name: "message", scope: !2, file: !3, line: 11, type: !46, isLocal: true, isDefinition: true)
!46 = !DICompositeType(tag: DW_TAG_array_type, baseType: !38, size: 104, elements: !47)
!47 = !{!48}
!48 = !DISubrange(count: 13)
!49 = !DICompositeType(tag: DW_TAG_array_type, baseType: !32, size: 512, elements: !50)
!50 = !{!51}
!51 = !DISubrange(count: 2)
!52 = !{i32 7, !"Dwarf Version", i32 5}
!53 = !{i32 2, !"Debug Info Version", i32 3}
!54 = !{i32 1, !"wchar_size", i32 4}
!55 = !{i32 8, !"PIC Level", i32 2}
!56 = !{i32 7, !"PIE Level", i32 2}
!57 = !{i32 7, !"uwtable", i32 1}
!58 = !{!"Debian clang version 14.0.6"}
!59 = distinct !DISubprogram(name: "twice", scope: !3, file: !3, line: 2, type: !42, scopeLine: 2, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !60)
!60 = !{!61}
!61 = !DILocalVariable(name: "x", arg: 1, scope: !59, file: !3, line: 2, type: !17)
!62 = !DILocation(line: 0, scope: !59)
!63 = !DILocation(line: 2, column: 36, scope: !59)
!64 = !DILocation(line: 2, column: 27, scope: !59)
!65 = distinct !DISubprogram(name: "used", scope: !3, file: !3, line: 13, type: !42, scopeLine: 13, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !66)
!66 = !{!67}
!67 = !DILocalVariable(name: "i", arg: 1, scope: !65, file: !3, line: 13, type: !17)
!68 = !DILocation(line: 0, scope: !65)
!69 = !DILocation(line: 14, column: 12, scope: !65)
!70 = !DILocation(line: 14, column: 21, scope: !65)
!71 = !{!72, !77, i64 24}
!72 = !{!"Row", !73, i64 0, !76, i64 8, !77, i64 16, !77, i64 24}
!73 = !{!"int", !74, i64 0}
!74 = !{!"omnipotent char", !75, i64 0}
!75 = !{!"Simple C/C++ TBAA"}
!76 = !{!"double", !74, i64 0}
!77 = !{!"any pointer", !74, i64 0}
!78 = !DILocation(line: 14, column: 28, scope: !65)
!79 = !{!73, !73, i64 0}
!80 = !DILocation(line: 14, column: 44, scope: !65)
!81 = !{!72, !73, i64 0}
!82 = !DILocation(line: 14, column: 48, scope: !65)
!83 = !DILocation(line: 14, column: 54, scope: !65)
!84 = !DILocation(line: 14, column: 61, scope: !65)
!85 = !{!74, !74, i64 0}
!86 = !DILocation(line: 14, column: 26, scope: !65)
!87 = !DILocation(line: 14, column: 36, scope: !65)
!88 = !DILocation(line: 14, column: 46, scope: !65)
!89 = !DILocation(line: 14, column: 52, scope: !65)
!90 = !DILocation(line: 14, column: 59, scope: !65)
!91 = !DILocation(line: 14, column: 72, scope: !65)
!92 = !DILocation(line: 14, column: 5, scope: !65)
!93 = distinct !DISubprogram(name: "first", scope: !3, file: !3, line: 17, type: !94, scopeLine: 17, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !96)
!94 = !DISubroutineType(types: !95)
!95 = !{null}
!96 = !{}
!97 = !DILocation(line: 17, column: 53, scope: !93)
!98 = !DILocation(line: 17, column: 72, scope: !93)
