source_filename = "loops.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: nofree nosync nounwind memory(read) uwtable
define dso_local double @dot(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, i64 noundef %2) local_unnamed_addr #0 {
  %4 = icmp eq i64 %2, 0
  br i1 %4, label %28, label %5

5:                                                ; preds = %3
  %6 = add i64 %2, -1
  %7 = and i64 %2, 3
  %8 = icmp ult i64 %6, 3
  br i1 %8, label %11, label %9

9:                                                ; preds = %5
  %10 = and i64 %2, -4
  br label %30

11:                                               ; preds = %30, %5
  %12 = phi double [ undef, %5 ], [ %56, %30 ]
  %13 = phi i64 [ 0, %5 ], [ %57, %30 ]
  %14 = phi double [ 0.000000e+00, %5 ], [ %56, %30 ]
  %15 = icmp eq i64 %7, 0
  br i1 %15, label %28, label %16

16:                                               ; preds = %11, %16
  %17 = phi i64 [ %25, %16 ], [ %13, %11 ]
  %18 = phi double [ %24, %16 ], [ %14, %11 ]
  %19 = phi i64 [ %26, %16 ], [ 0, %11 ]
  %20 = getelementptr inbounds double, ptr %0, i64 %17
  %21 = load double, ptr %20, align 8, !tbaa !5
  %22 = getelementptr inbounds double, ptr %1, i64 %17
  %23 = load double, ptr %22, align 8, !tbaa !5
  %24 = tail call double @llvm.fmuladd.f64(double %21, double %23, double %18)
  %25 = add nuw i64 %17, 1
  %26 = add i64 %19, 1
  %27 = icmp eq i64 %26, %7
  br i1 %27, label %28, label %16, !llvm.loop !9

28:                                               ; preds = %11, %16, %3
  %29 = phi double [ 0.000000e+00, %3 ], [ %12, %11 ], [ %24, %16 ]
  ret double %29

30:                                               ; preds = %30, %9
  %31 = phi i64 [ 0, %9 ], [ %57, %30 ]
  %32 = phi double [ 0.000000e+00, %9 ], [ %56, %30 ]
  %33 = phi i64 [ 0, %9 ], [ %58, %30 ]
  %34 = getelementptr inbounds double, ptr %0, i64 %31
  %35 = load double, ptr %34, align 8, !tbaa !5
  %36 = getelementptr inbounds double, ptr %1, i64 %31
  %37 = load double, ptr %36, align 8, !tbaa !5
  %38 = tail call double @llvm.fmuladd.f64(double %35, double %37, double %32)
  %39 = or i64 %31, 1
  %40 = getelementptr inbounds double, ptr %0, i64 %39
  %41 = load double, ptr %40, align 8, !tbaa !5
  %42 = getelementptr inbounds double, ptr %1, i64 %39
  %43 = load double, ptr %42, align 8, !tbaa !5
  %44 = tail call double @llvm.fmuladd.f64(double %41, double %43, double %38)
  %45 = or i64 %31, 2
  %46 = getelementptr inbounds double, ptr %0, i64 %45
  %47 = load double, ptr %46, align 8, !tbaa !5
  %48 = getelementptr inbounds double, ptr %1, i64 %45
  %49 = load double, ptr %48, align 8, !tbaa !5
  %50 = tail call double @llvm.fmuladd.f64(double %47, double %49, double %44)
  %51 = or i64 %31, 3
  %52 = getelementptr inbounds double, ptr %0, i64 %51
  %53 = load double, ptr %52, align 8, !tbaa !5
  %54 = getelementptr inbounds double, ptr %1, i64 %51
  %55 = load double, ptr %54, align 8, !tbaa !5
  %56 = tail call double @llvm.fmuladd.f64(double %53, double %55, double %50)
  %57 = add nuw i64 %31, 4
  %58 = add i64 %33, 4
  %59 = icmp eq i64 %58, %10
  br i1 %59, label %11, label %30, !llvm.loop !11
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.fmuladd.f64(double, double, double) #1

; Function Attrs: nofree nosync nounwind uwtable
define dso_local void @product(i32 noundef %0, ptr noundef readonly captures(none) %1, ptr noundef readonly captures(none) %2, ptr noalias noundef writeonly captures(none) %3) local_unnamed_addr #2 {
  %5 = zext i32 %0 to i64
  %6 = icmp sgt i32 %0, 0
  br i1 %6, label %7, label %19

7:                                                ; preds = %4
  %8 = zext i32 %0 to i64
  %9 = add nsw i64 %5, -1
  %10 = and i64 %5, 3
  %11 = icmp ult i64 %9, 3
  %12 = and i64 %5, 4294967292
  %13 = icmp eq i64 %10, 0
  br label %14

14:                                               ; preds = %23, %7
  %15 = phi i64 [ 0, %7 ], [ %24, %23 ]
  %16 = mul nuw nsw i64 %15, %5
  %17 = getelementptr inbounds double, ptr %1, i64 %16
  %18 = mul nsw i64 %15, %8
  br label %20

19:                                               ; preds = %23, %4
  ret void

