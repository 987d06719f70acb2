; What clang 19 made of this at -O1, without its attributes:
;
; #include <stdlib.h>
; #include <string.h>
;
; // The sum of cubes of numbers that are gathered anew in each of three rounds.
; double cleared(const double *x, long n) {
;     double *sums = malloc(n * sizeof(double)), total = 0;
;     for (long round = 1; round <= 3; round++) {
;         memset(sums, 0, n * sizeof(double));
;         for (long i = 0; i < n; i++) sums[i * 3 % n] += x[i] * round;
;         for (long i = 0; i < n; i++) total += sums[i] * sums[i] * sums[i];
;     }
;     free(sums);
;     return total;
; }
;
; struct counted { long count; double sum; };
; struct reversed { double sum; long count; };
; struct pointing { double *place; double weight; };
; struct list { long length; double items[]; };
;
; // The same, and how many were gathered.
; double records(const double *x, long n) {
;     struct counted *all = malloc(n * sizeof(struct counted));
;     double total = 0;
;     for (long round = 1; round <= 3; round++) {
;         memset(all, 0, n * sizeof(struct counted));
;         for (long i = 0; i < n; i++) { all[i * 3 % n].sum += x[i] * round; all[i * 3 % n].count += 2; }
;         for (long i = 0; i < n; i++) total += all[i].sum * all[i].sum * all[i].sum * all[i].count;
;     }
;     free(all);
;     return total;
; }
;
; double few_records(const double *x, long n) {
;     struct reversed all[8];
;     double total = 0;
;     for (long round = 1; round <= 3; round++) {
;         memset(all, 0, sizeof all);
;         for (long i = 0; i < n; i++) { all[i * 3 % n].sum += x[i] * round; all[i * 3 % n].count += 2; }
;         for (long i = 0; i < n; i++) total += all[i].sum * all[i].sum * all[i].sum * all[i].count;
;     }
;     return total;
; }
;
; // The sum of (i + 1) x_i^4, by a copy.
; double copied(const double *x, long n) {
;     struct counted *one = malloc(n * sizeof *one), *other = malloc(n * sizeof *other);
;     double total = 0;
;     for (long i = 0; i < n; i++) { one[i].count = i + 1; one[i].sum = x[i] * x[i]; }
;     memcpy(other, one, n * sizeof *one);
;     for (long i = 0; i < n; i++) total += other[i].sum * other[i].sum * other[i].count;
;     free(one); free(other);
;     return total;
; }
;
; // The sum of x_i^3: a number, and where there is another one.
; double followed(double *x, long n) {
;     struct pointing *one = malloc(n * sizeof *one), *other = malloc(n * sizeof *other);
;     double total = 0;
;     for (long i = 0; i < n; i++) { one[i].place = x + i; one[i].weight = x[i] * x[i]; }
;     memcpy(other, one, n * sizeof *one);
;     for (long i = 0; i < n; i++) total += other[i].weight * *other[i].place;
;     free(one); free(other);
;     return total;
; }
;
; // A list with its length in front, which is copied.
; double headed(const double *x, long n) {
;     struct list *one = malloc(sizeof *one + n * 8), *other = malloc(sizeof *one + n * 8);
;     double total = 0;
;     one->length = n;
;     for (long i = 0; i < n; i++) one->items[i] = x[i] * x[i];
;     memcpy(other, one, sizeof *one + n * 8);
;     for (long i = 0; i < other->length; i++) total += other->items[i];
;     free(one); free(other);
;     return total;
; }
;
; double grown(const double *x, long n) {
;     struct counted *all = malloc(sizeof *all);
;     double total = 0;
;     for (long i = 0; i < n; i++) {
;         all = realloc(all, (i + 1) * sizeof *all);
;         all[i].count = i; all[i].sum = x[i] * x[i];
;     }
;     for (long i = 0; i < n; i++) total += all[i].sum * all[i].count;
;     free(all);
;     return total;
; }
;
; // 1 - sum x_i^2, squared.
; double taken(const double *x, long n) {
;     double *rest = malloc(sizeof(double));
;     rest[0] = 1;
;     for (long i = 0; i < n; i++) __atomic_fetch_sub(rest, x[i] * x[i], __ATOMIC_RELAXED);
;     double end = rest[0];
;     free(rest);
;     return end * end;
; }
;
; // 12500 times the sum of squares of eight numbers.
; double turned(const double *x, long n) {
;     double total = 0;
;     for (long turn = 0; turn < 100000; turn++) {
;         double row[n + turn % 2];
;         for (long i = 0; i < n; i++) row[i] = x[i] * x[i];
;         total += row[turn % n];
;     }
;     return total;
; }

