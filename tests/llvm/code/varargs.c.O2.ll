source_filename = "varargs.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.__va_list_tag.100 = type { i32, i32, ptr, ptr }

@.str = private unnamed_addr constant [14 x i8] c"%s %f %%d @x\0A\00", align 1

; Function Attrs: nofree nosync nounwind uwtable
define dso_local double @total(i32 noundef %0, ...) local_unnamed_addr #0 {
  %2 = alloca [1 x %struct.__va_list_tag.100], align 16
  %3 = bitcast ptr %2 to ptr
  call void @llvm.lifetime.start.p0(ptr %2)
  call void @llvm.va_start.p0(ptr nonnull %3)
  %4 = icmp eq i32 %0, 0
  br i1 %4, label %69, label %5

5:                                                ; preds = %1
  %6 = getelementptr inbounds [1 x %struct.__va_list_tag.100], ptr %2, i64 0, i64 0, i32 1
  %7 = getelementptr inbounds [1 x %struct.__va_list_tag.100], ptr %2, i64 0, i64 0, i32 2
  %8 = getelementptr inbounds [1 x %struct.__va_list_tag.100], ptr %2, i64 0, i64 0, i32 3
  %9 = load ptr, ptr %8, align 16
  %10 = load i32, ptr %6, align 4
  %11 = and i32 %0, 1
  %12 = icmp eq i32 %11, 0
  br i1 %12, label %29, label %13

13:                                               ; preds = %5
  %14 = add nsw i32 %0, -1
  %15 = icmp ult i32 %10, 161
  br i1 %15, label %19, label %16

16:                                               ; preds = %13
  %17 = load ptr, ptr %7, align 8
  %18 = getelementptr i8, ptr %17, i64 8
  store ptr %18, ptr %7, align 8
  br label %23

19:                                               ; preds = %13
  %20 = zext i32 %10 to i64
  %21 = getelementptr i8, ptr %9, i64 %20
  %22 = add nuw nsw i32 %10, 16
  store i32 %22, ptr %6, align 4
  br label %23

23:                                               ; preds = %19, %16
  %24 = phi i32 [ %22, %19 ], [ %10, %16 ]
  %25 = phi ptr [ %21, %19 ], [ %17, %16 ]
  %26 = bitcast ptr %25 to ptr
  %27 = load double, ptr %26, align 8
  %28 = fadd double %27, 0.000000e+00
  br label %29

29:                                               ; preds = %23, %5
  %30 = phi double [ undef, %5 ], [ %28, %23 ]
  %31 = phi i32 [ %10, %5 ], [ %24, %23 ]
  %32 = phi i32 [ %0, %5 ], [ %14, %23 ]
  %33 = phi double [ 0.000000e+00, %5 ], [ %28, %23 ]
  %34 = icmp eq i32 %0, 1
  br i1 %34, label %69, label %35

35:                                               ; preds = %29, %62
  %36 = phi i32 [ %63, %62 ], [ %31, %29 ]
  %37 = phi i32 [ %53, %62 ], [ %32, %29 ]
  %38 = phi double [ %67, %62 ], [ %33, %29 ]
  %39 = icmp ult i32 %36, 161
  br i1 %39, label %40, label %44

40:                                               ; preds = %35
  %41 = zext i32 %36 to i64
  %42 = getelementptr i8, ptr %9, i64 %41
  %43 = add nuw nsw i32 %36, 16
  store i32 %43, ptr %6, align 4
  br label %47

44:                                               ; preds = %35
  %45 = load ptr, ptr %7, align 8
  %46 = getelementptr i8, ptr %45, i64 8
  store ptr %46, ptr %7, align 8
  br label %47

47:                                               ; preds = %44, %40
  %48 = phi i32 [ %43, %40 ], [ %36, %44 ]
  %49 = phi ptr [ %42, %40 ], [ %45, %44 ]
  %50 = bitcast ptr %49 to ptr
  %51 = load double, ptr %50, align 8
  %52 = fadd double %38, %51
  %53 = add nsw i32 %37, -2
  %54 = icmp ult i32 %48, 161
  br i1 %54, label %58, label %55

55:                                               ; preds = %47
  %56 = load ptr, ptr %7, align 8
  %57 = getelementptr i8, ptr %56, i64 8
  store ptr %57, ptr %7, align 8
  br label %62

58:                                               ; preds = %47
  %59 = zext i32 %48 to i64
  %60 = getelementptr i8, ptr %9, i64 %59
  %61 = add nuw nsw i32 %48, 16
  store i32 %61, ptr %6, align 4
  br label %62

62:                                               ; preds = %58, %55
  %63 = phi i32 [ %61, %58 ], [ %48, %55 ]
  %64 = phi ptr [ %60, %58 ], [ %56, %55 ]
  %65 = bitcast ptr %64 to ptr
  %66 = load double, ptr %65, align 8
  %67 = fadd double %52, %66
  %68 = icmp eq i32 %53, 0
  br i1 %68, label %69, label %35, !llvm.loop !5

69:                                               ; preds = %29, %62, %1
  %70 = phi double [ 0.000000e+00, %1 ], [ %30, %29 ], [ %67, %62 ]
  call void @llvm.va_end.p0(ptr nonnull %3)
  call void @llvm.lifetime.end.p0(ptr %2)
  ret double %70
}

; Function Attrs: nofree nounwind uwtable
define dso_local i32 @said(ptr noundef %0, double noundef %1) local_unnamed_addr #1 {
  %3 = tail call i32 (ptr, ...) @printf(ptr noundef nonnull dereferenceable(1) @.str, ptr noundef %0, double noundef %1)
  ret i32 %3
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

attributes #0 = { nofree nosync nounwind uwtable "frame-pointer"="none" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nofree nounwind uwtable "frame-pointer"="none" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #2 = { nofree nounwind "frame-pointer"="none" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #3 = { nocallback nofree nosync nounwind willreturn }
attributes #4 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }

!llvm.module.flags = !{!0, !1, !2, !3}
!llvm.ident = !{!4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 1}
!4 = !{!"Debian clang version 14.0.6"}
!5 = distinct !{!5, !6}
!6 = !{!"llvm.loop.mustprogress"}
