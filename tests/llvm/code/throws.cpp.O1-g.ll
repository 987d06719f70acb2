source_filename = "throws.cpp"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.Guard = type { i32 }
%struct.Scaled = type { %struct.Base, double }
%struct.Base = type { ptr }

$__clang_call_terminate = comdat any

$_ZN6Scaled1fEd = comdat any

$_ZN4BaseD2Ev = comdat any

$_ZN6ScaledD0Ev = comdat any

$_ZTS6Scaled = comdat any

$_ZTS4Base = comdat any

$_ZTI4Base = comdat any

$_ZTI6Scaled = comdat any

$_ZTV6Scaled = comdat any

@_ZTVN10__cxxabiv120__si_class_type_infoE = external global ptr
@_ZTS6Scaled = linkonce_odr dso_local constant [8 x i8] c"6Scaled\00", comdat, align 1
@_ZTVN10__cxxabiv117__class_type_infoE = external global ptr
@_ZTS4Base = linkonce_odr dso_local constant [6 x i8] c"4Base\00", comdat, align 1
@_ZTI4Base = linkonce_odr dso_local constant { ptr, ptr } { ptr getelementptr inbounds (ptr, ptr @_ZTVN10__cxxabiv117__class_type_infoE, i64 2), ptr @_ZTS4Base }, comdat, align 8
@_ZTI6Scaled = linkonce_odr dso_local constant { ptr, ptr, ptr } { ptr getelementptr inbounds (ptr, ptr @_ZTVN10__cxxabiv120__si_class_type_infoE, i64 2), ptr @_ZTS6Scaled, ptr @_ZTI4Base }, comdat, align 8
@_ZTIi = external constant ptr
@_ZTV6Scaled = linkonce_odr dso_local unnamed_addr constant { [5 x ptr] } { [5 x ptr] [ptr null, ptr @_ZTI6Scaled, ptr @_ZN6Scaled1fEd, ptr @_ZN4BaseD2Ev, ptr @_ZN6ScaledD0Ev] }, comdat, align 8

; Function Attrs: mustprogress uwtable
define dso_local noundef i32 @_Z5triedi(i32 noundef %0) local_unnamed_addr #0 personality ptr @__gxx_personality_v0 !dbg !35 {
  %2 = alloca %struct.Guard, align 4
    #dbg_value(i32 %0, !39, !DIExpression(), !52)
  %3 = bitcast ptr %2 to ptr, !dbg !53
  call void @llvm.lifetime.start.p0(ptr %2), !dbg !53
    #dbg_declare(ptr %2, !40, !DIExpression(), !54)
  %4 = invoke noundef i32 @_Z3mayi(i32 noundef %0)
          to label %25 unwind label %5, !dbg !55

5:                                                ; preds = %1
  %6 = landingpad { ptr, i32 }
          catch ptr @_ZTI6Scaled
          catch ptr @_ZTIi
          catch ptr null, !dbg !57
  %7 = extractvalue { ptr, i32 } %6, 0, !dbg !57
  %8 = extractvalue { ptr, i32 } %6, 1, !dbg !57
  %9 = call i32 @llvm.eh.typeid.for.p0(ptr @_ZTI6Scaled) #14, !dbg !58
  %10 = icmp eq i32 %8, %9, !dbg !58
  br i1 %10, label %11, label %13, !dbg !58

11:                                               ; preds = %5
  %12 = call ptr @__cxa_begin_catch(ptr %7) #14, !dbg !59
    #dbg_value(ptr %12, !49, !DIExpression(), !52)
  invoke void @__cxa_end_catch()
          to label %25 unwind label %23, !dbg !61

13:                                               ; preds = %5
  %14 = call i32 @llvm.eh.typeid.for.p0(ptr @_ZTIi) #14, !dbg !58
  %15 = icmp eq i32 %8, %14, !dbg !58
  %16 = call ptr @__cxa_begin_catch(ptr %7) #14, !dbg !52
  br i1 %15, label %17, label %20, !dbg !58

17:                                               ; preds = %13
  %18 = bitcast ptr %16 to ptr, !dbg !63
  %19 = load i32, ptr %18, align 4, !dbg !63, !tbaa !65
    #dbg_value(i32 %19, !48, !DIExpression(), !52)
  call void @__cxa_end_catch() #14, !dbg !59
  br label %25

20:                                               ; preds = %13
  invoke void @__cxa_rethrow() #15
          to label %32 unwind label %21, !dbg !69

