source_filename = "varargs.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.__va_list_tag.84 = type { i32, i32, ptr, ptr }

@.str = private unnamed_addr constant [14 x i8] c"%s %f %%d @x\0A\00", align 1

; Function Attrs: nofree nosync nounwind uwtable
define dso_local double @total(i32 noundef %0, ...) local_unnamed_addr #0 !dbg !9 {
  %2 = alloca [1 x %struct.__va_list_tag.84], align 16
    #dbg_value(i32 %0, !15, !DIExpression(), !33)
  %3 = bitcast ptr %2 to ptr, !dbg !34
  call void @llvm.lifetime.start.p0(ptr %2), !dbg !34
    #dbg_declare(ptr %2, !16, !DIExpression(), !35)
  call void @llvm.va_start.p0(ptr nonnull %3), !dbg !36
    #dbg_value(double 0.000000e+00, !32, !DIExpression(), !33)
    #dbg_value(i32 %0, !15, !DIExpression(), !33)
    #dbg_value(i32 %0, !15, !DIExpression(DW_OP_constu, 1, DW_OP_minus, DW_OP_stack_value), !33)
  %4 = icmp eq i32 %0, 0, !dbg !37
  br i1 %4, label %29, label %5, !dbg !37

5:                                                ; preds = %1
    #dbg_value(i32 %0, !15, !DIExpression(DW_OP_constu, 1, DW_OP_minus, DW_OP_stack_value), !33)
  %6 = getelementptr inbounds [1 x %struct.__va_list_tag.84], ptr %2, i64 0, i64 0, i32 1
  %7 = getelementptr inbounds [1 x %struct.__va_list_tag.84], ptr %2, i64 0, i64 0, i32 2
  %8 = getelementptr inbounds [1 x %struct.__va_list_tag.84], ptr %2, i64 0, i64 0, i32 3
  %9 = load ptr, ptr %8, align 16
  br label %10, !dbg !37

10:                                               ; preds = %5, %23
  %11 = phi i32 [ %0, %5 ], [ %13, %23 ]
  %12 = phi double [ 0.000000e+00, %5 ], [ %27, %23 ]
  %13 = add nsw i32 %11, -1, !dbg !38
    #dbg_value(double %12, !32, !DIExpression(), !33)
  %14 = load i32, ptr %6, align 4, !dbg !39
  %15 = icmp ult i32 %14, 161, !dbg !39
  br i1 %15, label %16, label %20, !dbg !39

16:                                               ; preds = %10
  %17 = sext i32 %14 to i64, !dbg !39
  %18 = getelementptr i8, ptr %9, i64 %17, !dbg !39
  %19 = add i32 %14, 16, !dbg !39
  store i32 %19, ptr %6, align 4, !dbg !39
  br label %23, !dbg !39

20:                                               ; preds = %10
  %21 = load ptr, ptr %7, align 8, !dbg !39
  %22 = getelementptr i8, ptr %21, i64 8, !dbg !39
  store ptr %22, ptr %7, align 8, !dbg !39
  br label %23, !dbg !39

23:                                               ; preds = %20, %16
  %24 = phi ptr [ %18, %16 ], [ %21, %20 ]
  %25 = bitcast ptr %24 to ptr, !dbg !39
  %26 = load double, ptr %25, align 8, !dbg !39
  %27 = fadd fast double %26, %12, !dbg !40
    #dbg_value(double %27, !32, !DIExpression(), !33)
    #dbg_value(i32 %13, !15, !DIExpression(), !33)
    #dbg_value(i32 %13, !15, !DIExpression(DW_OP_constu, 1, DW_OP_minus, DW_OP_stack_value), !33)
  %28 = icmp eq i32 %13, 0, !dbg !37
  br i1 %28, label %29, label %10, !dbg !37, !llvm.loop !41

29:                                               ; preds = %23, %1
  %30 = phi double [ 0.000000e+00, %1 ], [ %27, %23 ], !dbg !33
  call void @llvm.va_end.p0(ptr %3), !dbg !44
  call void @llvm.lifetime.end.p0(ptr %2), !dbg !45
  ret double %30, !dbg !46
}

; Function Attrs: nofree nounwind uwtable
define dso_local i32 @said(ptr noundef %0, double noundef %1) local_unnamed_addr #1 !dbg !47 {
    #dbg_value(ptr %0, !54, !DIExpression(), !56)
    #dbg_value(double %1, !55, !DIExpression(), !56)
  %3 = call i32 (ptr, ...) @printf(ptr noundef nonnull dereferenceable(1) @.str, ptr noundef %0, double noundef %1), !dbg !57
  ret i32 %3, !dbg !58
}

; Function Attrs: nofree nounwind
declare noundef i32 @printf(ptr noundef readonly captures(none), ...) local_unnamed_addr #2

declare void @llvm.lifetime.start.i64(i64)

; Function Attrs: nocallback nofree nosync nounwind willreturn
declare void @llvm.va_start.p0(ptr) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn
declare void @llvm.va_end.p0(ptr) #3

declare void @llvm.lifetime.end.i64(i64)

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(ptr captures(none)) #4

