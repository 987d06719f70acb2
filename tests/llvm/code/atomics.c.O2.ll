source_filename = "atomics.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@counted = dso_local global i32 0, align 4

; Function Attrs: mustprogress nofree norecurse nounwind willreturn uwtable
define dso_local i32 @added(ptr noundef captures(none) %0) local_unnamed_addr #0 {
  %2 = atomicrmw add ptr %0, i32 1 seq_cst, align 4
  ret i32 %2
}

; Function Attrs: mustprogress nofree norecurse nounwind willreturn uwtable
define dso_local zeroext i1 @swapped(ptr noundef captures(none) %0, ptr noundef captures(none) %1, i64 noundef %2) local_unnamed_addr #0 {
  %4 = load i64, ptr %1, align 8
  %5 = cmpxchg weak ptr %0, i64 %4, i64 %2 seq_cst seq_cst, align 8
  %6 = extractvalue { i64, i1 } %5, 1
  br i1 %6, label %9, label %7

7:                                                ; preds = %3
  %8 = extractvalue { i64, i1 } %5, 0
  store i64 %8, ptr %1, align 8
  br label %9

9:                                                ; preds = %7, %3
  ret i1 %6
}

; Function Attrs: mustprogress nofree norecurse nounwind willreturn uwtable
define dso_local void @stored(ptr noundef writeonly captures(none) %0) local_unnamed_addr #0 {
  store atomic i32 3, ptr %0 release, align 4
  fence acquire
  ret void
}

; Function Attrs: mustprogress nofree norecurse nounwind willreturn uwtable
define dso_local i32 @loaded(ptr noundef %0) local_unnamed_addr #0 {
  %2 = load atomic volatile i32, ptr %0 seq_cst, align 4
  ret i32 %2
}

; Function Attrs: mustprogress nofree norecurse nounwind willreturn uwtable
define dso_local i32 @nand(ptr noundef captures(none) %0) local_unnamed_addr #0 {
  %2 = atomicrmw nand ptr %0, i32 3 seq_cst, align 4
  %3 = atomicrmw xchg ptr %0, i32 4 seq_cst, align 4
  %4 = add nsw i32 %3, %2
  ret i32 %4
}

; Function Attrs: nofree norecurse nounwind uwtable
define dso_local i32 @read_again() local_unnamed_addr #1 {
  store volatile i32 3, ptr @counted, align 4, !tbaa !5
  %1 = load volatile i32, ptr @counted, align 4, !tbaa !5
  ret i32 %1
}

attributes #0 = { mustprogress nofree norecurse nounwind willreturn uwtable "frame-pointer"="none" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nofree norecurse nounwind uwtable "frame-pointer"="none" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }

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
