source_filename = "calls.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: nounwind uwtable
define dso_local double @applied(ptr noundef readonly captures(none) %0, double noundef %1) local_unnamed_addr #0 {
  %3 = tail call double %0(double noundef %1) #10
  %4 = tail call double @sin(double noundef %1) #10
  %5 = fadd double %3, %4
  ret double %5
}

; Function Attrs: mustprogress nofree nounwind willreturn memory(write)
declare double @sin(double noundef) local_unnamed_addr #1

; Function Attrs: nounwind uwtable
define dso_local noalias ptr @copied(ptr noundef readonly captures(none) %0) local_unnamed_addr #0 {
  %2 = tail call i64 @strlen(ptr noundef nonnull dereferenceable(1) %0)
  %3 = add i64 %2, 1
  %4 = tail call ptr @malloc(i64 noundef %3)
  %5 = icmp eq ptr %4, null
  br i1 %5, label %6, label %7

6:                                                ; preds = %1
  tail call void @abort() #11
  unreachable

7:                                                ; preds = %1
  tail call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 1 %4, ptr align 1 %0, i64 %3, i1 false)
  ret ptr %4
}

; Function Attrs: mustprogress nofree nounwind willreturn memory(argmem: read)
declare i64 @strlen(ptr noundef captures(none)) local_unnamed_addr #2

; Function Attrs: mustprogress nofree nounwind willreturn memory(inaccessiblemem: readwrite)
declare noalias noundef ptr @malloc(i64 noundef) local_unnamed_addr #3

; Function Attrs: noreturn
declare void @abort() local_unnamed_addr #4

; Function Attrs: mustprogress nofree nounwind willreturn memory(write) uwtable
define dso_local double @powers(double noundef %0) local_unnamed_addr #5 {
  %2 = tail call double @pow(double noundef %0, double noundef 2.500000e+00) #10
  %3 = tail call double @llvm.fma.f64(double %0, double %0, double 1.000000e+00)
  %4 = fadd double %3, %2
  %5 = tail call double @llvm.fabs.f64(double %0)
  %6 = fadd double %5, %4
  ret double %6
}

; Function Attrs: mustprogress nofree nounwind willreturn memory(write)
declare double @pow(double noundef, double noundef) local_unnamed_addr #1

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.fma.f64(double, double, double) #6

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.fabs.f64(double) #6

; Function Attrs: nofree nosync nounwind memory(none) uwtable
define dso_local i32 @fibonacci(i32 noundef %0) local_unnamed_addr #7 {
  %2 = icmp slt i32 %0, 2
  br i1 %2, label %11, label %3

3:                                                ; preds = %1, %3
  %4 = phi i32 [ %8, %3 ], [ %0, %1 ]
  %5 = phi i32 [ %9, %3 ], [ 0, %1 ]
  %6 = add nsw i32 %4, -1
  %7 = tail call i32 @fibonacci(i32 noundef %6)
  %8 = add nsw i32 %4, -2
  %9 = add nsw i32 %7, %5
  %10 = icmp ult i32 %4, 4
  br i1 %10, label %11, label %3

11:                                               ; preds = %3, %1
  %12 = phi i32 [ 0, %1 ], [ %9, %3 ]
  %13 = phi i32 [ %0, %1 ], [ %8, %3 ]
  %14 = add nsw i32 %13, %12
  ret i32 %14
}

; Function Attrs: nofree norecurse nosync nounwind memory(none) uwtable
define dso_local i32 @variable(i32 noundef %0) local_unnamed_addr #8 {
  %2 = zext i32 %0 to i64
  %3 = alloca i32, i64 %2, align 16
  %4 = icmp sgt i32 %0, 0
  br i1 %4, label %5, label %71

5:                                                ; preds = %1
  %6 = icmp ult i32 %0, 8
  br i1 %6, label %69, label %7

7:                                                ; preds = %5
  %8 = and i64 %2, 4294967288
  %9 = add nsw i64 %8, -8
  %10 = lshr exact i64 %9, 3
  %11 = add nuw nsw i64 %10, 1
  %12 = and i64 %11, 3
  %13 = icmp ult i64 %9, 24
  br i1 %13, label %50, label %14

14:                                               ; preds = %7
  %15 = and i64 %11, 4611686018427387900
  br label %16