%struct.counted = type { i64, double }
%struct.reversed = type { double, i64 }
%struct.pointing = type { ptr, double }

define double @cleared(ptr readonly %x, i64 %n) {
entry:
  %mul = shl i64 %n, 3
  %call = call noalias ptr @malloc(i64 %mul)
  %cmp345 = icmp sgt i64 %n, 0
  %cmp1147 = icmp sgt i64 %n, 0
  br label %for.body

for.cond.cleanup:
  call void @free(ptr %call)
  ret double %total.1.lcssa

for.body:
  %round.051 = phi i64 [ 1, %entry ], [ %inc24, %for.cond.cleanup13 ]
  %total.050 = phi double [ 0.000000e+00, %entry ], [ %total.1.lcssa, %for.cond.cleanup13 ]
  call void @llvm.memset.p0.i64(ptr align 8 %call, i8 0, i64 %mul, i1 false)
  br i1 %cmp345, label %for.body5.lr.ph, label %for.cond10.preheader

for.body5.lr.ph:
  %conv = uitofp nneg i64 %round.051 to double
  br label %for.body5

for.cond10.preheader:
  br i1 %cmp1147, label %for.body14, label %for.cond.cleanup13

for.body5:
  %i.046 = phi i64 [ 0, %for.body5.lr.ph ], [ %inc, %for.body5 ]
  %arrayidx = getelementptr inbounds double, ptr %x, i64 %i.046
  %0 = load double, ptr %arrayidx, align 8, !tbaa !5
  %mul7 = mul nuw nsw i64 %i.046, 3
  %rem = urem i64 %mul7, %n
  %arrayidx8 = getelementptr inbounds double, ptr %call, i64 %rem
  %1 = load double, ptr %arrayidx8, align 8, !tbaa !5
  %2 = call double @llvm.fmuladd.f64(double %0, double %conv, double %1)
  store double %2, ptr %arrayidx8, align 8, !tbaa !5
  %inc = add nuw nsw i64 %i.046, 1
  %exitcond.not = icmp eq i64 %inc, %n
  br i1 %exitcond.not, label %for.cond10.preheader, label %for.body5

for.cond.cleanup13:
  %total.1.lcssa = phi double [ %total.050, %for.cond10.preheader ], [ %4, %for.body14 ]
  %inc24 = add nuw nsw i64 %round.051, 1
  %exitcond53.not = icmp eq i64 %inc24, 4
  br i1 %exitcond53.not, label %for.cond.cleanup, label %for.body

for.body14:
  %i9.049 = phi i64 [ %inc21, %for.body14 ], [ 0, %for.cond10.preheader ]
  %total.148 = phi double [ %4, %for.body14 ], [ %total.050, %for.cond10.preheader ]
  %arrayidx15 = getelementptr inbounds double, ptr %call, i64 %i9.049
  %3 = load double, ptr %arrayidx15, align 8, !tbaa !5
  %mul17 = fmul double %3, %3
  %4 = call double @llvm.fmuladd.f64(double %mul17, double %3, double %total.148)
  %inc21 = add nuw nsw i64 %i9.049, 1
  %exitcond52.not = icmp eq i64 %inc21, %n
  br i1 %exitcond52.not, label %for.cond.cleanup13, label %for.body14
}

declare void @llvm.lifetime.start.p0(i64 immarg, ptr)

declare noalias ptr @malloc(i64)

declare void @llvm.memset.p0.i64(ptr writeonly, i8, i64, i1 immarg)

declare double @llvm.fmuladd.f64(double, double, double)

declare void @llvm.lifetime.end.p0(i64 immarg, ptr)

declare void @free(ptr allocptr)

