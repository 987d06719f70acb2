source_filename = "vectors.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: noinline nounwind optnone uwtable
define dso_local <4 x double> @axpy(double noundef %0, ptr noundef byval(<4 x double>) align 32 %1, ptr noundef byval(<4 x double>) align 32 %2) #0 {
  %4 = alloca double, align 8
  %5 = alloca <4 x double>, align 32
  %6 = alloca <4 x double>, align 32
  %7 = load <4 x double>, ptr %1, align 32
  %8 = load <4 x double>, ptr %2, align 32
  store double %0, ptr %4, align 8
  store <4 x double> %7, ptr %5, align 32
  store <4 x double> %8, ptr %6, align 32
  %9 = load double, ptr %4, align 8
  %10 = insertelement <4 x double> poison, double %9, i32 0
  %11 = shufflevector <4 x double> %10, <4 x double> poison, <4 x i32> zeroinitializer
  %12 = load <4 x double>, ptr %5, align 32
  %13 = load <4 x double>, ptr %6, align 32
  %14 = call <4 x double> @llvm.fmuladd.v4f64(<4 x double> %11, <4 x double> %12, <4 x double> %13)
  ret <4 x double> %14
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare <4 x double> @llvm.fmuladd.v4f64(<4 x double>, <4 x double>, <4 x double>) #1

; Function Attrs: noinline nounwind optnone uwtable
define dso_local <4 x i32> @compared(<4 x i32> noundef %0, <4 x i32> noundef %1) #2 {
  %3 = alloca <4 x i32>, align 16
  %4 = alloca <4 x i32>, align 16
  store <4 x i32> %0, ptr %3, align 16
  store <4 x i32> %1, ptr %4, align 16
  %5 = load <4 x i32>, ptr %3, align 16
  %6 = load <4 x i32>, ptr %4, align 16
  %7 = icmp slt <4 x i32> %5, %6
  %8 = sext <4 x i1> %7 to <4 x i32>
  ret <4 x i32> %8
}

; Function Attrs: noinline nounwind optnone uwtable
define dso_local <4 x double> @shuffled(ptr noundef byval(<4 x double>) align 32 %0, ptr noundef byval(<4 x double>) align 32 %1) #0 {
  %3 = alloca <4 x double>, align 32
  %4 = alloca <4 x double>, align 32
  %5 = load <4 x double>, ptr %0, align 32
  %6 = load <4 x double>, ptr %1, align 32
  store <4 x double> %5, ptr %3, align 32
  store <4 x double> %6, ptr %4, align 32
  %7 = load <4 x double>, ptr %3, align 32
  %8 = load <4 x double>, ptr %4, align 32
  %9 = shufflevector <4 x double> %7, <4 x double> %8, <4 x i32> <i32 0, i32 5, i32 2, i32 7>
  ret <4 x double> %9
}

; Function Attrs: noinline nounwind optnone uwtable
define dso_local double @taken(ptr noundef byval(<4 x double>) align 32 %0, i32 noundef %1) #3 {
  %3 = alloca <4 x double>, align 32
  %4 = alloca i32, align 4
  %5 = load <4 x double>, ptr %0, align 32
  store <4 x double> %5, ptr %3, align 32
  store i32 %1, ptr %4, align 4
  %6 = load <4 x double>, ptr %3, align 32
  %7 = load i32, ptr %4, align 4
  %8 = extractelement <4 x double> %6, i32 %7
  ret double %8
}

; Function Attrs: noinline nounwind optnone uwtable
define dso_local <4 x double> @put(ptr noundef byval(<4 x double>) align 32 %0, i32 noundef %1, double noundef %2) #0 {
  %4 = alloca <4 x double>, align 32
  %5 = alloca i32, align 4
  %6 = alloca double, align 8
  %7 = load <4 x double>, ptr %0, align 32
  store <4 x double> %7, ptr %4, align 32
  store i32 %1, ptr %5, align 4
  store double %2, ptr %6, align 8
  %8 = load double, ptr %6, align 8
  %9 = load i32, ptr %5, align 4
  %10 = load <4 x double>, ptr %4, align 32
  %11 = insertelement <4 x double> %10, double %8, i32 %9
  store <4 x double> %11, ptr %4, align 32
  %12 = load <4 x double>, ptr %4, align 32
  ret <4 x double> %12
}

; Function Attrs: noinline nounwind optnone uwtable
define dso_local <4 x i32> @less(<4 x i32> noundef %0) #2 {
  %2 = alloca <4 x i32>, align 16
  store <4 x i32> %0, ptr %2, align 16
  %3 = load <4 x i32>, ptr %2, align 16
  %4 = sub <4 x i32> zeroinitializer, %3
  %5 = and <4 x i32> %4, splat (i32 15)
  ret <4 x i32> %5
}

attributes #0 = { noinline nounwind optnone uwtable "frame-pointer"="all" "min-legal-vector-width"="256" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { noinline nounwind optnone uwtable "frame-pointer"="all" "min-legal-vector-width"="128" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #3 = { noinline nounwind optnone uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }

!llvm.module.flags = !{!0, !1, !2, !3, !4}
!llvm.ident = !{!5}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 1}
!4 = !{i32 7, !"frame-pointer", i32 2}
!5 = !{!"Debian clang version 14.0.6"}