20:                                               ; preds = %43, %14
  %21 = phi i64 [ 0, %14 ], [ %47, %43 ]
  %22 = getelementptr inbounds double, ptr %2, i64 %21
  br i1 %11, label %26, label %49

23:                                               ; preds = %43
  %24 = add nuw nsw i64 %15, 1
  %25 = icmp eq i64 %24, %5
  br i1 %25, label %19, label %14, !llvm.loop !13

26:                                               ; preds = %49, %20
  %27 = phi double [ undef, %20 ], [ %79, %49 ]
  %28 = phi i64 [ 0, %20 ], [ %80, %49 ]
  %29 = phi double [ 0.000000e+00, %20 ], [ %79, %49 ]
  br i1 %13, label %43, label %30

30:                                               ; preds = %26, %30
  %31 = phi i64 [ %40, %30 ], [ %28, %26 ]
  %32 = phi double [ %39, %30 ], [ %29, %26 ]
  %33 = phi i64 [ %41, %30 ], [ 0, %26 ]
  %34 = getelementptr inbounds double, ptr %17, i64 %31
  %35 = load double, ptr %34, align 8, !tbaa !5
  %36 = mul nuw nsw i64 %31, %5
  %37 = getelementptr inbounds double, ptr %22, i64 %36
  %38 = load double, ptr %37, align 8, !tbaa !5
  %39 = tail call double @llvm.fmuladd.f64(double %35, double %38, double %32)
  %40 = add nuw nsw i64 %31, 1
  %41 = add i64 %33, 1
  %42 = icmp eq i64 %41, %10
  br i1 %42, label %43, label %30, !llvm.loop !14

43:                                               ; preds = %30, %26
  %44 = phi double [ %27, %26 ], [ %39, %30 ]
  %45 = add nuw nsw i64 %21, %18
  %46 = getelementptr inbounds double, ptr %3, i64 %45
  store double %44, ptr %46, align 8, !tbaa !5
  %47 = add nuw nsw i64 %21, 1
  %48 = icmp eq i64 %47, %5
  br i1 %48, label %23, label %20, !llvm.loop !15

49:                                               ; preds = %20, %49
  %50 = phi i64 [ %80, %49 ], [ 0, %20 ]
  %51 = phi double [ %79, %49 ], [ 0.000000e+00, %20 ]
  %52 = phi i64 [ %81, %49 ], [ 0, %20 ]
  %53 = getelementptr inbounds double, ptr %17, i64 %50
  %54 = load double, ptr %53, align 8, !tbaa !5
  %55 = mul nuw nsw i64 %50, %5
  %56 = getelementptr inbounds double, ptr %22, i64 %55
  %57 = load double, ptr %56, align 8, !tbaa !5
  %58 = tail call double @llvm.fmuladd.f64(double %54, double %57, double %51)
  %59 = or i64 %50, 1
  %60 = getelementptr inbounds double, ptr %17, i64 %59
  %61 = load double, ptr %60, align 8, !tbaa !5
  %62 = mul nuw nsw i64 %59, %5
  %63 = getelementptr inbounds double, ptr %22, i64 %62
  %64 = load double, ptr %63, align 8, !tbaa !5
  %65 = tail call double @llvm.fmuladd.f64(double %61, double %64, double %58)
  %66 = or i64 %50, 2
  %67 = getelementptr inbounds double, ptr %17, i64 %66
  %68 = load double, ptr %67, align 8, !tbaa !5
  %69 = mul nuw nsw i64 %66, %5
  %70 = getelementptr inbounds double, ptr %22, i64 %69
  %71 = load double, ptr %70, align 8, !tbaa !5
  %72 = tail call double @llvm.fmuladd.f64(double %68, double %71, double %65)
  %73 = or i64 %50, 3
  %74 = getelementptr inbounds double, ptr %17, i64 %73
  %75 = load double, ptr %74, align 8, !tbaa !5
  %76 = mul nuw nsw i64 %73, %5
  %77 = getelementptr inbounds double, ptr %22, i64 %76
  %78 = load double, ptr %77, align 8, !tbaa !5
  %79 = tail call double @llvm.fmuladd.f64(double %75, double %78, double %72)
  %80 = add nuw nsw i64 %50, 4
  %81 = add i64 %52, 4
  %82 = icmp eq i64 %81, %12
  br i1 %82, label %26, label %49, !llvm.loop !16
}

attributes #0 = { nofree nosync nounwind memory(read) uwtable "frame-pointer"="none" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nofree nosync nounwind uwtable "frame-pointer"="none" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }

!llvm.module.flags = !{!0, !1, !2, !3}
!llvm.ident = !{!4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 1}
!4 = !{!"Debian clang version 14.0.6"}
!5 = !{!6, !6, i64 0}
!6 = !{!"double", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C/C++ TBAA"}
!9 = distinct !{!9, !10}
!10 = !{!"llvm.loop.unroll.disable"}
!11 = distinct !{!11, !12}
!12 = !{!"llvm.loop.mustprogress"}
!13 = distinct !{!13, !12}
!14 = distinct !{!14, !10}
!15 = distinct !{!15, !12}
!16 = distinct !{!16, !12}