define double @records(ptr readonly %x, i64 %n) {
entry:
  %mul = shl i64 %n, 4
  %call = call noalias ptr @malloc(i64 %mul)
  %cmp360 = icmp sgt i64 %n, 0
  %cmp1462 = icmp sgt i64 %n, 0
  br label %for.body

for.cond.cleanup:
  call void @free(ptr %call)
  ret double %total.1.lcssa

for.body:
  %round.066 = phi i64 [ 1, %entry ], [ %inc34, %for.cond.cleanup16 ]
  %total.065 = phi double [ 0.000000e+00, %entry ], [ %total.1.lcssa, %for.cond.cleanup16 ]
  call void @llvm.memset.p0.i64(ptr align 8 %call, i8 0, i64 %mul, i1 false)
  br i1 %cmp360, label %for.body5.lr.ph, label %for.cond13.preheader

for.body5.lr.ph:
  %conv = uitofp nneg i64 %round.066 to double
  br label %for.body5

for.cond13.preheader:
  br i1 %cmp1462, label %for.body17, label %for.cond.cleanup16

for.body5:
  %i.061 = phi i64 [ 0, %for.body5.lr.ph ], [ %inc, %for.body5 ]
  %arrayidx = getelementptr inbounds double, ptr %x, i64 %i.061
  %0 = load double, ptr %arrayidx, align 8, !tbaa !5
  %mul7 = mul nuw nsw i64 %i.061, 3
  %rem = urem i64 %mul7, %n
  %arrayidx8 = getelementptr inbounds %struct.counted, ptr %call, i64 %rem
  %sum = getelementptr inbounds i8, ptr %arrayidx8, i64 8
  %1 = load double, ptr %sum, align 8, !tbaa !14
  %2 = call double @llvm.fmuladd.f64(double %0, double %conv, double %1)
  store double %2, ptr %sum, align 8, !tbaa !14
  %3 = load i64, ptr %arrayidx8, align 8, !tbaa !17
  %add = add nsw i64 %3, 2
  store i64 %add, ptr %arrayidx8, align 8, !tbaa !17
  %inc = add nuw nsw i64 %i.061, 1
  %exitcond.not = icmp eq i64 %inc, %n
  br i1 %exitcond.not, label %for.cond13.preheader, label %for.body5

for.cond.cleanup16:
  %total.1.lcssa = phi double [ %total.065, %for.cond13.preheader ], [ %6, %for.body17 ]
  %inc34 = add nuw nsw i64 %round.066, 1
  %exitcond68.not = icmp eq i64 %inc34, 4
  br i1 %exitcond68.not, label %for.cond.cleanup, label %for.body

for.body17:
  %i12.064 = phi i64 [ %inc31, %for.body17 ], [ 0, %for.cond13.preheader ]
  %total.163 = phi double [ %6, %for.body17 ], [ %total.065, %for.cond13.preheader ]
  %arrayidx18 = getelementptr inbounds %struct.counted, ptr %call, i64 %i12.064
  %sum19 = getelementptr inbounds i8, ptr %arrayidx18, i64 8
  %4 = load double, ptr %sum19, align 8, !tbaa !14
  %mul22 = fmul double %4, %4
  %mul25 = fmul double %4, %mul22
  %5 = load i64, ptr %arrayidx18, align 8, !tbaa !17
  %conv28 = sitofp i64 %5 to double
  %6 = call double @llvm.fmuladd.f64(double %mul25, double %conv28, double %total.163)
  %inc31 = add nuw nsw i64 %i12.064, 1
  %exitcond67.not = icmp eq i64 %inc31, %n
  br i1 %exitcond67.not, label %for.cond.cleanup16, label %for.body17
}

define double @few_records(ptr readonly %x, i64 %n) {
entry:
  %all = alloca [8 x %struct.reversed], align 16
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %all)
  %cmp248 = icmp sgt i64 %n, 0
  %cmp1150 = icmp sgt i64 %n, 0
  br label %for.body

for.cond.cleanup:
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %all)
  ret double %total.1.lcssa

for.body:
  %round.054 = phi i64 [ 1, %entry ], [ %inc31, %for.cond.cleanup13 ]
  %total.053 = phi double [ 0.000000e+00, %entry ], [ %total.1.lcssa, %for.cond.cleanup13 ]
  call void @llvm.memset.p0.i64(ptr nonnull align 16 dereferenceable(128) %all, i8 0, i64 128, i1 false)
  br i1 %cmp248, label %for.body4.lr.ph, label %for.cond10.preheader

for.body4.lr.ph:
  %conv = uitofp nneg i64 %round.054 to double
  br label %for.body4

for.cond10.preheader:
  br i1 %cmp1150, label %for.body14, label %for.cond.cleanup13

