; what:       A phi of whole records, of which a pointer and a number are taken afterwards. The pass refuses it.
; cause:      Its type analysis has one type for the value: that of a pointer beside that of an integer is none.
; symptom:    refused
; cure:       passes/types/split_aggregates.py
; call:       x = [2.0, 3.0], dx = [0.0, 0.0], n = 1, sizes = [5, 1]
; right:      dx = [0.0, 6.0]
; because:    of x[1]^2; by the other edge it is the square of twice x[0]
; of:         f, reverse

define double @f(ptr %x, i64 %n, ptr %sizes) {
entry:
  %array = load [2 x i64], ptr %sizes, align 8
  %zero = insertvalue { ptr, i64, [2 x i64] } { ptr null, i64 undef, [2 x i64] undef }, ptr %x, 0
  %one = insertvalue { ptr, i64, [2 x i64] } %zero, i64 %n, 1
  %given = insertvalue { ptr, i64, [2 x i64] } %one, [2 x i64] %array, 2
  %is_given = icmp sgt i64 %n, 0
  br i1 %is_given, label %end, label %own

own:
  %memory = call noalias ptr @malloc(i64 8)
  %first = load double, ptr %x, align 8
  %twice = fadd double %first, %first
  store double %twice, ptr %memory, align 8
  %two = insertvalue { ptr, i64, [2 x i64] } poison, ptr %memory, 0
  %three = insertvalue { ptr, i64, [2 x i64] } %two, i64 0, 1
  %four = insertvalue { ptr, i64, [2 x i64] } %three, i64 %n, 2, 0
  %made = insertvalue { ptr, i64, [2 x i64] } %four, i64 0, 2, 1
  br label %end

end:
  %record = phi { ptr, i64, [2 x i64] } [ %given, %entry ], [ %made, %own ]
  %pointer = extractvalue { ptr, i64, [2 x i64] } %record, 0
  %array.2 = extractvalue { ptr, i64, [2 x i64] } %record, 2
  %index = extractvalue [2 x i64] %array.2, 1
  %place = getelementptr double, ptr %pointer, i64 %index
  %number = load double, ptr %place, align 8
  %square = fmul double %number, %number
  ret double %square
}

define void @derivative(ptr %x, ptr %dx, i64 %n, ptr %sizes) {
  %const = load i32, ptr @enzyme_const, align 4
  call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, i64 %n, i32 %const, ptr %sizes)
  ret void
}

@enzyme_const = external global i32
declare double @__enzyme_autodiff(ptr, ...)
declare noalias ptr @malloc(i64)
