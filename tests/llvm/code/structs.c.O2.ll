source_filename = "structs.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.Line = type { [4 x %struct.Point], ptr, %union.anon, i16 }
%struct.Point = type { double, double, i32, [3 x i8] }
%union.anon = type { i32 }

@.str = private unnamed_addr constant [3 x i8] c"ab\00", align 1

; Function Attrs: nofree nosync nounwind memory(read) uwtable
define dso_local double @sum(ptr noundef readonly byval(%struct.Line) align 8 captures(none) %0) local_unnamed_addr #0 {
  %2 = getelementptr inbounds %struct.Line, ptr %0, i64 0, i32 0, i64 0, i32 0
  %3 = load double, ptr %2, align 8, !tbaa !5
  %4 = getelementptr inbounds %struct.Line, ptr %0, i64 0, i32 0, i64 0, i32 2
  %5 = load i32, ptr %4, align 8, !tbaa !11
  %6 = sitofp i32 %5 to double
  %7 = tail call double @llvm.fmuladd.f64(double %3, double %6, double 0.000000e+00)
  %8 = getelementptr inbounds %struct.Line, ptr %0, i64 0, i32 0, i64 1, i32 0
  %9 = load double, ptr %8, align 8, !tbaa !5
  %10 = getelementptr inbounds %struct.Line, ptr %0, i64 0, i32 0, i64 1, i32 2
  %11 = load i32, ptr %10, align 8, !tbaa !11
  %12 = sitofp i32 %11 to double
  %13 = tail call double @llvm.fmuladd.f64(double %9, double %12, double %7)
  %14 = getelementptr inbounds %struct.Line, ptr %0, i64 0, i32 0, i64 2, i32 0
  %15 = load double, ptr %14, align 8, !tbaa !5
  %16 = getelementptr inbounds %struct.Line, ptr %0, i64 0, i32 0, i64 2, i32 2
  %17 = load i32, ptr %16, align 8, !tbaa !11
  %18 = sitofp i32 %17 to double
  %19 = tail call double @llvm.fmuladd.f64(double %15, double %18, double %13)
  %20 = getelementptr inbounds %struct.Line, ptr %0, i64 0, i32 0, i64 3, i32 0
  %21 = load double, ptr %20, align 8, !tbaa !5
  %22 = getelementptr inbounds %struct.Line, ptr %0, i64 0, i32 0, i64 3, i32 2
  %23 = load i32, ptr %22, align 8, !tbaa !11
  %24 = sitofp i32 %23 to double
  %25 = tail call double @llvm.fmuladd.f64(double %21, double %24, double %19)
  %26 = getelementptr inbounds %struct.Line, ptr %0, i64 0, i32 2
  %27 = bitcast ptr %26 to ptr
  %28 = load float, ptr %27, align 8, !tbaa !12
  %29 = fpext float %28 to double
  %30 = fadd double %25, %29
  %31 = getelementptr inbounds %struct.Line, ptr %0, i64 0, i32 3
  %32 = load i16, ptr %31, align 4
  %33 = and i16 %32, 7
  %34 = uitofp i16 %33 to double
  %35 = fadd double %30, %34
  ret double %35
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.fmuladd.f64(double, double, double) #1

; Function Attrs: mustprogress nofree nosync nounwind willreturn uwtable
define dso_local void @made(ptr noalias writeonly sret(%struct.Point) align 8 captures(none) %0, double noundef %1) local_unnamed_addr #2 {
  %3 = getelementptr inbounds %struct.Point, ptr %0, i64 0, i32 0
  store double %1, ptr %3, align 8, !tbaa !5
  %4 = getelementptr inbounds %struct.Point, ptr %0, i64 0, i32 1
  %5 = fmul double %1, 2.000000e+00
  store double %5, ptr %4, align 8, !tbaa !13
  %6 = getelementptr inbounds %struct.Point, ptr %0, i64 0, i32 2
  store i32 3, ptr %6, align 8, !tbaa !11
  %7 = getelementptr inbounds %struct.Point, ptr %0, i64 0, i32 3, i64 0
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(3) %7, ptr noundef nonnull align 1 dereferenceable(3) @.str, i64 3, i1 false), !tbaa.struct !14
  ret void
}

; Function Attrs: mustprogress nofree nosync nounwind willreturn uwtable
define dso_local void @linked(ptr noundef captures(none) %0, ptr noundef %1) local_unnamed_addr #2 {
  %3 = getelementptr inbounds %struct.Line, ptr %0, i64 0, i32 1
  store ptr %1, ptr %3, align 8, !tbaa !15
  %4 = getelementptr inbounds %struct.Line, ptr %1, i64 0, i32 3
  %5 = load i16, ptr %4, align 4
  %6 = getelementptr inbounds %struct.Line, ptr %0, i64 0, i32 3
  %7 = load i16, ptr %6, align 4
  %8 = shl i16 %5, 3
  %9 = and i16 %8, 56
  %10 = and i16 %7, -4089
  %11 = or i16 %10, %9
  store i16 %11, ptr %6, align 4
  %12 = bitcast ptr %0 to ptr
  %13 = bitcast ptr %1 to ptr
  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(112) %12, ptr noundef nonnull align 8 dereferenceable(112) %13, i64 112, i1 false), !tbaa.struct !18
  ret void
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #3

attributes #0 = { nofree nosync nounwind memory(read) uwtable "frame-pointer"="none" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { mustprogress nofree nosync nounwind willreturn uwtable "frame-pointer"="none" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #3 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }

!llvm.module.flags = !{!0, !1, !2, !3}
!llvm.ident = !{!4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 1}
!4 = !{!"Debian clang version 14.0.6"}
!5 = !{!6, !7, i64 0}
!6 = !{!"Point", !7, i64 0, !7, i64 8, !10, i64 16, !8, i64 20}
!7 = !{!"double", !8, i64 0}
!8 = !{!"omnipotent char", !9, i64 0}
!9 = !{!"Simple C/C++ TBAA"}
!10 = !{!"int", !8, i64 0}
!11 = !{!6, !10, i64 16}
!12 = !{!8, !8, i64 0}
!13 = !{!6, !7, i64 8}
!14 = !{i64 0, i64 3, !12}
!15 = !{!16, !17, i64 96}
!16 = !{!"Line", !8, i64 0, !17, i64 96, !8, i64 104, !10, i64 108, !10, i64 108}
!17 = !{!"any pointer", !8, i64 0}
!18 = !{i64 0, i64 96, !12, i64 96, i64 8, !19, i64 104, i64 4, !20, i64 104, i64 4, !21, i64 108, i64 4, !20, i64 108, i64 4, !20}
!19 = !{!17, !17, i64 0}
!20 = !{!10, !10, i64 0}
!21 = !{!22, !22, i64 0}
!22 = !{!"float", !8, i64 0}