for.body4:
  %i.049 = phi i64 [ 0, %for.body4.lr.ph ], [ %inc, %for.body4 ]
  %arrayidx = getelementptr inbounds double, ptr %x, i64 %i.049
  %0 = load double, ptr %arrayidx, align 8, !tbaa !5
  %mul5 = mul nuw nsw i64 %i.049, 3
  %rem = urem i64 %mul5, %n
  %arrayidx6 = getelementptr inbounds [8 x %struct.reversed], ptr %all, i64 0, i64 %rem
  %1 = load double, ptr %arrayidx6, align 16, !tbaa !21
  %2 = call double @llvm.fmuladd.f64(double %0, double %conv, double %1)
  store double %2, ptr %arrayidx6, align 16, !tbaa !21
  %count = getelementptr inbounds i8, ptr %arrayidx6, i64 8
  %3 = load i64, ptr %count, align 8, !tbaa !23
  %add = add nsw i64 %3, 2
  store i64 %add, ptr %count, align 8, !tbaa !23
  %inc = add nuw nsw i64 %i.049, 1
  %exitcond.not = icmp eq i64 %inc, %n
  br i1 %exitcond.not, label %for.cond10.preheader, label %for.body4

for.cond.cleanup13:
  %total.1.lcssa = phi double [ %total.053, %for.cond10.preheader ], [ %6, %for.body14 ]
  %inc31 = add nuw nsw i64 %round.054, 1
  %exitcond56.not = icmp eq i64 %inc31, 4
  br i1 %exitcond56.not, label %for.cond.cleanup, label %for.body

for.body14:
  %i9.052 = phi i64 [ %inc28, %for.body14 ], [ 0, %for.cond10.preheader ]
  %total.151 = phi double [ %6, %for.body14 ], [ %total.053, %for.cond10.preheader ]
  %arrayidx15 = getelementptr inbounds [8 x %struct.reversed], ptr %all, i64 0, i64 %i9.052
  %4 = load double, ptr %arrayidx15, align 16, !tbaa !21
  %mul19 = fmul double %4, %4
  %mul22 = fmul double %4, %mul19
  %count24 = getelementptr inbounds i8, ptr %arrayidx15, i64 8
  %5 = load i64, ptr %count24, align 8, !tbaa !23
  %conv25 = sitofp i64 %5 to double
  %6 = call double @llvm.fmuladd.f64(double %mul22, double %conv25, double %total.151)
  %inc28 = add nuw nsw i64 %i9.052, 1
  %exitcond55.not = icmp eq i64 %inc28, %n
  br i1 %exitcond55.not, label %for.cond.cleanup13, label %for.body14
}

define double @copied(ptr readonly %x, i64 %n) {
entry:
  %mul = shl i64 %n, 4
  %call = call noalias ptr @malloc(i64 %mul)
  %call2 = call noalias ptr @malloc(i64 %mul)
  %cmp47 = icmp sgt i64 %n, 0
  br i1 %cmp47, label %for.body, label %for.cond.cleanup

for.cond.cleanup:
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %call2, ptr align 8 %call, i64 %mul, i1 false)
  %cmp1049 = icmp sgt i64 %n, 0
  br i1 %cmp1049, label %for.body12, label %for.cond.cleanup11

for.body:
  %i.048 = phi i64 [ %add, %for.body ], [ 0, %entry ]
  %add = add nuw nsw i64 %i.048, 1
  %arrayidx = getelementptr inbounds %struct.counted, ptr %call, i64 %i.048
  store i64 %add, ptr %arrayidx, align 8, !tbaa !17
  %arrayidx3 = getelementptr inbounds double, ptr %x, i64 %i.048
  %0 = load double, ptr %arrayidx3, align 8, !tbaa !5
  %mul5 = fmul double %0, %0
  %sum = getelementptr inbounds i8, ptr %arrayidx, i64 8
  store double %mul5, ptr %sum, align 8, !tbaa !14
  %exitcond.not = icmp eq i64 %add, %n
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body

for.cond.cleanup11:
  %total.0.lcssa = phi double [ 0.000000e+00, %for.cond.cleanup ], [ %3, %for.body12 ]
  call void @free(ptr %call)
  call void @free(ptr %call2)
  ret double %total.0.lcssa

