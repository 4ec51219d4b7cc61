; A kernel that calls functions and prints, for LLVM's NVPTX back end: arrays by
; value, structures, vectors, i1, i128, an alias, a switch, and an assertion.
target triple = "nvptx64-nvidia-cuda"

@format = private unnamed_addr constant [27 x i8] c"%d: %d %.2f %s %lld %c %d\0A\00"
@text = private unnamed_addr constant [5 x i8] c"text\00"
@message = private unnamed_addr constant [6 x i8] c"n > t\00"
@file = private unnamed_addr constant [9 x i8] c"source.c\00"
@name = private unnamed_addr constant [7 x i8] c"kernel\00"
@word = addrspace(1) global i32 5
@packed = addrspace(1) global <{ i8, ptr }> <{ i8 1, ptr addrspacecast (ptr addrspace(1) @word to ptr) }>
@second = alias i32 (i32), ptr @times_three

declare i32 @vprintf(ptr, ptr)
declare void @__assertfail(ptr, ptr, i32, ptr, i64) noreturn
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define i32 @times_three(i32 %x) noinline {
  %y = mul i32 %x, 3
  ret i32 %y
}

define {i32, float, [3 x i8]} @structure({i32, float, [3 x i8]} %s, <4 x float> %v, i1 %c, i8 signext %b) noinline {
  %f = extractvalue {i32, float, [3 x i8]} %s, 1
  %v2 = extractelement <4 x float> %v, i32 2
  %sum = fadd float %f, %v2
  %bf = sitofp i8 %b to float
  %all = fadd float %sum, %bf
  %chosen = select i1 %c, float %all, float 0.0
  %r = insertvalue {i32, float, [3 x i8]} %s, float %chosen, 1
  ret {i32, float, [3 x i8]} %r
}

define i32 @element(ptr byval([8 x i32]) align 4 %array, i32 %i) noinline {
  %place = getelementptr i32, ptr %array, i32 %i
  %value = load i32, ptr %place
  store i32 1000, ptr %place
  %first = load i32, ptr %array
  %sum = add i32 %value, %first
  ret i32 %sum
}

define i128 @next(i128 %x) noinline {
  %y = add i128 %x, 1
  ret i128 %y
}

define i32 @choose(i32 %i) noinline {
  switch i32 %i, label %other [ i32 0, label %a  i32 1, label %b
                                i32 2, label %c  i32 3, label %d ]
a:
  %x = call i32 @second(i32 7)
  ret i32 %x
b:
  call void asm sideeffect "membar.gl;", ""()
  ret i32 34
c:
  call void asm sideeffect "membar.cta;", ""()
  ret i32 71
d:
  %y = call i32 @times_three(i32 %i)
  ret i32 %y
other:
  ret i32 -1
}

define void @fill(ptr %array, i32 %n) noinline {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %value = call i32 @times_three(i32 %i)
  %place = getelementptr i32, ptr %array, i32 %i
  store i32 %value, ptr %place
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

define ptx_kernel void @k(ptr addrspace(1) %out, i32 %n) "nvvm.reqntid"="6" {
  %arguments = alloca {i32, i32, double, ptr, i64, i32, i32}
  %array = alloca [8 x i32]
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  call void @fill(ptr %array, i32 8)
  %e = call i32 @element(ptr byval([8 x i32]) align 4 %array, i32 %t)
  %s0 = insertvalue {i32, float, [3 x i8]} undef, i32 %e, 0
  %s1 = insertvalue {i32, float, [3 x i8]} %s0, float 0.25, 1
  %even = trunc i32 %t to i1
  %b = trunc i32 %t to i8
  %less = sub i8 %b, 3
  %s2 = call {i32, float, [3 x i8]} @structure({i32, float, [3 x i8]} %s1, <4 x float> <float 1.0, float 2.0, float 3.0, float 4.0>, i1 %even, i8 signext %less)
  %f = extractvalue {i32, float, [3 x i8]} %s2, 1
  %e2 = extractvalue {i32, float, [3 x i8]} %s2, 0
  %double = fpext float %f to double
  %tw = zext i32 %t to i128
  %wide = add i128 %tw, 18446744073709551615
  %n128 = call i128 @next(i128 %wide)
  %high = lshr i128 %n128, 64
  %both = add i128 %high, %n128
  %long = trunc i128 %both to i64
  %chosen = call i32 @choose(i32 %t)
  %letter = add i32 %t, 97
  %a1 = getelementptr i8, ptr %arguments, i64 4
  %a2 = getelementptr i8, ptr %arguments, i64 8
  %a3 = getelementptr i8, ptr %arguments, i64 16
  %a4 = getelementptr i8, ptr %arguments, i64 24
  %a5 = getelementptr i8, ptr %arguments, i64 32
  %a6 = getelementptr i8, ptr %arguments, i64 36
  store i32 %t, ptr %arguments
  store i32 %e2, ptr %a1
  store double %double, ptr %a2
  store ptr @text, ptr %a3
  store i64 %long, ptr %a4
  store i32 %letter, ptr %a5
  store i32 %chosen, ptr %a6
  %count = call i32 @vprintf(ptr @format, ptr %arguments)
  %inside = icmp ult i32 %t, %n
  br i1 %inside, label %good, label %bad
bad:
  call void @__assertfail(ptr @message, ptr @file, i32 12, ptr @name, i64 1)
  unreachable
good:
  %pp = getelementptr i8, ptr addrspace(1) @packed, i64 1
  %p = load ptr, ptr addrspace(1) %pp, align 1
  %five = load i32, ptr %p
  %sum = add i32 %count, %five
  %place = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %sum, ptr addrspace(1) %place
  ret void
}
