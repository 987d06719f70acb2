source_filename = "halves.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32"
target triple = "aarch64-unknown-linux-gnu"

@stored = dso_local global half 0xH0000, align 2

; Function Attrs: noinline nounwind optnone uwtable
define dso_local half @half(half noundef %0, half noundef %1) #0 {
  %3 = alloca half, align 2
  %4 = alloca half, align 2
  store half %0, ptr %3, align 2
  store half %1, ptr %4, align 2
  %5 = load half, ptr %3, align 2
  %6 = load half, ptr %4, align 2
  %7 = call half @llvm.fmuladd.f16(half %5, half %6, half 0xH3E00)
  ret half %7
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare half @llvm.fmuladd.f16(half, half, half) #1

; Function Attrs: noinline nounwind optnone uwtable
define dso_local fp128 @wide(fp128 noundef %0) #0 {
  %2 = alloca fp128, align 16
  store fp128 %0, ptr %2, align 16
  %3 = load fp128, ptr %2, align 16
  %4 = call fp128 @llvm.fmuladd.f128(fp128 %3, fp128 0xL00000000000000004000A00000000000, fp128 0xL00000000000000003FFF000000000000)
  ret fp128 %4
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare fp128 @llvm.fmuladd.f128(fp128, fp128, fp128) #1

; Function Attrs: noinline nounwind optnone uwtable
define dso_local float @widened(half noundef %0) #0 {
  %2 = alloca half, align 2
  store half %0, ptr %2, align 2
  %3 = load half, ptr %2, align 2
  %4 = fpext half %3 to float
  ret float %4
}

; Function Attrs: noinline nounwind optnone uwtable
define dso_local { double, double } @product([2 x double] noundef %0, [2 x double] noundef %1) #0 {
  %3 = alloca { double, double }, align 8
  %4 = alloca { double, double }, align 8
  %5 = alloca { double, double }, align 8
  %6 = bitcast ptr %4 to ptr
  store [2 x double] %0, ptr %6, align 8
  %7 = bitcast ptr %5 to ptr
  store [2 x double] %1, ptr %7, align 8
  %8 = getelementptr inbounds { double, double }, ptr %4, i32 0, i32 0
  %9 = load double, ptr %8, align 8
  %10 = getelementptr inbounds { double, double }, ptr %4, i32 0, i32 1
  %11 = load double, ptr %10, align 8
  %12 = getelementptr inbounds { double, double }, ptr %5, i32 0, i32 0
  %13 = load double, ptr %12, align 8
  %14 = getelementptr inbounds { double, double }, ptr %5, i32 0, i32 1
  %15 = load double, ptr %14, align 8
  %16 = fmul double %9, %13
  %17 = fmul double %11, %15
  %18 = fmul double %9, %15
  %19 = fmul double %11, %13
  %20 = fsub double %16, %17
  %21 = fadd double %18, %19
  %22 = fcmp uno double %20, %20
  br i1 %22, label %23, label %29, !prof !10

23:                                               ; preds = %2
  %24 = fcmp uno double %21, %21
  br i1 %24, label %25, label %29, !prof !10

25:                                               ; preds = %23
  %26 = call { double, double } @__muldc3(double noundef %9, double noundef %11, double noundef %13, double noundef %15) #2
  %27 = extractvalue { double, double } %26, 0
  %28 = extractvalue { double, double } %26, 1
  br label %29

29:                                               ; preds = %25, %23, %2
  %30 = phi double [ %20, %2 ], [ %20, %23 ], [ %27, %25 ]
  %31 = phi double [ %21, %2 ], [ %21, %23 ], [ %28, %25 ]
  %32 = call { double, double } @__divdc3(double noundef %30, double noundef %31, double noundef 1.000000e+00, double noundef 2.000000e+00) #2
  %33 = extractvalue { double, double } %32, 0
  %34 = extractvalue { double, double } %32, 1
  %35 = getelementptr inbounds { double, double }, ptr %3, i32 0, i32 0
  %36 = getelementptr inbounds { double, double }, ptr %3, i32 0, i32 1
  store double %33, ptr %35, align 8
  store double %34, ptr %36, align 8
  %37 = load { double, double }, ptr %3, align 8
  ret { double, double } %37
}

declare { double, double } @__muldc3(double, double, double, double)

declare { double, double } @__divdc3(double, double, double, double)

; Function Attrs: noinline nounwind optnone uwtable
define dso_local float @nan_() #0 {
  ret float 0x7FF8000000000000
}

; Function Attrs: noinline nounwind optnone uwtable
define dso_local double @infinite() #0 {
  ret double 0xFFF0000000000000
}

; Function Attrs: noinline nounwind optnone uwtable
define dso_local i128 @large(i128 noundef %0) #0 {
  %2 = alloca i128, align 16
  store i128 %0, ptr %2, align 16
  %3 = load i128, ptr %2, align 16
  %4 = load i128, ptr %2, align 16
  %5 = mul nsw i128 %3, %4
  %6 = add nsw i128 %5, 1267650600228229401496703205376
  ret i128 %6
}

attributes #0 = { noinline nounwind optnone uwtable "frame-pointer"="non-leaf" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+neon,+v8a" }
attributes #1 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nounwind }

!llvm.module.flags = !{!0, !1, !2, !3, !4, !5, !6, !7, !8}
!llvm.ident = !{!9}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"branch-target-enforcement", i32 0}
!2 = !{i32 8, !"sign-return-address", i32 0}
!3 = !{i32 8, !"sign-return-address-all", i32 0}
!4 = !{i32 8, !"sign-return-address-with-bkey", i32 0}
!5 = !{i32 8, !"PIC Level", i32 2}
!6 = !{i32 7, !"PIE Level", i32 2}
!7 = !{i32 7, !"uwtable", i32 1}
!8 = !{i32 7, !"frame-pointer", i32 1}
!9 = !{!"Debian clang version 14.0.6"}
!10 = !{!"branch_weights", i32 1, i32 1048575}