for.body12:
  %i8.051 = phi i64 [ %inc22, %for.body12 ], [ 0, %for.cond.cleanup ]
  %total.050 = phi double [ %3, %for.body12 ], [ 0.000000e+00, %for.cond.cleanup ]
  %arrayidx13 = getelementptr inbounds %struct.counted, ptr %call2, i64 %i8.051
  %sum14 = getelementptr inbounds i8, ptr %arrayidx13, i64 8
  %1 = load double, ptr %sum14, align 8, !tbaa !14
  %mul17 = fmul double %1, %1
  %2 = load i64, ptr %arrayidx13, align 8, !tbaa !17
  %conv = sitofp i64 %2 to double
  %3 = call double @llvm.fmuladd.f64(double %mul17, double %conv, double %total.050)
  %inc22 = add nuw nsw i64 %i8.051, 1
  %exitcond52.not = icmp eq i64 %inc22, %n
  br i1 %exitcond52.not, label %for.cond.cleanup11, label %for.body12
}

declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly, ptr noalias readonly, i64, i1 immarg)

define double @followed(ptr %x, i64 %n) {
entry:
  %mul = shl i64 %n, 4
  %call = call noalias ptr @malloc(i64 %mul)
  %call2 = call noalias ptr @malloc(i64 %mul)
  %cmp43 = icmp sgt i64 %n, 0
  br i1 %cmp43, label %for.body, label %for.cond.cleanup

for.cond.cleanup:
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %call2, ptr align 8 %call, i64 %mul, i1 false)
  %cmp1045 = icmp sgt i64 %n, 0
  br i1 %cmp1045, label %for.body12, label %for.cond.cleanup11

for.body:
  %i.044 = phi i64 [ %inc, %for.body ], [ 0, %entry ]
  %add.ptr = getelementptr inbounds double, ptr %x, i64 %i.044
  %arrayidx = getelementptr inbounds %struct.pointing, ptr %call, i64 %i.044
  store ptr %add.ptr, ptr %arrayidx, align 8, !tbaa !29
  %0 = load double, ptr %add.ptr, align 8, !tbaa !5
  %mul5 = fmul double %0, %0
  %weight = getelementptr inbounds i8, ptr %arrayidx, i64 8
  store double %mul5, ptr %weight, align 8, !tbaa !32
  %inc = add nuw nsw i64 %i.044, 1
  %exitcond.not = icmp eq i64 %inc, %n
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body

for.cond.cleanup11:
  %total.0.lcssa = phi double [ 0.000000e+00, %for.cond.cleanup ], [ %4, %for.body12 ]
  call void @free(ptr %call)
  call void @free(ptr %call2)
  ret double %total.0.lcssa

for.body12:
  %i8.047 = phi i64 [ %inc19, %for.body12 ], [ 0, %for.cond.cleanup ]
  %total.046 = phi double [ %4, %for.body12 ], [ 0.000000e+00, %for.cond.cleanup ]
  %arrayidx13 = getelementptr inbounds %struct.pointing, ptr %call2, i64 %i8.047
  %weight14 = getelementptr inbounds i8, ptr %arrayidx13, i64 8
  %1 = load double, ptr %weight14, align 8, !tbaa !32
  %2 = load ptr, ptr %arrayidx13, align 8, !tbaa !29
  %3 = load double, ptr %2, align 8, !tbaa !5
  %4 = call double @llvm.fmuladd.f64(double %1, double %3, double %total.046)
  %inc19 = add nuw nsw i64 %i8.047, 1
  %exitcond48.not = icmp eq i64 %inc19, %n
  br i1 %exitcond48.not, label %for.cond.cleanup11, label %for.body12
}

define double @headed(ptr readonly %x, i64 %n) {
entry:
  %mul = shl nsw i64 %n, 3
  %add = add i64 %mul, 8
  %call = call noalias ptr @malloc(i64 %add)
  %call3 = call noalias ptr @malloc(i64 %add)
  store i64 %n, ptr %call, align 8, !tbaa !35
  %cmp39 = icmp sgt i64 %n, 0
  br i1 %cmp39, label %for.body.lr.ph, label %for.cond.cleanup

for.body.lr.ph:
  %items = getelementptr inbounds i8, ptr %call, i64 8
  br label %for.body

for.cond.cleanup:
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %call3, ptr nonnull align 8 %call, i64 %add, i1 false)
  %0 = load i64, ptr %call3, align 8, !tbaa !35
  %cmp1241 = icmp sgt i64 %0, 0
  br i1 %cmp1241, label %for.body14.lr.ph, label %for.cond.cleanup13

