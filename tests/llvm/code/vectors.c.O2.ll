source_filename = "vectors.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: mustprogress nofree nosync nounwind willreturn memory(read) uwtable
define dso_local <4 x double> @axpy(double noundef %0, ptr noundef readonly byval(<4 x double>) align 32 captures(none) %1, ptr noundef readonly byval(<4 x double>) align 32 captures(none) %2) local_unnamed_addr #0 {
  %4 = load <4 x double>, ptr %1, align 32, !tbaa !5
  %5 = load <4 x double>, ptr %2, align 32, !tbaa !5
  %6 = insertelement <4 x double> poison, double %0, i64 0
  %7 = shufflevector <4 x double> %6, <4 x double> poison, <4 x i32> zeroinitializer
  %8 = tail call <4 x double> @llvm.fmuladd.v4f64(<4 x double> %7, <4 x double> %4, <4 x double> %5)
  ret <4 x double> %8
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare <4 x double> @llvm.fmuladd.v4f64(<4 x double>, <4 x double>, <4 x double>) #1

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local <4 x i32> @compared(<4 x i32> noundef %0, <4 x i32> noundef %1) local_unnamed_addr #2 {
  %3 = icmp slt <4 x i32> %0, %1
  %4 = sext <4 x i1> %3 to <4 x i32>
  ret <4 x i32> %4
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(read) uwtable
define dso_local <4 x double> @shuffled(ptr noundef readonly byval(<4 x double>) align 32 captures(none) %0, ptr noundef readonly byval(<4 x double>) align 32 captures(none) %1) local_unnamed_addr #3 {
  %3 = load <4 x double>, ptr %0, align 32, !tbaa !5
  %4 = load <4 x double>, ptr %1, align 32, !tbaa !5
  %5 = shufflevector <4 x double> %3, <4 x double> %4, <4 x i32> <i32 0, i32 5, i32 2, i32 7>
  ret <4 x double> %5
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(read) uwtable
define dso_local double @taken(ptr noundef readonly byval(<4 x double>) align 32 captures(none) %0, i32 noundef %1) local_unnamed_addr #4 {
  %3 = load <4 x double>, ptr %0, align 32, !tbaa !5
  %4 = extractelement <4 x double> %3, i32 %1
  ret double %4
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(read) uwtable
define dso_local <4 x double> @put(ptr noundef readonly byval(<4 x double>) align 32 captures(none) %0, i32 noundef %1, double noundef %2) local_unnamed_addr #3 {
  %4 = load <4 x double>, ptr %0, align 32, !tbaa !5
  %5 = insertelement <4 x double> %4, double %2, i32 %1
  ret <4 x double> %5
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local <4 x i32> @less(<4 x i32> noundef %0) local_unnamed_addr #2 {
  %2 = sub <4 x i32> zeroinitializer, %0
  %3 = and <4 x i32> %2, splat (i32 15)
  ret <4 x i32> %3
}

attributes #0 = { mustprogress nofree nosync nounwind willreturn memory(read) uwtable "frame-pointer"="none" "min-legal-vector-width"="256" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable "frame-pointer"="none" "min-legal-vector-width"="128" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #3 = { mustprogress nofree norecurse nosync nounwind willreturn memory(read) uwtable "frame-pointer"="none" "min-legal-vector-width"="256" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { mustprogress nofree norecurse nosync nounwind willreturn memory(read) uwtable "frame-pointer"="none" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }

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