21:                                               ; preds = %20
  %22 = landingpad { ptr, i32 }
          cleanup, !dbg !70
  invoke void @__cxa_end_catch()
          to label %27 unwind label %29, !dbg !63

23:                                               ; preds = %11
  %24 = landingpad { ptr, i32 }
          cleanup, !dbg !71
  br label %27, !dbg !61

25:                                               ; preds = %11, %1, %17
  %26 = phi i32 [ %19, %17 ], [ %4, %1 ], [ -1, %11 ], !dbg !52
  call void @_ZN5GuardD1Ev(ptr noundef nonnull align 4 dereferenceable(4) %2) #14, !dbg !71
  call void @llvm.lifetime.end.p0(ptr %2), !dbg !71
  ret i32 %26, !dbg !71

27:                                               ; preds = %21, %23
  %28 = phi { ptr, i32 } [ %24, %23 ], [ %22, %21 ]
  call void @_ZN5GuardD1Ev(ptr noundef nonnull align 4 dereferenceable(4) %2) #14, !dbg !71
  call void @llvm.lifetime.end.p0(ptr %2), !dbg !71
  resume { ptr, i32 } %28, !dbg !71

29:                                               ; preds = %21
  %30 = landingpad { ptr, i32 }
          catch ptr null, !dbg !63
  %31 = extractvalue { ptr, i32 } %30, 0, !dbg !63
  call void @__clang_call_terminate(ptr %31) #16, !dbg !63
  unreachable, !dbg !63

32:                                               ; preds = %20
  unreachable
}

declare !dbg !72 noundef i32 @_Z3mayi(i32 noundef) local_unnamed_addr #1

declare i32 @__gxx_personality_v0(...)

declare ptr @__cxa_begin_catch(ptr) local_unnamed_addr

declare void @__cxa_rethrow() local_unnamed_addr

declare void @__cxa_end_catch() local_unnamed_addr

; Function Attrs: noinline noreturn nounwind
define linkonce_odr hidden void @__clang_call_terminate(ptr %0) local_unnamed_addr #2 comdat {
  %2 = call ptr @__cxa_begin_catch(ptr %0) #14
  call void @_ZSt9terminatev() #16
  unreachable
}

declare void @_ZSt9terminatev() local_unnamed_addr

; Function Attrs: nounwind
declare void @_ZN5GuardD1Ev(ptr noundef nonnull align 4 dereferenceable(4)) unnamed_addr #3

; Function Attrs: uwtable
define dso_local noalias noundef nonnull ptr @_Z4madev() local_unnamed_addr #4 !dbg !74 {
  %1 = call noalias noundef nonnull dereferenceable(16) ptr @_Znwm(i64 noundef 16) #17, !dbg !78, !heapallocsite !4
  %2 = bitcast ptr %1 to ptr, !dbg !78
    #dbg_value(ptr %2, !79, !DIExpression(), !85)
  %3 = getelementptr inbounds %struct.Scaled, ptr %2, i64 0, i32 0, i32 0, !dbg !87
  store ptr getelementptr inbounds ({ [5 x ptr] }, ptr @_ZTV6Scaled, i64 0, i32 0, i64 2), ptr %3, align 8, !dbg !87, !tbaa !88
  %4 = getelementptr %struct.Scaled, ptr %2, i64 0, i32 0, !dbg !78
  ret ptr %4, !dbg !90
}

; Function Attrs: nobuiltin allocsize(0)
declare noundef nonnull ptr @_Znwm(i64 noundef) local_unnamed_addr #5

; Function Attrs: mustprogress uwtable
define dso_local noundef double @_Z7appliedP4Based(ptr noundef %0, double noundef %1) local_unnamed_addr #0 !dbg !91 {
    #dbg_value(ptr %0, !95, !DIExpression(), !97)
    #dbg_value(double %1, !96, !DIExpression(), !97)
  %3 = icmp eq ptr %0, null, !dbg !98
  br i1 %3, label %13, label %4, !dbg !98

4:                                                ; preds = %2
  %5 = bitcast ptr %0 to ptr, !dbg !98
  %6 = call ptr @__dynamic_cast(ptr nonnull %5, ptr @_ZTI4Base, ptr @_ZTI6Scaled, i64 0) #14, !dbg !98
  %7 = icmp eq ptr %6, null, !dbg !98
  br i1 %7, label %13, label %8, !dbg !98

