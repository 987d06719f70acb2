source_filename = "structs.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.Line.74 = type { [4 x %struct.Point.72], ptr, %union.anon.73, i16 }
%struct.Point.72 = type { double, double, i32, [3 x i8] }
%union.anon.73 = type { i32 }

@.str = private unnamed_addr constant [3 x i8] c"ab\00", align 1

; Function Attrs: noinline nounwind optnone uwtable
define dso_local double @sum(ptr noundef byval(%struct.Line.74) align 8 %0) #0 {
  %2 = alloca double, align 8
  %3 = alloca i32, align 4
  store double 0.000000e+00, ptr %2, align 8
  store i32 0, ptr %3, align 4
  br label %4

4:                                                ; preds = %23, %1
  %5 = load i32, ptr %3, align 4
  %6 = icmp slt i32 %5, 4
  br i1 %6, label %7, label %26

7:                                                ; preds = %4
  %8 = getelementptr inbounds %struct.Line.74, ptr %0, i32 0, i32 0
  %9 = load i32, ptr %3, align 4
  %10 = sext i32 %9 to i64
  %11 = getelementptr inbounds [4 x %struct.Point.72], ptr %8, i64 0, i64 %10
  %12 = getelementptr inbounds %struct.Point.72, ptr %11, i32 0, i32 0
  %13 = load double, ptr %12, align 8
  %14 = getelementptr inbounds %struct.Line.74, ptr %0, i32 0, i32 0
  %15 = load i32, ptr %3, align 4
  %16 = sext i32 %15 to i64
  %17 = getelementptr inbounds [4 x %struct.Point.72], ptr %14, i64 0, i64 %16
  %18 = getelementptr inbounds %struct.Point.72, ptr %17, i32 0, i32 2
  %19 = load i32, ptr %18, align 8
  %20 = sitofp i32 %19 to double
  %21 = load double, ptr %2, align 8
  %22 = call double @llvm.fmuladd.f64(double %13, double %20, double %21)
  store double %22, ptr %2, align 8
  br label %23

23:                                               ; preds = %7
  %24 = load i32, ptr %3, align 4
  %25 = add nsw i32 %24, 1
  store i32 %25, ptr %3, align 4
  br label %4, !llvm.loop !6

26:                                               ; preds = %4
  %27 = load double, ptr %2, align 8
  %28 = getelementptr inbounds %struct.Line.74, ptr %0, i32 0, i32 2
  %29 = bitcast ptr %28 to ptr
  %30 = load float, ptr %29, align 8
  %31 = fpext float %30 to double
  %32 = fadd double %27, %31
  %33 = getelementptr inbounds %struct.Line.74, ptr %0, i32 0, i32 3
  %34 = load i16, ptr %33, align 4
  %35 = and i16 %34, 7
  %36 = zext i16 %35 to i32
  %37 = sitofp i32 %36 to double
  %38 = fadd double %32, %37
  ret double %38
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.fmuladd.f64(double, double, double) #1

; Function Attrs: noinline nounwind optnone uwtable
define dso_local void @made(ptr noalias sret(%struct.Point.72) align 8 %0, double noundef %1) #0 {
  %3 = alloca double, align 8
  store double %1, ptr %3, align 8
  %4 = getelementptr inbounds %struct.Point.72, ptr %0, i32 0, i32 0
  %5 = load double, ptr %3, align 8
  store double %5, ptr %4, align 8
  %6 = getelementptr inbounds %struct.Point.72, ptr %0, i32 0, i32 1
  %7 = load double, ptr %3, align 8
  %8 = fmul double 2.000000e+00, %7
  store double %8, ptr %6, align 8
  %9 = getelementptr inbounds %struct.Point.72, ptr %0, i32 0, i32 2
  store i32 3, ptr %9, align 8
  %10 = getelementptr inbounds %struct.Point.72, ptr %0, i32 0, i32 3
  %11 = bitcast ptr %10 to ptr
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %11, ptr align 1 @.str, i64 3, i1 false)
  ret void
}

; Function Attrs: noinline nounwind optnone uwtable
define dso_local void @linked(ptr noundef %0, ptr noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  store ptr %0, ptr %3, align 8
  store ptr %1, ptr %4, align 8
  %5 = load ptr, ptr %4, align 8
  %6 = load ptr, ptr %3, align 8
  %7 = getelementptr inbounds %struct.Line.74, ptr %6, i32 0, i32 1
  store ptr %5, ptr %7, align 8
  %8 = load ptr, ptr %4, align 8
  %9 = getelementptr inbounds %struct.Line.74, ptr %8, i32 0, i32 3
  %10 = load i16, ptr %9, align 4
  %11 = and i16 %10, 7
  %12 = zext i16 %11 to i32
  %13 = load ptr, ptr %3, align 8
  %14 = getelementptr inbounds %struct.Line.74, ptr %13, i32 0, i32 3
  %15 = trunc i32 %12 to i16
  %16 = load i16, ptr %14, align 4
  %17 = and i16 %15, 511
  %18 = shl i16 %17, 3
  %19 = and i16 %16, -4089
  %20 = or i16 %19, %18
  store i16 %20, ptr %14, align 4
  %21 = zext i16 %17 to i32
  %22 = load ptr, ptr %3, align 8
  %23 = load ptr, ptr %4, align 8
  %24 = bitcast ptr %22 to ptr
  %25 = bitcast ptr %23 to ptr
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %24, ptr align 8 %25, i64 112, i1 false)
  ret void
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #2

attributes #0 = { noinline nounwind optnone uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }

!llvm.module.flags = !{!0, !1, !2, !3, !4}
!llvm.ident = !{!5}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 1}
!4 = !{i32 7, !"frame-pointer", i32 2}
!5 = !{!"Debian clang version 14.0.6"}
!6 = distinct !{!6, !7}
!7 = !{!"llvm.loop.mustprogress"}
