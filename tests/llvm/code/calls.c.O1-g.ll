source_filename = "calls.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: nounwind uwtable
define dso_local double @applied(ptr noundef readonly captures(none) %0, double noundef %1) local_unnamed_addr #0 !dbg !9 {
    #dbg_value(ptr %0, !18, !DIExpression(), !20)
    #dbg_value(double %1, !19, !DIExpression(), !20)
  %3 = call fast double %0(double noundef %1) #9, !dbg !21
  %4 = call fast double @llvm.sin.f64(double %1), !dbg !22
  %5 = fadd fast double %3, %4, !dbg !23
  ret double %5, !dbg !24
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.sin.f64(double) #1

; Function Attrs: nounwind uwtable
define dso_local noalias ptr @copied(ptr noundef readonly captures(none) %0) local_unnamed_addr #0 !dbg !25 {
    #dbg_value(ptr %0, !33, !DIExpression(), !37)
  %2 = call i64 @strlen(ptr noundef nonnull dereferenceable(1) %0), !dbg !38
  %3 = add i64 %2, 1, !dbg !39
    #dbg_value(i64 %3, !34, !DIExpression(), !37)
  %4 = call ptr @malloc(i64 noundef %3), !dbg !40
    #dbg_value(ptr %4, !36, !DIExpression(), !37)
  %5 = icmp eq ptr %4, null, !dbg !41
  br i1 %5, label %6, label %7, !dbg !43

6:                                                ; preds = %1
  call void @abort() #10, !dbg !44
  unreachable, !dbg !44

7:                                                ; preds = %1
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 1 %4, ptr align 1 %0, i64 %3, i1 false), !dbg !45
  ret ptr %4, !dbg !46
}

; Function Attrs: mustprogress nofree nounwind willreturn memory(argmem: read)
declare i64 @strlen(ptr noundef captures(none)) local_unnamed_addr #2

; Function Attrs: mustprogress nofree nounwind willreturn memory(inaccessiblemem: readwrite)
declare noalias noundef ptr @malloc(i64 noundef) local_unnamed_addr #3

; Function Attrs: noreturn
declare void @abort() local_unnamed_addr #4

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none) uwtable
define dso_local double @powers(double noundef %0) local_unnamed_addr #5 !dbg !47 {
    #dbg_value(double %0, !49, !DIExpression(), !50)
  %2 = call fast double @llvm.sqrt.f64(double %0), !dbg !51
  %3 = fmul fast double %0, %0, !dbg !51
  %4 = fmul fast double %3, %2, !dbg !51
  %5 = call fast double @llvm.fma.f64(double %0, double %0, double 1.000000e+00), !dbg !52
  %6 = call fast double @llvm.fabs.f64(double %0), !dbg !53
  %7 = fadd fast double %6, %5, !dbg !54
  %8 = fadd fast double %7, %4, !dbg !55
  ret double %8, !dbg !56
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.fma.f64(double, double, double) #1

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.fabs.f64(double) #1

; Function Attrs: nofree nosync nounwind memory(none) uwtable
define dso_local i32 @fibonacci(i32 noundef %0) local_unnamed_addr #6 !dbg !57 {
    #dbg_value(i32 %0, !62, !DIExpression(), !63)
  %2 = icmp slt i32 %0, 2, !dbg !64
  br i1 %2, label %9, label %3, !dbg !65

3:                                                ; preds = %1
  %4 = add nsw i32 %0, -1, !dbg !66
  %5 = call i32 @fibonacci(i32 noundef %4), !dbg !67
  %6 = add nsw i32 %0, -2, !dbg !68
  %7 = call i32 @fibonacci(i32 noundef %6), !dbg !69
  %8 = add nsw i32 %7, %5, !dbg !70
  br label %9, !dbg !65

9:                                                ; preds = %1, %3
  %10 = phi i32 [ %8, %3 ], [ %0, %1 ], !dbg !65
  ret i32 %10, !dbg !71
}

; Function Attrs: nofree norecurse nosync nounwind memory(none) uwtable
define dso_local i32 @variable(i32 noundef %0) local_unnamed_addr #7 !dbg !72 {
    #dbg_value(i32 %0, !74, !DIExpression(), !82)
  %2 = zext i32 %0 to i64, !dbg !83
  %3 = alloca i32, i64 %2, align 16, !dbg !83
    #dbg_value(i64 %2, !75, !DIExpression(), !82)
    #dbg_declare(ptr %3, !76, !DIExpression(), !84)
    #dbg_value(i32 0, !80, !DIExpression(), !85)
  %4 = icmp sgt i32 %0, 0, !dbg !86
  br i1 %4, label %5, label %7, !dbg !88

