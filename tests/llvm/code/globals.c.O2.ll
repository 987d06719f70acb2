source_filename = "globals.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.Row = type { i32, double, ptr, ptr }

@.str = private unnamed_addr constant [2 x i8] c"a\00", align 1
@.str.1 = private unnamed_addr constant [4 x i8] c"b\\\22\00", align 1
@table = dso_local global [2 x %struct.Row] [%struct.Row { i32 1, double 2.500000e+00, ptr @.str, ptr @twice }, %struct.Row { i32 2, double -1.000000e-01, ptr @.str.1, ptr null }], align 16
@numbers = dso_local local_unnamed_addr constant [3 x double] [double 3.140000e+00, double 1.000000e+300, double -0.000000e+00], align 16
@elsewhere = external global i32, align 4
@there = dso_local local_unnamed_addr global ptr @elsewhere, align 8
@own = dso_local thread_local local_unnamed_addr global i32 9, align 4
@placed = internal global i32 3, section "mine", align 64
@zero = dso_local local_unnamed_addr global [100 x i32] zeroinitializer, align 16
@weak = weak dso_local local_unnamed_addr global i32 0, align 4
@message = internal unnamed_addr constant [13 x i8] c"100% @home\01\FF\00", align 1
@llvm.global_ctors = appending global [0 x { i32, ptr, ptr }] zeroinitializer
@llvm.compiler.used = appending global [1 x ptr] [ptr @placed], section "llvm.metadata"

@other_name = dso_local alias i32 (i32), ptr @used

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define internal i32 @twice(i32 noundef %0) #0 {
  %2 = shl nsw i32 %0, 1
  ret i32 %2
}

; Function Attrs: nounwind uwtable
define dso_local i32 @used(i32 noundef %0) #1 {
  %2 = sext i32 %0 to i64
  %3 = getelementptr inbounds [2 x %struct.Row], ptr @table, i64 0, i64 %2, i32 3
  %4 = load ptr, ptr %3, align 8, !tbaa !5
  %5 = tail call i32 %4(i32 noundef %0) #3
  %6 = getelementptr inbounds [100 x i32], ptr @zero, i64 0, i64 %2
  %7 = load i32, ptr %6, align 4, !tbaa !12
  %8 = load i32, ptr @table, align 16, !tbaa !13
  %9 = load i32, ptr @own, align 4, !tbaa !12
  %10 = load i32, ptr @weak, align 4, !tbaa !12
  %11 = getelementptr inbounds [13 x i8], ptr @message, i64 0, i64 %2
  %12 = load i8, ptr %11, align 1, !tbaa !14
  %13 = sext i8 %12 to i32
  %14 = add i32 %5, ptrtoint (ptr getelementptr inbounds ([2 x %struct.Row], ptr @table, i64 0, i64 1, i32 1) to i32)
  %15 = add i32 %14, %7
  %16 = add i32 %15, %8
  %17 = add i32 %16, %9
  %18 = add i32 %17, %10
  %19 = add i32 %18, %13
  ret i32 %19
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(write) uwtable
define dso_local void @first() local_unnamed_addr #2 {
  store i32 9, ptr @own, align 4, !tbaa !12
  ret void
}

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable "frame-pointer"="none" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nounwind uwtable "frame-pointer"="none" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #2 = { mustprogress nofree norecurse nosync nounwind willreturn memory(write) uwtable "frame-pointer"="none" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #3 = { nounwind }

!llvm.module.flags = !{!0, !1, !2, !3}
!llvm.ident = !{!4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 1}
!4 = !{!"Debian clang version 14.0.6"}
!5 = !{!6, !11, i64 24}
!6 = !{!"Row", !7, i64 0, !10, i64 8, !11, i64 16, !11, i64 24}
!7 = !{!"int", !8, i64 0}
!8 = !{!"omnipotent char", !9, i64 0}
!9 = !{!"Simple C/C++ TBAA"}
!10 = !{!"double", !8, i64 0}
!11 = !{!"any pointer", !8, i64 0}
!12 = !{!7, !7, i64 0}
!13 = !{!6, !7, i64 0}
!14 = !{!8, !8, i64 0}