attributes #0 = { nofree nosync nounwind uwtable "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "min-legal-vector-width"="0" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #1 = { nofree nounwind uwtable "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "min-legal-vector-width"="0" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #2 = { nofree nounwind "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #3 = { nocallback nofree nosync nounwind willreturn }
attributes #4 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3, !4, !5, !6, !7}
!llvm.ident = !{!8}

!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "Debian clang version 14.0.6", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "varargs.c", directory: ".", checksumkind: CSK_MD5, checksum: "792deb21f63063da7cdab14c84aa11cb")
!2 = !{i32 7, !"Dwarf Version", i32 5}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !{i32 1, !"wchar_size", i32 4}
!5 = !{i32 8, !"PIC Level", i32 2}
!6 = !{i32 7, !"PIE Level", i32 2}
!7 = !{i32 7, !"uwtable", i32 1}
!8 = !{!"Debian clang version 14.0.6"}
!9 = distinct !DISubprogram(name: "total", scope: !1, file: !1, line: 4, type: !10, scopeLine: 4, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !14)
!10 = !DISubroutineType(types: !11)
!11 = !{!12, !13, null}
!12 = !DIBasicType(name: "double", size: 64, encoding: DW_ATE_float)
!13 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!14 = !{!15, !16, !32}
!15 = !DILocalVariable(name: "n", arg: 1, scope: !9, file: !1, line: 4, type: !13)
!16 = !DILocalVariable(name: "rest", scope: !9, file: !1, line: 5, type: !17)
!17 = !DIDerivedType(tag: DW_TAG_typedef, name: "va_list", file: !18, line: 14, baseType: !19)
!18 = !DIFile(filename: "/usr/lib/llvm-14/lib/clang/14.0.6/include/stdarg.h", directory: "", checksumkind: CSK_MD5, checksum: "4de3cbd931b589d291e5c39387aecf82")
!19 = !DIDerivedType(tag: DW_TAG_typedef, name: "__builtin_va_list", file: !20, baseType: !21)
!20 = !DIFile(filename: "varargs.c", directory: ".")
!21 = !DICompositeType(tag: DW_TAG_array_type, baseType: !22, size: 192, elements: !30)
!22 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "__va_list_tag", size: 192, elements: !23)
!23 = !{!24, !26, !27, !29}
!24 = !DIDerivedType(tag: DW_TAG_member, name: "gp_offset", scope: !22, file: !20, line: 5, baseType: !25, size: 32)
!25 = !DIBasicType(name: "unsigned int", size: 32, encoding: DW_ATE_unsigned)
!26 = !DIDerivedType(tag: DW_TAG_member, name: "fp_offset", scope: !22, file: !20, line: 5, baseType: !25, size: 32, offset: 32)
!27 = !DIDerivedType(tag: DW_TAG_member, name: "overflow_arg_area", scope: !22, file: !20, line: 5, baseType: !28, size: 64, offset: 64)
!28 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: null, size: 64)
!29 = !DIDerivedType(tag: DW_TAG_member, name: "reg_save_area", scope: !22, file: !20, line: 5, baseType: !28, size: 64, offset: 128)
!30 = !{!31}
!31 = !DISubrange(count: 1)
!32 = !DILocalVariable(name: "sum", scope: !9, file: !1, line: 7, type: !12)
!33 = !DILocation(line: 0, scope: !9)
!34 = !DILocation(line: 5, column: 5, scope: !9)
!35 = !DILocation(line: 5, column: 13, scope: !9)
!36 = !DILocation(line: 6, column: 5, scope: !9)
!37 = !DILocation(line: 8, column: 5, scope: !9)
!38 = !DILocation(line: 8, column: 13, scope: !9)
!39 = !DILocation(line: 8, column: 24, scope: !9)
!40 = !DILocation(line: 8, column: 21, scope: !9)
!41 = distinct !{!41, !37, !39, !42, !43}
!42 = !{!"llvm.loop.mustprogress"}
!43 = !{!"llvm.loop.unroll.disable"}
!44 = !DILocation(line: 9, column: 5, scope: !9)
!45 = !DILocation(line: 11, column: 1, scope: !9)
!46 = !DILocation(line: 10, column: 5, scope: !9)
!47 = distinct !DISubprogram(name: "said", scope: !1, file: !1, line: 13, type: !48, scopeLine: 13, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !53)
!48 = !DISubroutineType(types: !49)
!49 = !{!13, !50, !12}
!50 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !51, size: 64)
!51 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !52)
!52 = !DIBasicType(name: "char", size: 8, encoding: DW_ATE_signed_char)
!53 = !{!54, !55}
!54 = !DILocalVariable(name: "text", arg: 1, scope: !47, file: !1, line: 13, type: !50)
!55 = !DILocalVariable(name: "x", arg: 2, scope: !47, file: !1, line: 13, type: !12)
!56 = !DILocation(line: 0, scope: !47)
!57 = !DILocation(line: 13, column: 47, scope: !47)
!58 = !DILocation(line: 13, column: 40, scope: !47)