5:                                                ; preds = %1
  %6 = zext i32 %0 to i64, !dbg !86
  br label %12, !dbg !88

7:                                                ; preds = %12, %1
  %8 = sdiv i32 %0, 2, !dbg !89
  %9 = sext i32 %8 to i64, !dbg !90
  %10 = getelementptr inbounds i32, ptr %3, i64 %9, !dbg !90
  %11 = load i32, ptr %10, align 4, !dbg !90, !tbaa !91
  ret i32 %11, !dbg !95

12:                                               ; preds = %5, %12
  %13 = phi i64 [ 0, %5 ], [ %16, %12 ]
    #dbg_value(i64 %13, !80, !DIExpression(), !85)
  %14 = getelementptr inbounds i32, ptr %3, i64 %13, !dbg !96
  %15 = trunc i64 %13 to i32, !dbg !97
  store i32 %15, ptr %14, align 4, !dbg !97, !tbaa !91
  %16 = add nuw nsw i64 %13, 1, !dbg !98
    #dbg_value(i64 %16, !80, !DIExpression(), !85)
  %17 = icmp eq i64 %16, %6, !dbg !86
  br i1 %17, label %7, label %12, !dbg !88, !llvm.loop !99
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.sqrt.f64(double) #1

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #8

attributes #0 = { nounwind uwtable "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "min-legal-vector-width"="0" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #1 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { mustprogress nofree nounwind willreturn memory(argmem: read) "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #3 = { mustprogress nofree nounwind willreturn memory(inaccessiblemem: readwrite) "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #4 = { noreturn "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #5 = { mustprogress nofree nosync nounwind willreturn memory(none) uwtable "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "min-legal-vector-width"="0" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #6 = { nofree nosync nounwind memory(none) uwtable "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "min-legal-vector-width"="0" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #7 = { nofree norecurse nosync nounwind memory(none) uwtable "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "min-legal-vector-width"="0" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #8 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #9 = { nounwind }
attributes #10 = { noreturn nounwind }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3, !4, !5, !6, !7}
!llvm.ident = !{!8}

