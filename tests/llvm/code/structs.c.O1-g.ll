source_filename = "structs.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.Line.10 = type { [4 x %struct.Point.8], ptr, %union.anon.9, i16 }
%struct.Point.8 = type { double, double, i32, [3 x i8] }
%union.anon.9 = type { i32 }

@.str = private unnamed_addr constant [3 x i8] c"ab\00", align 1

; Function Attrs: nofree norecurse nosync nounwind memory(read) uwtable
define dso_local double @sum(ptr noundef readonly byval(%struct.Line.10) align 8 captures(none) %0) local_unnamed_addr #0 !dbg !9 {
    #dbg_declare(ptr %0, !42, !DIExpression(), !46)
    #dbg_value(double 0.000000e+00, !43, !DIExpression(), !47)
    #dbg_value(i32 0, !44, !DIExpression(), !48)
  br label %13, !dbg !49

2:                                                ; preds = %13
  %3 = getelementptr inbounds %struct.Line.10, ptr %0, i64 0, i32 2, !dbg !50
  %4 = bitcast ptr %3 to ptr, !dbg !51
  %5 = load float, ptr %4, align 8, !dbg !51, !tbaa !52
  %6 = fpext float %5 to double, !dbg !55
  %7 = fadd fast double %22, %6, !dbg !56
  %8 = getelementptr inbounds %struct.Line.10, ptr %0, i64 0, i32 3, !dbg !57
  %9 = load i16, ptr %8, align 4, !dbg !57
  %10 = and i16 %9, 7, !dbg !57
  %11 = uitofp i16 %10 to double, !dbg !58
  %12 = fadd fast double %7, %11, !dbg !59
  ret double %12, !dbg !60

13:                                               ; preds = %1, %13
  %14 = phi i64 [ 0, %1 ], [ %23, %13 ]
  %15 = phi double [ 0.000000e+00, %1 ], [ %22, %13 ]
    #dbg_value(i64 %14, !44, !DIExpression(), !48)
    #dbg_value(double %15, !43, !DIExpression(), !47)
  %16 = getelementptr inbounds %struct.Line.10, ptr %0, i64 0, i32 0, i64 %14, i32 0, !dbg !61
  %17 = load double, ptr %16, align 8, !dbg !61, !tbaa !63
  %18 = getelementptr inbounds %struct.Line.10, ptr %0, i64 0, i32 0, i64 %14, i32 2, !dbg !67
  %19 = load i32, ptr %18, align 8, !dbg !67, !tbaa !68
  %20 = sitofp i32 %19 to double, !dbg !69
  %21 = fmul fast double %17, %20, !dbg !70
  %22 = fadd fast double %21, %15, !dbg !71
    #dbg_value(double %22, !43, !DIExpression(), !47)
  %23 = add nuw nsw i64 %14, 1, !dbg !72
    #dbg_value(i64 %23, !44, !DIExpression(), !48)
  %24 = icmp eq i64 %23, 4, !dbg !73
  br i1 %24, label %2, label %13, !dbg !49, !llvm.loop !74
}

; Function Attrs: mustprogress nofree nosync nounwind willreturn uwtable
define dso_local void @made(ptr noalias writeonly sret(%struct.Point.8) align 8 captures(none) %0, double noundef %1) local_unnamed_addr #1 !dbg !78 {
    #dbg_value(double %1, !82, !DIExpression(), !84)
    #dbg_declare(ptr %0, !83, !DIExpression(), !85)
  %3 = getelementptr inbounds %struct.Point.8, ptr %0, i64 0, i32 0, !dbg !86
  store double %1, ptr %3, align 8, !dbg !86, !tbaa !63
  %4 = getelementptr inbounds %struct.Point.8, ptr %0, i64 0, i32 1, !dbg !86
  %5 = fmul fast double %1, 2.000000e+00, !dbg !87
  store double %5, ptr %4, align 8, !dbg !86, !tbaa !88
  %6 = getelementptr inbounds %struct.Point.8, ptr %0, i64 0, i32 2, !dbg !86
  store i32 3, ptr %6, align 8, !dbg !86, !tbaa !68
  %7 = getelementptr inbounds %struct.Point.8, ptr %0, i64 0, i32 3, i64 0, !dbg !89
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(3) %7, ptr noundef nonnull align 1 dereferenceable(3) @.str, i64 3, i1 false), !dbg !89, !tbaa.struct !90
  ret void, !dbg !91
}

