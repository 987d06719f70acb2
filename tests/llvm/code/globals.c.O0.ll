source_filename = "globals.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.Row.93 = type { i32, double, ptr, ptr }

@.str = private unnamed_addr constant [2 x i8] c"a\00", align 1
@.str.1 = private unnamed_addr constant [4 x i8] c"b\\\22\00", align 1
@table = dso_local global [2 x %struct.Row.93] [%struct.Row.93 { i32 1, double 2.500000e+00, ptr @.str, ptr @twice }, %struct.Row.93 { i32 2, double -1.000000e-01, ptr @.str.1, ptr null }], align 16
@numbers = dso_local constant [3 x double] [double 3.140000e+00, double 1.000000e+300, double -0.000000e+00], align 16
@elsewhere = external global i32, align 4
@there = dso_local global ptr @elsewhere, align 8
@own = dso_local thread_local global i32 5, align 4
@placed = internal global i32 3, section "mine", align 64
@zero = dso_local global [100 x i32] zeroinitializer, align 16
@last = internal global ptr getelementptr (i8, ptr @table, i64 32), align 8
@weak = weak dso_local global i32 0, align 4
@message = internal constant [13 x i8] c"100% @home\01\FF\00", align 1
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @first, ptr null }]
@llvm.compiler.used = appending global [1 x ptr] [ptr @placed], section "llvm.metadata"

@other_name = dso_local alias i32 (i32), ptr @used

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @twice(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  store i32 %0, ptr %2, align 4
  %3 = load i32, ptr %2, align 4
  %4 = mul nsw i32 2, %3
  ret i32 %4
}

; Function Attrs: noinline nounwind optnone uwtable
define dso_local i32 @used(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  store i32 %0, ptr %2, align 4
  %3 = load i32, ptr %2, align 4
  %4 = sext i32 %3 to i64
  %5 = getelementptr inbounds [2 x %struct.Row.93], ptr @table, i64 0, i64 %4
  %6 = getelementptr inbounds %struct.Row.93, ptr %5, i32 0, i32 3
  %7 = load ptr, ptr %6, align 8
  %8 = load i32, ptr %2, align 4
  %9 = call i32 %7(i32 noundef %8)
  %10 = load i32, ptr %2, align 4
  %11 = sext i32 %10 to i64
  %12 = getelementptr inbounds [100 x i32], ptr @zero, i64 0, i64 %11
  %13 = load i32, ptr %12, align 4
  %14 = add nsw i32 %9, %13
  %15 = load ptr, ptr @last, align 8
  %16 = getelementptr inbounds %struct.Row.93, ptr %15, i32 0, i32 0
  %17 = load i32, ptr %16, align 8
  %18 = add nsw i32 %14, %17
  %19 = load i32, ptr @own, align 4
  %20 = add nsw i32 %18, %19
  %21 = load i32, ptr @weak, align 4
  %22 = add nsw i32 %20, %21
  %23 = load i32, ptr %2, align 4
  %24 = sext i32 %23 to i64
  %25 = getelementptr inbounds [13 x i8], ptr @message, i64 0, i64 %24
  %26 = load i8, ptr %25, align 1
  %27 = sext i8 %26 to i32
  %28 = add nsw i32 %22, %27
  %29 = sext i32 %28 to i64
  %30 = add nsw i64 %29, ptrtoint (ptr getelementptr inbounds ([2 x %struct.Row.93], ptr @table, i64 0, i64 1, i32 1) to i64)
  %31 = trunc i64 %30 to i32
  ret i32 %31
}

; Function Attrs: noinline nounwind optnone uwtable
define dso_local void @first() #0 {
  store i32 9, ptr @own, align 4
  store ptr @table, ptr @last, align 8
  ret void
}

attributes #0 = { noinline nounwind optnone uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }

!llvm.module.flags = !{!0, !1, !2, !3, !4}
!llvm.ident = !{!5}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 1}
!4 = !{i32 7, !"frame-pointer", i32 2}
!5 = !{!"Debian clang version 14.0.6"}