8:                                                ; preds = %4
  %9 = bitcast ptr %0 to ptr, !dbg !99
  %10 = load ptr, ptr %9, align 8, !dbg !99, !tbaa !88
  %11 = load ptr, ptr %10, align 8, !dbg !99
  %12 = call fast noundef double %11(ptr noundef nonnull align 8 dereferenceable(8) %0, double noundef %1), !dbg !99
  br label %13, !dbg !98

13:                                               ; preds = %2, %4, %8
  %14 = phi fast double [ %12, %8 ], [ 0.000000e+00, %4 ], [ 0.000000e+00, %2 ], !dbg !98
  ret double %14, !dbg !100
}

; Function Attrs: nofree nounwind memory(read)
declare ptr @__dynamic_cast(ptr, ptr, ptr, i64) local_unnamed_addr #6

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none) uwtable
define dso_local noundef i32 @_Z7shiftedi(i32 noundef %0) local_unnamed_addr #7 !dbg !101 {
    #dbg_value(i32 %0, !103, !DIExpression(), !104)
    #dbg_value(ptr undef, !105, !DIExpression(), !121)
    #dbg_value(i32 3, !119, !DIExpression(), !121)
  %2 = add nsw i32 %0, 3, !dbg !123
  ret i32 %2, !dbg !124
}

; Function Attrs: mustprogress nounwind uwtable
define linkonce_odr dso_local noundef double @_ZN6Scaled1fEd(ptr noundef nonnull align 8 dereferenceable(16) %0, double noundef %1) unnamed_addr #8 comdat align 2 !dbg !125 {
    #dbg_value(ptr %0, !127, !DIExpression(), !129)
    #dbg_value(double %1, !128, !DIExpression(), !129)
  %3 = getelementptr inbounds %struct.Scaled, ptr %0, i64 0, i32 1, !dbg !130
  %4 = load double, ptr %3, align 8, !dbg !130, !tbaa !131
  %5 = fmul fast double %4, %1, !dbg !134
  ret double %5, !dbg !135
}

; Function Attrs: nounwind uwtable
define linkonce_odr dso_local void @_ZN4BaseD2Ev(ptr noundef nonnull align 8 dereferenceable(8) %0) unnamed_addr #9 comdat align 2 !dbg !136 {
    #dbg_value(ptr %0, !138, !DIExpression(), !139)
  ret void, !dbg !140
}

; Function Attrs: inlinehint nounwind uwtable
define linkonce_odr dso_local void @_ZN6ScaledD0Ev(ptr noundef nonnull align 8 dereferenceable(16) %0) unnamed_addr #10 comdat align 2 !dbg !141 {
    #dbg_value(ptr %0, !144, !DIExpression(), !145)
  %2 = bitcast ptr %0 to ptr, !dbg !146
  call void @_ZdlPv(ptr noundef %2) #18, !dbg !146
  ret void, !dbg !146
}

; Function Attrs: nobuiltin nounwind
declare void @_ZdlPv(ptr noundef) local_unnamed_addr #11

declare void @llvm.lifetime.start.i64(i64)

; Function Attrs: nounwind memory(none)
declare i32 @llvm.eh.typeid.for.p0(ptr) #12

declare void @llvm.lifetime.end.i64(i64)

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #13

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(ptr captures(none)) #13