; Function Attrs: mustprogress nofree nosync nounwind willreturn uwtable
define dso_local void @linked(ptr noundef captures(none) %0, ptr noundef %1) local_unnamed_addr #1 !dbg !92 {
    #dbg_value(ptr %0, !96, !DIExpression(), !98)
    #dbg_value(ptr %1, !97, !DIExpression(), !98)
  %3 = getelementptr inbounds %struct.Line.10, ptr %0, i64 0, i32 1, !dbg !99
  store ptr %1, ptr %3, align 8, !dbg !100, !tbaa !101
  %4 = getelementptr inbounds %struct.Line.10, ptr %1, i64 0, i32 3, !dbg !104
  %5 = load i16, ptr %4, align 4, !dbg !104
  %6 = getelementptr inbounds %struct.Line.10, ptr %0, i64 0, i32 3, !dbg !105
  %7 = load i16, ptr %6, align 4, !dbg !106
  %8 = shl i16 %5, 3, !dbg !106
  %9 = and i16 %8, 56, !dbg !106
  %10 = and i16 %7, -4089, !dbg !106
  %11 = or i16 %10, %9, !dbg !106
  store i16 %11, ptr %6, align 4, !dbg !106
  %12 = bitcast ptr %0 to ptr, !dbg !107
  %13 = bitcast ptr %1 to ptr, !dbg !107
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(112) %12, ptr noundef nonnull align 8 dereferenceable(112) %13, i64 112, i1 false), !dbg !107, !tbaa.struct !108
  ret void, !dbg !113
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #2

attributes #0 = { nofree norecurse nosync nounwind memory(read) uwtable "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "min-legal-vector-width"="0" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #1 = { mustprogress nofree nosync nounwind willreturn uwtable "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "min-legal-vector-width"="0" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #2 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3, !4, !5, !6, !7}
!llvm.ident = !{!8}