for.body14.lr.ph:
  %items15 = getelementptr inbounds i8, ptr %call3, i64 8
  br label %for.body14

for.body:
  %i.040 = phi i64 [ 0, %for.body.lr.ph ], [ %inc, %for.body ]
  %arrayidx = getelementptr inbounds double, ptr %x, i64 %i.040
  %1 = load double, ptr %arrayidx, align 8, !tbaa !5
  %mul5 = fmul double %1, %1
  %arrayidx6 = getelementptr inbounds [0 x double], ptr %items, i64 0, i64 %i.040
  store double %mul5, ptr %arrayidx6, align 8, !tbaa !5
  %inc = add nuw nsw i64 %i.040, 1
  %exitcond.not = icmp eq i64 %inc, %n
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body

for.cond.cleanup13:
  %total.0.lcssa = phi double [ 0.000000e+00, %for.cond.cleanup ], [ %add17, %for.body14 ]
  call void @free(ptr %call)
  call void @free(ptr %call3)
  ret double %total.0.lcssa

for.body14:
  %i9.043 = phi i64 [ 0, %for.body14.lr.ph ], [ %inc19, %for.body14 ]
  %total.042 = phi double [ 0.000000e+00, %for.body14.lr.ph ], [ %add17, %for.body14 ]
  %arrayidx16 = getelementptr inbounds [0 x double], ptr %items15, i64 0, i64 %i9.043
  %2 = load double, ptr %arrayidx16, align 8, !tbaa !5
  %add17 = fadd double %total.042, %2
  %inc19 = add nuw nsw i64 %i9.043, 1
  %exitcond44.not = icmp eq i64 %inc19, %0
  br i1 %exitcond44.not, label %for.cond.cleanup13, label %for.body14
}

define double @grown(ptr readonly %x, i64 %n) {
entry:
  %call = call noalias dereferenceable_or_null(16) ptr @malloc(i64 16)
  %cmp37 = icmp sgt i64 %n, 0
  br i1 %cmp37, label %for.body, label %for.cond7.preheader

for.cond7.preheader:
  %all.0.lcssa = phi ptr [ %call, %entry ], [ %call1, %for.body ]
  %cmp840 = icmp sgt i64 %n, 0
  br i1 %cmp840, label %for.body10, label %for.cond.cleanup9

for.body:
  %i.039 = phi i64 [ %add, %for.body ], [ 0, %entry ]
  %all.038 = phi ptr [ %call1, %for.body ], [ %call, %entry ]
  %add = add nuw nsw i64 %i.039, 1
  %mul = shl i64 %add, 4
  %call1 = call ptr @realloc(ptr %all.038, i64 %mul)
  %arrayidx = getelementptr inbounds %struct.counted, ptr %call1, i64 %i.039
  store i64 %i.039, ptr %arrayidx, align 8, !tbaa !17
  %arrayidx2 = getelementptr inbounds double, ptr %x, i64 %i.039
  %0 = load double, ptr %arrayidx2, align 8, !tbaa !5
  %mul4 = fmul double %0, %0
  %sum = getelementptr inbounds i8, ptr %arrayidx, i64 8
  store double %mul4, ptr %sum, align 8, !tbaa !14
  %exitcond.not = icmp eq i64 %add, %n
  br i1 %exitcond.not, label %for.cond7.preheader, label %for.body

for.cond.cleanup9:
  %total.0.lcssa = phi double [ 0.000000e+00, %for.cond7.preheader ], [ %3, %for.body10 ]
  call void @free(ptr %all.0.lcssa)
  ret double %total.0.lcssa

for.body10:
  %i6.042 = phi i64 [ %inc17, %for.body10 ], [ 0, %for.cond7.preheader ]
  %total.041 = phi double [ %3, %for.body10 ], [ 0.000000e+00, %for.cond7.preheader ]
  %arrayidx11 = getelementptr inbounds %struct.counted, ptr %all.0.lcssa, i64 %i6.042
  %sum12 = getelementptr inbounds i8, ptr %arrayidx11, i64 8
  %1 = load double, ptr %sum12, align 8, !tbaa !14
  %2 = load i64, ptr %arrayidx11, align 8, !tbaa !17
  %conv = sitofp i64 %2 to double
  %3 = call double @llvm.fmuladd.f64(double %1, double %conv, double %total.041)
  %inc17 = add nuw nsw i64 %i6.042, 1
  %exitcond44.not = icmp eq i64 %inc17, %n
  br i1 %exitcond44.not, label %for.cond.cleanup9, label %for.body10
}