16:                                               ; preds = %16, %14
  %17 = phi i64 [ 0, %14 ], [ %46, %16 ]
  %18 = phi <4 x i32> [ <i32 0, i32 1, i32 2, i32 3>, %14 ], [ %47, %16 ]
  %19 = phi i64 [ 0, %14 ], [ %48, %16 ]
  %20 = add <4 x i32> %18, splat (i32 4)
  %21 = getelementptr inbounds i32, ptr %3, i64 %17
  %22 = bitcast ptr %21 to ptr
  store <4 x i32> %18, ptr %22, align 16, !tbaa !5
  %23 = getelementptr inbounds i32, ptr %21, i64 4
  %24 = bitcast ptr %23 to ptr
  store <4 x i32> %20, ptr %24, align 16, !tbaa !5
  %25 = or i64 %17, 8
  %26 = add <4 x i32> %18, splat (i32 8)
  %27 = add <4 x i32> %18, splat (i32 12)
  %28 = getelementptr inbounds i32, ptr %3, i64 %25
  %29 = bitcast ptr %28 to ptr
  store <4 x i32> %26, ptr %29, align 16, !tbaa !5
  %30 = getelementptr inbounds i32, ptr %28, i64 4
  %31 = bitcast ptr %30 to ptr
  store <4 x i32> %27, ptr %31, align 16, !tbaa !5
  %32 = or i64 %17, 16
  %33 = add <4 x i32> %18, splat (i32 16)
  %34 = add <4 x i32> %18, splat (i32 20)
  %35 = getelementptr inbounds i32, ptr %3, i64 %32
  %36 = bitcast ptr %35 to ptr
  store <4 x i32> %33, ptr %36, align 16, !tbaa !5
  %37 = getelementptr inbounds i32, ptr %35, i64 4
  %38 = bitcast ptr %37 to ptr
  store <4 x i32> %34, ptr %38, align 16, !tbaa !5
  %39 = or i64 %17, 24
  %40 = add <4 x i32> %18, splat (i32 24)
  %41 = add <4 x i32> %18, splat (i32 28)
  %42 = getelementptr inbounds i32, ptr %3, i64 %39
  %43 = bitcast ptr %42 to ptr
  store <4 x i32> %40, ptr %43, align 16, !tbaa !5
  %44 = getelementptr inbounds i32, ptr %42, i64 4
  %45 = bitcast ptr %44 to ptr
  store <4 x i32> %41, ptr %45, align 16, !tbaa !5
  %46 = add nuw i64 %17, 32
  %47 = add <4 x i32> %18, splat (i32 32)
  %48 = add i64 %19, 4
  %49 = icmp eq i64 %48, %15
  br i1 %49, label %50, label %16, !llvm.loop !9

50:                                               ; preds = %16, %7
  %51 = phi i64 [ 0, %7 ], [ %46, %16 ]
  %52 = phi <4 x i32> [ <i32 0, i32 1, i32 2, i32 3>, %7 ], [ %47, %16 ]
  %53 = icmp eq i64 %12, 0
  br i1 %53, label %67, label %54

54:                                               ; preds = %50, %54
  %55 = phi i64 [ %63, %54 ], [ %51, %50 ]
  %56 = phi <4 x i32> [ %64, %54 ], [ %52, %50 ]
  %57 = phi i64 [ %65, %54 ], [ 0, %50 ]
  %58 = add <4 x i32> %56, splat (i32 4)
  %59 = getelementptr inbounds i32, ptr %3, i64 %55
  %60 = bitcast ptr %59 to ptr
  store <4 x i32> %56, ptr %60, align 16, !tbaa !5
  %61 = getelementptr inbounds i32, ptr %59, i64 4
  %62 = bitcast ptr %61 to ptr
  store <4 x i32> %58, ptr %62, align 16, !tbaa !5
  %63 = add nuw i64 %55, 8
  %64 = add <4 x i32> %56, splat (i32 8)
  %65 = add i64 %57, 1
  %66 = icmp eq i64 %65, %12
  br i1 %66, label %67, label %54, !llvm.loop !12

67:                                               ; preds = %54, %50
  %68 = icmp eq i64 %8, %2
  br i1 %68, label %71, label %69

69:                                               ; preds = %5, %67
  %70 = phi i64 [ 0, %5 ], [ %8, %67 ]
  br label %76

71:                                               ; preds = %76, %67, %1
  %72 = sdiv i32 %0, 2
  %73 = sext i32 %72 to i64
  %74 = getelementptr inbounds i32, ptr %3, i64 %73
  %75 = load i32, ptr %74, align 4, !tbaa !5
  ret i32 %75

76:                                               ; preds = %69, %76
  %77 = phi i64 [ %80, %76 ], [ %70, %69 ]
  %78 = getelementptr inbounds i32, ptr %3, i64 %77
  %79 = trunc i64 %77 to i32
  store i32 %79, ptr %78, align 4, !tbaa !5
  %80 = add nuw nsw i64 %77, 1
  %81 = icmp eq i64 %80, %2
  br i1 %81, label %71, label %76, !llvm.loop !14
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #9

attributes #0 = { nounwind uwtable "frame-pointer"="none" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { mustprogress nofree nounwind willreturn memory(write) "frame-pointer"="none" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #2 = { mustprogress nofree nounwind willreturn memory(argmem: read) "frame-pointer"="none" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #3 = { mustprogress nofree nounwind willreturn memory(inaccessiblemem: readwrite) "frame-pointer"="none" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { noreturn "frame-pointer"="none" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #5 = { mustprogress nofree nounwind willreturn memory(write) uwtable "frame-pointer"="none" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #6 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #7 = { nofree nosync nounwind memory(none) uwtable "frame-pointer"="none" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #8 = { nofree norecurse nosync nounwind memory(none) uwtable "frame-pointer"="none" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #9 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #10 = { nounwind }
attributes #11 = { noreturn nounwind }

!llvm.module.flags = !{!0, !1, !2, !3}
!llvm.ident = !{!4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 1}
!4 = !{!"Debian clang version 14.0.6"}
!5 = !{!6, !6, i64 0}
!6 = !{!"int", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C/C++ TBAA"}
!9 = distinct !{!9, !10, !11}
!10 = !{!"llvm.loop.mustprogress"}
!11 = !{!"llvm.loop.isvectorized", i32 1}
!12 = distinct !{!12, !13}
!13 = !{!"llvm.loop.unroll.disable"}
!14 = distinct !{!14, !10, !15, !11}
!15 = !{!"llvm.loop.unroll.runtime.disable"}