attributes #0 = { mustprogress uwtable "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "min-legal-vector-width"="0" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #1 = { "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #2 = { noinline noreturn nounwind }
attributes #3 = { nounwind "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #4 = { uwtable "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "min-legal-vector-width"="0" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #5 = { nobuiltin allocsize(0) "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #6 = { nofree nounwind memory(read) }
attributes #7 = { mustprogress nofree nosync nounwind willreturn memory(none) uwtable "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "min-legal-vector-width"="0" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #8 = { mustprogress nounwind uwtable "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "min-legal-vector-width"="0" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #9 = { nounwind uwtable "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "min-legal-vector-width"="0" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #10 = { inlinehint nounwind uwtable "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "min-legal-vector-width"="0" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #11 = { nobuiltin nounwind "approx-func-fp-math"="true" "denormal-fp-math"="preserve-sign,preserve-sign" "denormal-fp-math-f32"="ieee,ieee" "frame-pointer"="none" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" "unsafe-fp-math"="true" }
attributes #12 = { nounwind memory(none) }
attributes #13 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #14 = { nounwind }
attributes #15 = { noreturn }
attributes #16 = { noreturn nounwind }
attributes #17 = { builtin allocsize(0) }
attributes #18 = { builtin nounwind }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!28, !29, !30, !31, !32, !33}
!llvm.ident = !{!34}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: "Debian clang version 14.0.6", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, retainedTypes: !2, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "throws.cpp", directory: ".", checksumkind: CSK_MD5, checksum: "fb130f42152e8dab38eeb6047bbce6e6")
!2 = !{!3, !4, !7}
!3 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !4, size: 64)
!4 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "Scaled", file: !1, line: 3, size: 128, flags: DIFlagTypePassByReference | DIFlagNonTrivial, elements: !5, vtableHolder: !7, identifier: "_ZTS6Scaled")
!5 = !{!6, !23, !24}
!6 = !DIDerivedType(tag: DW_TAG_inheritance, scope: !4, baseType: !7, extraData: i32 0)
!7 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "Base", file: !1, line: 2, size: 64, flags: DIFlagTypePassByReference | DIFlagNonTrivial, elements: !8, vtableHolder: !7, identifier: "_ZTS4Base")
!8 = !{!9, !15, !20}
!9 = !DIDerivedType(tag: DW_TAG_member, name: "_vptr$Base", scope: !1, file: !1, baseType: !10, size: 64, flags: DIFlagArtificial)
!10 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !11, size: 64)
!11 = !DIDerivedType(tag: DW_TAG_pointer_type, name: "__vtbl_ptr_type", baseType: !12, size: 64)
!12 = !DISubroutineType(types: !13)
!13 = !{!14}
!14 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!15 = !DISubprogram(name: "f", linkageName: "_ZN4Base1fEd", scope: !7, file: !1, line: 2, type: !16, scopeLine: 2, containingType: !7, virtualIndex: 0, flags: DIFlagPrototyped, spFlags: DISPFlagPureVirtual | DISPFlagOptimized)
!16 = !DISubroutineType(types: !17)
!17 = !{!18, !19, !18}
!18 = !DIBasicType(name: "double", size: 64, encoding: DW_ATE_float)
!19 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !7, size: 64, flags: DIFlagArtificial | DIFlagObjectPointer)
!20 = !DISubprogram(name: "~Base", scope: !7, file: !1, line: 2, type: !21, scopeLine: 2, containingType: !7, virtualIndex: 0, flags: DIFlagPrototyped, spFlags: DISPFlagVirtual | DISPFlagOptimized)
!21 = !DISubroutineType(types: !22)
!22 = !{null, !19}
!23 = !DIDerivedType(tag: DW_TAG_member, name: "k", scope: !4, file: !1, line: 3, baseType: !18, size: 64, offset: 64)
!24 = !DISubprogram(name: "f", linkageName: "_ZN6Scaled1fEd", scope: !4, file: !1, line: 3, type: !25, scopeLine: 3, containingType: !4, virtualIndex: 0, flags: DIFlagPrototyped, spFlags: DISPFlagVirtual | DISPFlagOptimized)
!25 = !DISubroutineType(types: !26)
!26 = !{!18, !27, !18}
!27 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !4, size: 64, flags: DIFlagArtificial | DIFlagObjectPointer)
!28 = !{i32 7, !"Dwarf Version", i32 5}
!29 = !{i32 2, !"Debug Info Version", i32 3}
!30 = !{i32 1, !"wchar_size", i32 4}
!31 = !{i32 8, !"PIC Level", i32 2}
!32 = !{i32 7, !"PIE Level", i32 2}
!33 = !{i32 7, !"uwtable", i32 1}
!34 = !{!"Debian clang version 14.0.6"}
!35 = distinct !DISubprogram(name: "tried", linkageName: "_Z5triedi", scope: !1, file: !1, line: 5, type: !36, scopeLine: 5, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !38)
!36 = !DISubroutineType(types: !37)
!37 = !{!14, !14}
!38 = !{!39, !40, !48, !49}
!39 = !DILocalVariable(name: "x", arg: 1, scope: !35, file: !1, line: 5, type: !14)
!40 = !DILocalVariable(name: "guard", scope: !35, file: !1, line: 6, type: !41)
!41 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "Guard", file: !1, line: 1, size: 32, flags: DIFlagTypePassByReference | DIFlagNonTrivial, elements: !42, identifier: "_ZTS5Guard")
!42 = !{!43, !44}
!43 = !DIDerivedType(tag: DW_TAG_member, name: "v", scope: !41, file: !1, line: 1, baseType: !14, size: 32)
!44 = !DISubprogram(name: "~Guard", scope: !41, file: !1, line: 1, type: !45, scopeLine: 1, flags: DIFlagPrototyped, spFlags: DISPFlagOptimized)
!45 = !DISubroutineType(types: !46)
!46 = !{null, !47}
!47 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !41, size: 64, flags: DIFlagArtificial | DIFlagObjectPointer)
!48 = !DILocalVariable(name: "i", scope: !35, file: !1, line: 11, type: !14)
!49 = !DILocalVariable(name: "e", scope: !35, file: !1, line: 9, type: !50)
!50 = !DIDerivedType(tag: DW_TAG_reference_type, baseType: !51, size: 64)
!51 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !4)
!52 = !DILocation(line: 0, scope: !35)
!53 = !DILocation(line: 6, column: 5, scope: !35)
!54 = !DILocation(line: 6, column: 11, scope: !35)
!55 = !DILocation(line: 8, column: 16, scope: !56)
!56 = distinct !DILexicalBlock(scope: !35, file: !1, line: 7, column: 9)
!57 = !DILocation(line: 16, column: 1, scope: !56)
!58 = !DILocation(line: 9, column: 5, scope: !56)
!59 = !DILocation(line: 13, column: 5, scope: !60)
!60 = distinct !DILexicalBlock(scope: !35, file: !1, line: 11, column: 21)
!61 = !DILocation(line: 11, column: 5, scope: !62)
!62 = distinct !DILexicalBlock(scope: !35, file: !1, line: 9, column: 31)
!63 = !DILocation(line: 15, column: 5, scope: !64)
!64 = distinct !DILexicalBlock(scope: !35, file: !1, line: 13, column: 19)
!65 = !{!66, !66, i64 0}
!66 = !{!"int", !67, i64 0}
!67 = !{!"omnipotent char", !68, i64 0}
!68 = !{!"Simple C++ TBAA"}
!69 = !DILocation(line: 14, column: 9, scope: !64)
!70 = !DILocation(line: 16, column: 1, scope: !64)
!71 = !DILocation(line: 16, column: 1, scope: !35)
!72 = !DISubprogram(name: "may", linkageName: "_Z3mayi", scope: !1, file: !1, line: 4, type: !36, flags: DIFlagPrototyped, spFlags: DISPFlagOptimized, retainedNodes: !73)
!73 = !{}
!74 = distinct !DISubprogram(name: "made", linkageName: "_Z4madev", scope: !1, file: !1, line: 17, type: !75, scopeLine: 17, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !73)
!75 = !DISubroutineType(types: !76)
!76 = !{!77}
!77 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !7, size: 64)
!78 = !DILocation(line: 17, column: 23, scope: !74)
!79 = !DILocalVariable(name: "this", arg: 1, scope: !80, type: !3, flags: DIFlagArtificial | DIFlagObjectPointer)
!80 = distinct !DISubprogram(name: "Scaled", linkageName: "_ZN6ScaledC2Ev", scope: !4, file: !1, line: 3, type: !81, scopeLine: 3, flags: DIFlagArtificial | DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, declaration: !83, retainedNodes: !84)
!81 = !DISubroutineType(types: !82)
!82 = !{null, !27}
!83 = !DISubprogram(name: "Scaled", scope: !4, type: !81, flags: DIFlagArtificial | DIFlagPrototyped, spFlags: DISPFlagOptimized)
!84 = !{!79}
!85 = !DILocation(line: 0, scope: !80, inlinedAt: !86)
!86 = distinct !DILocation(line: 17, column: 27, scope: !74)
!87 = !DILocation(line: 3, column: 8, scope: !80, inlinedAt: !86)
!88 = !{!89, !89, i64 0}
!89 = !{!"vtable pointer", !68, i64 0}
!90 = !DILocation(line: 17, column: 16, scope: !74)
!91 = distinct !DISubprogram(name: "applied", linkageName: "_Z7appliedP4Based", scope: !1, file: !1, line: 18, type: !92, scopeLine: 18, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !94)
!92 = !DISubroutineType(types: !93)
!93 = !{!18, !77, !18}
!94 = !{!95, !96}
!95 = !DILocalVariable(name: "b", arg: 1, scope: !91, file: !1, line: 18, type: !77)
!96 = !DILocalVariable(name: "x", arg: 2, scope: !91, file: !1, line: 18, type: !18)
!97 = !DILocation(line: 0, scope: !91)
!98 = !DILocation(line: 18, column: 44, scope: !91)
!99 = !DILocation(line: 18, column: 75, scope: !91)
!100 = !DILocation(line: 18, column: 37, scope: !91)
!101 = distinct !DISubprogram(name: "shifted", linkageName: "_Z7shiftedi", scope: !1, file: !1, line: 19, type: !36, scopeLine: 19, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !102)
!102 = !{!103}
!103 = !DILocalVariable(name: "k", arg: 1, scope: !101, file: !1, line: 19, type: !14)
!104 = !DILocation(line: 0, scope: !101)
!105 = !DILocalVariable(name: "this", arg: 1, scope: !106, type: !120, flags: DIFlagArtificial | DIFlagObjectPointer)
!106 = distinct !DISubprogram(name: "operator()", linkageName: "_ZZ7shiftediENK3$_0clEi", scope: !107, file: !1, line: 19, type: !110, scopeLine: 19, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0, declaration: !114, retainedNodes: !118)
!107 = distinct !DICompositeType(tag: DW_TAG_class_type, scope: !101, file: !1, line: 19, size: 32, flags: DIFlagTypePassByValue | DIFlagNonTrivial, elements: !108)
!108 = !{!109}
!109 = !DIDerivedType(tag: DW_TAG_member, name: "k", scope: !107, file: !1, line: 19, baseType: !14, size: 32)
!110 = !DISubroutineType(types: !111)
!111 = !{!14, !112, !14}
!112 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !113, size: 64, flags: DIFlagArtificial | DIFlagObjectPointer)
!113 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !107)
!114 = !DISubprogram(name: "operator()", scope: !107, file: !1, line: 19, type: !115, scopeLine: 19, flags: DIFlagPublic | DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagOptimized)
!115 = !DISubroutineType(types: !116)
!116 = !{!117, !112, !14}
!117 = !DIBasicType(tag: DW_TAG_unspecified_type, name: "auto")
!118 = !{!105, !119}
!119 = !DILocalVariable(name: "x", arg: 2, scope: !106, file: !1, line: 19, type: !14)
!120 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !113, size: 64)
!121 = !DILocation(line: 0, scope: !106, inlinedAt: !122)
!122 = distinct !DILocation(line: 19, column: 29, scope: !101)
!123 = !DILocation(line: 19, column: 51, scope: !106, inlinedAt: !122)
!124 = !DILocation(line: 19, column: 22, scope: !101)
!125 = distinct !DISubprogram(name: "f", linkageName: "_ZN6Scaled1fEd", scope: !4, file: !1, line: 3, type: !25, scopeLine: 3, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, declaration: !24, retainedNodes: !126)
!126 = !{!127, !128}
!127 = !DILocalVariable(name: "this", arg: 1, scope: !125, type: !3, flags: DIFlagArtificial | DIFlagObjectPointer)
!128 = !DILocalVariable(name: "x", arg: 2, scope: !125, file: !1, line: 3, type: !18)
!129 = !DILocation(line: 0, scope: !125)
!130 = !DILocation(line: 3, column: 71, scope: !125)
!131 = !{!132, !133, i64 8}
!132 = !{!"_ZTS6Scaled", !133, i64 8}
!133 = !{!"double", !67, i64 0}
!134 = !DILocation(line: 3, column: 73, scope: !125)
!135 = !DILocation(line: 3, column: 64, scope: !125)
!136 = distinct !DISubprogram(name: "~Base", linkageName: "_ZN4BaseD2Ev", scope: !7, file: !1, line: 2, type: !21, scopeLine: 2, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, declaration: !20, retainedNodes: !137)
!137 = !{!138}
!138 = !DILocalVariable(name: "this", arg: 1, scope: !136, type: !77, flags: DIFlagArtificial | DIFlagObjectPointer)
!139 = !DILocation(line: 0, scope: !136)
!140 = !DILocation(line: 2, column: 62, scope: !136)
!141 = distinct !DISubprogram(name: "~Scaled", linkageName: "_ZN6ScaledD0Ev", scope: !4, file: !1, line: 3, type: !81, scopeLine: 3, flags: DIFlagArtificial | DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, declaration: !142, retainedNodes: !143)
!142 = !DISubprogram(name: "~Scaled", scope: !4, type: !81, containingType: !4, virtualIndex: 0, flags: DIFlagArtificial | DIFlagPrototyped, spFlags: DISPFlagVirtual | DISPFlagOptimized)
!143 = !{!144}
!144 = !DILocalVariable(name: "this", arg: 1, scope: !141, type: !3, flags: DIFlagArtificial | DIFlagObjectPointer)
!145 = !DILocation(line: 0, scope: !141)
!146 = !DILocation(line: 3, column: 8, scope: !141)