declare noalias ptr @realloc(ptr allocptr, i64)

define double @taken(ptr readonly %x, i64 %n) {
entry:
  %call = call noalias dereferenceable_or_null(8) ptr @malloc(i64 8)
  store double 1.000000e+00, ptr %call, align 8, !tbaa !5
  %cmp13 = icmp sgt i64 %n, 0
  br i1 %cmp13, label %for.body, label %for.cond.cleanup

for.cond.cleanup:
  %0 = load double, ptr %call, align 8, !tbaa !5
  call void @free(ptr %call)
  %mul4 = fmul double %0, %0
  ret double %mul4

for.body:
  %i.014 = phi i64 [ %inc, %for.body ], [ 0, %entry ]
  %arrayidx1 = getelementptr inbounds double, ptr %x, i64 %i.014
  %1 = load double, ptr %arrayidx1, align 8, !tbaa !5
  %mul = fmul double %1, %1
  %2 = atomicrmw fsub ptr %call, double %mul monotonic, align 8
  %inc = add nuw nsw i64 %i.014, 1
  %exitcond.not = icmp eq i64 %inc, %n
  br i1 %exitcond.not, label %for.cond.cleanup, label %for.body
}

define double @turned(ptr readonly %x, i64 %n) {
entry:
  %cmp224 = icmp sgt i64 %n, 0
  br label %for.body

for.cond.cleanup:
  ret double %add9

for.body:
  %total.027 = phi double [ 0.000000e+00, %entry ], [ %add9, %for.cond.cleanup3 ]
  %turn.026 = phi i64 [ 0, %entry ], [ %inc11, %for.cond.cleanup3 ]
  %rem = and i64 %turn.026, 1
  %add = add nsw i64 %rem, %n
  %0 = call ptr @llvm.stacksave.p0()
  %vla = alloca double, i64 %add, align 16
  br i1 %cmp224, label %for.body4, label %for.cond.cleanup3

for.cond.cleanup3:
  %rem7 = srem i64 %turn.026, %n
  %arrayidx8 = getelementptr inbounds double, ptr %vla, i64 %rem7
  %1 = load double, ptr %arrayidx8, align 8, !tbaa !5
  %add9 = fadd double %total.027, %1
  call void @llvm.stackrestore.p0(ptr %0)
  %inc11 = add nuw nsw i64 %turn.026, 1
  %exitcond28.not = icmp eq i64 %inc11, 100000
  br i1 %exitcond28.not, label %for.cond.cleanup, label %for.body

for.body4:
  %i.025 = phi i64 [ %inc, %for.body4 ], [ 0, %for.body ]
  %arrayidx = getelementptr inbounds double, ptr %x, i64 %i.025
  %2 = load double, ptr %arrayidx, align 8, !tbaa !5
  %mul = fmul double %2, %2
  %arrayidx6 = getelementptr inbounds double, ptr %vla, i64 %i.025
  store double %mul, ptr %arrayidx6, align 8, !tbaa !5
  %inc = add nuw nsw i64 %i.025, 1
  %exitcond.not = icmp eq i64 %inc, %n
  br i1 %exitcond.not, label %for.cond.cleanup3, label %for.body4
}

declare ptr @llvm.stacksave.p0()

declare void @llvm.stackrestore.p0(ptr)

!5 = !{!6, !6, i64 0}
!6 = !{!"double", !7, i64 0}
!7 = !{!"omnipotent char", !8, i64 0}
!8 = !{!"Simple C/C++ TBAA"}
!14 = !{!15, !6, i64 8}
!15 = !{!"counted", !16, i64 0, !6, i64 8}
!16 = !{!"long", !7, i64 0}
!17 = !{!15, !16, i64 0}
!21 = !{!22, !6, i64 0}
!22 = !{!"reversed", !6, i64 0, !16, i64 8}
!23 = !{!22, !16, i64 8}
!29 = !{!30, !31, i64 0}
!30 = !{!"pointing", !31, i64 0, !6, i64 8}
!31 = !{!"any pointer", !7, i64 0}
!32 = !{!30, !6, i64 8}
!35 = !{!16, !16, i64 0}