!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "Debian clang version 14.0.6", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "structs.c", directory: ".", checksumkind: CSK_MD5, checksum: "18427e146668423cfb9ced49d3d3d630")
!2 = !{i32 7, !"Dwarf Version", i32 5}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !{i32 1, !"wchar_size", i32 4}
!5 = !{i32 8, !"PIC Level", i32 2}
!6 = !{i32 7, !"PIE Level", i32 2}
!7 = !{i32 7, !"uwtable", i32 1}
!8 = !{!"Debian clang version 14.0.6"}
!9 = distinct !DISubprogram(name: "sum", scope: !1, file: !1, line: 4, type: !10, scopeLine: 4, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !41)
!10 = !DISubroutineType(types: !11)
!11 = !{!12, !13}
!12 = !DIBasicType(name: "double", size: 64, encoding: DW_ATE_float)
!13 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "Line", file: !1, line: 2, size: 896, elements: !14)
!14 = !{!15, !30, !32, !38, !40}
!15 = !DIDerivedType(tag: DW_TAG_member, name: "points", scope: !13, file: !1, line: 2, baseType: !16, size: 768)
!16 = !DICompositeType(tag: DW_TAG_array_type, baseType: !17, size: 768, elements: !28)
!17 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "Point", file: !1, line: 1, size: 192, elements: !18)
!18 = !{!19, !20, !21, !23}
!19 = !DIDerivedType(tag: DW_TAG_member, name: "x", scope: !17, file: !1, line: 1, baseType: !12, size: 64)
!20 = !DIDerivedType(tag: DW_TAG_member, name: "y", scope: !17, file: !1, line: 1, baseType: !12, size: 64, offset: 64)
!21 = !DIDerivedType(tag: DW_TAG_member, name: "k", scope: !17, file: !1, line: 1, baseType: !22, size: 32, offset: 128)
!22 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!23 = !DIDerivedType(tag: DW_TAG_member, name: "name", scope: !17, file: !1, line: 1, baseType: !24, size: 24, offset: 160)
!24 = !DICompositeType(tag: DW_TAG_array_type, baseType: !25, size: 24, elements: !26)
!25 = !DIBasicType(name: "char", size: 8, encoding: DW_ATE_signed_char)
!26 = !{!27}
!27 = !DISubrange(count: 3)
!28 = !{!29}
!29 = !DISubrange(count: 4)
!30 = !DIDerivedType(tag: DW_TAG_member, name: "next", scope: !13, file: !1, line: 2, baseType: !31, size: 64, offset: 768)
!31 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !13, size: 64)
!32 = !DIDerivedType(tag: DW_TAG_member, name: "either", scope: !13, file: !1, line: 2, baseType: !33, size: 32, offset: 832)
!33 = distinct !DICompositeType(tag: DW_TAG_union_type, scope: !13, file: !1, line: 2, size: 32, elements: !34)
!34 = !{!35, !36}
!35 = !DIDerivedType(tag: DW_TAG_member, name: "i", scope: !33, file: !1, line: 2, baseType: !22, size: 32)
!36 = !DIDerivedType(tag: DW_TAG_member, name: "f", scope: !33, file: !1, line: 2, baseType: !37, size: 32)
!37 = !DIBasicType(name: "float", size: 32, encoding: DW_ATE_float)
!38 = !DIDerivedType(tag: DW_TAG_member, name: "b", scope: !13, file: !1, line: 2, baseType: !39, size: 3, offset: 864, flags: DIFlagBitField, extraData: i64 864)
!39 = !DIBasicType(name: "unsigned int", size: 32, encoding: DW_ATE_unsigned)
!40 = !DIDerivedType(tag: DW_TAG_member, name: "c", scope: !13, file: !1, line: 2, baseType: !39, size: 9, offset: 867, flags: DIFlagBitField, extraData: i64 864)
!41 = !{!42, !43, !44}
!42 = !DILocalVariable(name: "line", arg: 1, scope: !9, file: !1, line: 4, type: !13)
!43 = !DILocalVariable(name: "total", scope: !9, file: !1, line: 5, type: !12)
!44 = !DILocalVariable(name: "i", scope: !45, file: !1, line: 6, type: !22)
!45 = distinct !DILexicalBlock(scope: !9, file: !1, line: 6, column: 5)
!46 = !DILocation(line: 4, column: 24, scope: !9)
!47 = !DILocation(line: 0, scope: !9)
!48 = !DILocation(line: 0, scope: !45)
!49 = !DILocation(line: 6, column: 5, scope: !45)
!50 = !DILocation(line: 7, column: 25, scope: !9)
!51 = !DILocation(line: 7, column: 32, scope: !9)
!52 = !{!53, !53, i64 0}
!53 = !{!"omnipotent char", !54, i64 0}
!54 = !{!"Simple C/C++ TBAA"}
!55 = !DILocation(line: 7, column: 20, scope: !9)
!56 = !DILocation(line: 7, column: 18, scope: !9)
!57 = !DILocation(line: 7, column: 41, scope: !9)
!58 = !DILocation(line: 7, column: 36, scope: !9)
!59 = !DILocation(line: 7, column: 34, scope: !9)
!60 = !DILocation(line: 7, column: 5, scope: !9)
!61 = !DILocation(line: 6, column: 57, scope: !62)
!62 = distinct !DILexicalBlock(scope: !45, file: !1, line: 6, column: 5)
!63 = !{!64, !65, i64 0}
!64 = !{!"Point", !65, i64 0, !65, i64 8, !66, i64 16, !53, i64 20}
!65 = !{!"double", !53, i64 0}
!66 = !{!"int", !53, i64 0}
!67 = !DILocation(line: 6, column: 76, scope: !62)
!68 = !{!64, !66, i64 16}
!69 = !DILocation(line: 6, column: 61, scope: !62)
!70 = !DILocation(line: 6, column: 59, scope: !62)
!71 = !DILocation(line: 6, column: 39, scope: !62)
!72 = !DILocation(line: 6, column: 29, scope: !62)
!73 = !DILocation(line: 6, column: 23, scope: !62)
!74 = distinct !{!74, !49, !75, !76, !77}
!75 = !DILocation(line: 6, column: 76, scope: !45)
!76 = !{!"llvm.loop.mustprogress"}
!77 = !{!"llvm.loop.unroll.disable"}
!78 = distinct !DISubprogram(name: "made", scope: !1, file: !1, line: 10, type: !79, scopeLine: 10, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !81)
!79 = !DISubroutineType(types: !80)
!80 = !{!17, !12}
!81 = !{!82, !83}
!82 = !DILocalVariable(name: "x", arg: 1, scope: !78, file: !1, line: 10, type: !12)
!83 = !DILocalVariable(name: "point", scope: !78, file: !1, line: 11, type: !17)
!84 = !DILocation(line: 0, scope: !78)
!85 = !DILocation(line: 11, column: 18, scope: !78)
!86 = !DILocation(line: 11, column: 26, scope: !78)
!87 = !DILocation(line: 11, column: 32, scope: !78)
!88 = !{!64, !65, i64 8}
!89 = !DILocation(line: 11, column: 40, scope: !78)
!90 = !{i64 0, i64 3, !52}
!91 = !DILocation(line: 12, column: 5, scope: !78)
!92 = distinct !DISubprogram(name: "linked", scope: !1, file: !1, line: 15, type: !93, scopeLine: 15, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !95)
!93 = !DISubroutineType(types: !94)
!94 = !{null, !31, !31}
!95 = !{!96, !97}
!96 = !DILocalVariable(name: "a", arg: 1, scope: !92, file: !1, line: 15, type: !31)
!97 = !DILocalVariable(name: "b", arg: 2, scope: !92, file: !1, line: 15, type: !31)
!98 = !DILocation(line: 0, scope: !92)
!99 = !DILocation(line: 16, column: 8, scope: !92)
!100 = !DILocation(line: 16, column: 13, scope: !92)
!101 = !{!102, !103, i64 96}
!102 = !{!"Line", !53, i64 0, !103, i64 96, !53, i64 104, !66, i64 108, !66, i64 108}
!103 = !{!"any pointer", !53, i64 0}
!104 = !DILocation(line: 17, column: 15, scope: !92)
!105 = !DILocation(line: 17, column: 8, scope: !92)
!106 = !DILocation(line: 17, column: 10, scope: !92)
!107 = !DILocation(line: 18, column: 10, scope: !92)
!108 = !{i64 0, i64 96, !52, i64 96, i64 8, !109, i64 104, i64 4, !110, i64 104, i64 4, !111, i64 108, i64 4, !110, i64 108, i64 4, !110}
!109 = !{!103, !103, i64 0}
!110 = !{!66, !66, i64 0}
!111 = !{!112, !112, i64 0}
!112 = !{!"float", !53, i64 0}
!113 = !DILocation(line: 19, column: 1, scope: !92)
