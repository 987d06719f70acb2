source_filename = "halves.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32"
target triple = "aarch64-unknown-linux-gnu"

@stored = dso_local local_unnamed_addr global half 0xH0000, align 2

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none) uwtable
define dso_local half @half(half noundef %0, half noundef %1) local_unnamed_addr #0 {
  %3 = tail call half @llvm.fmuladd.f16(half %0, half %1, half 0xH3E00)
  ret half %3
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare half @llvm.fmuladd.f16(half, half, half) #1

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(none) uwtable
define dso_local fp128 @wide(fp128 noundef %0) local_unnamed_addr #0 {
  %2 = tail call fp128 @llvm.fmuladd.f128(fp128 %0, fp128 0xL00000000000000004000A00000000000, fp128 0xL00000000000000003FFF000000000000)
  ret fp128 %2
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare fp128 @llvm.fmuladd.f128(fp128, fp128, fp128) #1

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local float @widened(half noundef %0) local_unnamed_addr #2 {
  %2 = fpext half %0 to float
  ret float %2
}

; Function Attrs: nounwind uwtable
define dso_local { double, double } @product([2 x double] noundef %0, [2 x double] noundef %1) local_unnamed_addr #3 {
  %3 = extractvalue [2 x double] %0, 0
  %4 = extractvalue [2 x double] %0, 1
  %5 = extractvalue [2 x double] %1, 0
  %6 = extractvalue [2 x double] %1, 1
  %7 = fmul double %3, %5
  %8 = fmul double %4, %6
  %9 = fmul double %3, %6
  %10 = fmul double %4, %5
  %11 = fsub double %7, %8
  %12 = fadd double %9, %10
  %13 = fcmp uno double %11, 0.000000e+00
  br i1 %13, label %14, label %20, !prof !10

14:                                               ; preds = %2
  %15 = fcmp uno double %12, 0.000000e+00
  br i1 %15, label %16, label %20, !prof !10

16:                                               ; preds = %14
  %17 = tail call { double, double } @__muldc3(double noundef %3, double noundef %4, double noundef %5, double noundef %6) #4
  %18 = extractvalue { double, double } %17, 0
  %19 = extractvalue { double, double } %17, 1
  br label %20

20:                                               ; preds = %16, %14, %2
  %21 = phi double [ %11, %2 ], [ %11, %14 ], [ %18, %16 ]
  %22 = phi double [ %12, %2 ], [ %12, %14 ], [ %19, %16 ]
  %23 = tail call { double, double } @__divdc3(double noundef %21, double noundef %22, double noundef 1.000000e+00, double noundef 2.000000e+00) #4
  ret { double, double } %23
}

declare { double, double } @__muldc3(double, double, double, double) local_unnamed_addr

declare { double, double } @__divdc3(double, double, double, double) local_unnamed_addr

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local float @nan_() local_unnamed_addr #2 {
  ret float 0x7FF8000000000000
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local double @infinite() local_unnamed_addr #2 {
  ret double 0xFFF0000000000000
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local i128 @large(i128 noundef %0) local_unnamed_addr #2 {
  %2 = mul nsw i128 %0, %0
  %3 = add nuw nsw i128 %2, 1267650600228229401496703205376
  ret i128 %3
}

attributes #0 = { mustprogress nofree nosync nounwind willreturn memory(none) uwtable "frame-pointer"="non-leaf" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+neon,+v8a" }
attributes #1 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable "frame-pointer"="non-leaf" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+neon,+v8a" }
attributes #3 = { nounwind uwtable "frame-pointer"="non-leaf" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+neon,+v8a" }
attributes #4 = { nounwind }

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