!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "Debian clang version 14.0.6", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "calls.c", directory: ".", checksumkind: CSK_MD5, checksum: "5ee7b0d335066c01333359e599e667ee")
!2 = !{i32 7, !"Dwarf Version", i32 5}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !{i32 1, !"wchar_size", i32 4}
!5 = !{i32 8, !"PIC Level", i32 2}
!6 = !{i32 7, !"PIE Level", i32 2}
!7 = !{i32 7, !"uwtable", i32 1}
!8 = !{!"Debian clang version 14.0.6"}
!9 = distinct !DISubprogram(name: "applied", scope: !1, file: !1, line: 8, type: !10, scopeLine: 8, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !17)
!10 = !DISubroutineType(types: !11)
!11 = !{!12, !13, !12}
!12 = !DIBasicType(name: "double", size: 64, encoding: DW_ATE_float)
!13 = !DIDerivedType(tag: DW_TAG_typedef, name: "Function", file: !1, line: 6, baseType: !14)
!14 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !15, size: 64)
!15 = !DISubroutineType(types: !16)
!16 = !{!12, !12}
!17 = !{!18, !19}
!18 = !DILocalVariable(name: "f", arg: 1, scope: !9, file: !1, line: 8, type: !13)
!19 = !DILocalVariable(name: "x", arg: 2, scope: !9, file: !1, line: 8, type: !12)
!20 = !DILocation(line: 0, scope: !9)
!21 = !DILocation(line: 8, column: 47, scope: !9)
!22 = !DILocation(line: 8, column: 54, scope: !9)
!23 = !DILocation(line: 8, column: 52, scope: !9)
!24 = !DILocation(line: 8, column: 40, scope: !9)
!25 = distinct !DISubprogram(name: "copied", scope: !1, file: !1, line: 9, type: !26, scopeLine: 9, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !32)
!26 = !DISubroutineType(types: !27)
!27 = !{!28, !30}
!28 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !29, size: 64)
!29 = !DIBasicType(name: "char", size: 8, encoding: DW_ATE_signed_char)
!30 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !31, size: 64)
!31 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !29)
!32 = !{!33, !34, !36}
!33 = !DILocalVariable(name: "s", arg: 1, scope: !25, file: !1, line: 9, type: !30)
!34 = !DILocalVariable(name: "n", scope: !25, file: !1, line: 10, type: !35)
!35 = !DIBasicType(name: "unsigned long", size: 64, encoding: DW_ATE_unsigned)
!36 = !DILocalVariable(name: "p", scope: !25, file: !1, line: 11, type: !28)
!37 = !DILocation(line: 0, scope: !25)
!38 = !DILocation(line: 10, column: 23, scope: !25)
!39 = !DILocation(line: 10, column: 33, scope: !25)
!40 = !DILocation(line: 11, column: 15, scope: !25)
!41 = !DILocation(line: 12, column: 10, scope: !42)
!42 = distinct !DILexicalBlock(scope: !25, file: !1, line: 12, column: 9)
!43 = !DILocation(line: 12, column: 9, scope: !25)
!44 = !DILocation(line: 12, column: 13, scope: !42)
!45 = !DILocation(line: 13, column: 5, scope: !25)
!46 = !DILocation(line: 14, column: 5, scope: !25)
!47 = distinct !DISubprogram(name: "powers", scope: !1, file: !1, line: 16, type: !15, scopeLine: 16, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !48)
!48 = !{!49}
!49 = !DILocalVariable(name: "x", arg: 1, scope: !47, file: !1, line: 16, type: !12)
!50 = !DILocation(line: 0, scope: !47)
!51 = !DILocation(line: 16, column: 34, scope: !47)
!52 = !DILocation(line: 16, column: 48, scope: !47)
!53 = !DILocation(line: 16, column: 63, scope: !47)
!54 = !DILocation(line: 16, column: 46, scope: !47)
!55 = !DILocation(line: 16, column: 61, scope: !47)
!56 = !DILocation(line: 16, column: 27, scope: !47)
!57 = distinct !DISubprogram(name: "fibonacci", scope: !1, file: !1, line: 17, type: !58, scopeLine: 17, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !61)
!58 = !DISubroutineType(types: !59)
!59 = !{!60, !60}
!60 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!61 = !{!62}
!62 = !DILocalVariable(name: "n", arg: 1, scope: !57, file: !1, line: 17, type: !60)
!63 = !DILocation(line: 0, scope: !57)
!64 = !DILocation(line: 17, column: 33, scope: !57)
!65 = !DILocation(line: 17, column: 31, scope: !57)
!66 = !DILocation(line: 17, column: 55, scope: !57)
!67 = !DILocation(line: 17, column: 43, scope: !57)
!68 = !DILocation(line: 17, column: 74, scope: !57)
!69 = !DILocation(line: 17, column: 62, scope: !57)
!70 = !DILocation(line: 17, column: 60, scope: !57)
!71 = !DILocation(line: 17, column: 24, scope: !57)
!72 = distinct !DISubprogram(name: "variable", scope: !1, file: !1, line: 18, type: !58, scopeLine: 18, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !73)
!73 = !{!74, !75, !76, !80}
!74 = !DILocalVariable(name: "n", arg: 1, scope: !72, file: !1, line: 18, type: !60)
!75 = !DILocalVariable(name: "__vla_expr0", scope: !72, type: !35, flags: DIFlagArtificial)
!76 = !DILocalVariable(name: "a", scope: !72, file: !1, line: 19, type: !77)
!77 = !DICompositeType(tag: DW_TAG_array_type, baseType: !60, elements: !78)
!78 = !{!79}
!79 = !DISubrange(count: !75)
!80 = !DILocalVariable(name: "i", scope: !81, file: !1, line: 20, type: !60)
!81 = distinct !DILexicalBlock(scope: !72, file: !1, line: 20, column: 5)
!82 = !DILocation(line: 0, scope: !72)
!83 = !DILocation(line: 19, column: 5, scope: !72)
!84 = !DILocation(line: 19, column: 9, scope: !72)
!85 = !DILocation(line: 0, scope: !81)
!86 = !DILocation(line: 20, column: 23, scope: !87)
!87 = distinct !DILexicalBlock(scope: !81, file: !1, line: 20, column: 5)
!88 = !DILocation(line: 20, column: 5, scope: !81)
!89 = !DILocation(line: 21, column: 16, scope: !72)
!90 = !DILocation(line: 21, column: 12, scope: !72)
!91 = !{!92, !92, i64 0}
!92 = !{!"int", !93, i64 0}
!93 = !{!"omnipotent char", !94, i64 0}
!94 = !{!"Simple C/C++ TBAA"}
!95 = !DILocation(line: 22, column: 1, scope: !72)
!96 = !DILocation(line: 20, column: 33, scope: !87)
!97 = !DILocation(line: 20, column: 38, scope: !87)
!98 = !DILocation(line: 20, column: 29, scope: !87)
!99 = distinct !{!99, !88, !100, !101, !102}
!100 = !DILocation(line: 20, column: 40, scope: !81)
!101 = !{!"llvm.loop.mustprogress"}
!102 = !{!"llvm.loop.unroll.disable"}
