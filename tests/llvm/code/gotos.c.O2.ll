source_filename = "gotos.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@run.labels = internal unnamed_addr constant [3 x ptr] [ptr blockaddress(@run, %3), ptr blockaddress(@run, %8), ptr blockaddress(@run, %10)], align 16

; Function Attrs: nofree norecurse nosync nounwind memory(read) uwtable
define dso_local i32 @run(ptr noundef readonly captures(none) %0, i32 noundef %1) #0 {
  br label %11

3:                                                ; preds = %11
  %4 = add nsw i32 %13, 1
  br label %5

5:                                                ; preds = %3, %8
  %6 = phi i32 [ %4, %3 ], [ %9, %8 ]
  %7 = getelementptr inbounds i8, ptr %12, i64 1
  br label %11

8:                                                ; preds = %11
  %9 = mul nsw i32 %13, 3
  br label %5

10:                                               ; preds = %11
  ret i32 %13

11:                                               ; preds = %5, %2
  %12 = phi ptr [ %0, %2 ], [ %7, %5 ]
  %13 = phi i32 [ %1, %2 ], [ %6, %5 ]
  %14 = load i8, ptr %12, align 1, !tbaa !5
  %15 = zext i8 %14 to i64
  %16 = getelementptr inbounds [3 x ptr], ptr @run.labels, i64 0, i64 %15
  %17 = load ptr, ptr %16, align 8, !tbaa !8
  indirectbr ptr %17, [label %3, label %8, label %10]
}

; Function Attrs: nofree norecurse nosync nounwind memory(none) uwtable
define dso_local i32 @around(i32 noundef %0) local_unnamed_addr #1 {
  %2 = add i32 %0, 2
  %3 = call i32 @llvm.smin.i32(i32 %0, i32 10)
  %4 = sub i32 %2, %3
  %5 = urem i32 %4, 3
  %6 = sub i32 %4, %5
  %7 = sub i32 %0, %6
  %8 = icmp slt i32 %7, 0
  br i1 %8, label %20, label %9

9:                                                ; preds = %1
  %10 = add i32 %6, 7
  %11 = sub i32 %10, %0
  %12 = add i32 %6, 98
  %13 = sub i32 %12, %0
  %14 = icmp eq i32 %11, 0
  %15 = call i32 @llvm.umin.i32(i32 %13, i32 %11)
  %16 = select i1 %14, i32 0, i32 %15
  %17 = add i32 %16, %0
  %18 = add i32 %17, 1
  %19 = sub i32 %18, %6
  br label %20

20:                                               ; preds = %9, %1
  %21 = phi i32 [ %7, %1 ], [ %19, %9 ]
  ret i32 %21
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.smin.i32(i32, i32) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.umin.i32(i32, i32) #2

attributes #0 = { nofree norecurse nosync nounwind memory(read) uwtable "frame-pointer"="none" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nofree norecurse nosync nounwind memory(none) uwtable "frame-pointer"="none" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #2 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.module.flags = !{!0, !1, !2, !3}
!llvm.ident = !{!4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 1}
!4 = !{!"Debian clang version 14.0.6"}
!5 = !{!6, !6, i64 0}
!6 = !{!"omnipotent char", !7, i64 0}
!7 = !{!"Simple C/C++ TBAA"}
!8 = !{!9, !9, i64 0}
!9 = !{!"any pointer", !6, i64 0}
