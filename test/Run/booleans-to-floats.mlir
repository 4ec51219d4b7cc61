// Booleans as numbers: a set bit is -1 as a signed number and 1 as an unsigned
// one, whatever float it becomes. LLVM 22 gives 1 for both on the way to bf16.

// Added to the same bit as an unsigned number it is 0:
// out[i] = i + 0.
// RUN: tilewright run %s --kernel=nothing --device=emulator --arg=%t.npy=arange:64xf32
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=to_bf16 --arg=poison:64xf32 --compare=0=%t.npy
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=to_f32 --arg=poison:64xf32 --compare=0=%t.npy

tt.func public @nothing(%x: !tt.ptr<f32>) {
  tt.return
}

tt.func public @to_bf16(%out: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %odd = arith.trunci %i : tensor<64xi32> to tensor<64xi1>
  %signed = arith.sitofp %odd : tensor<64xi1> to tensor<64xbf16>
  %unsigned = arith.uitofp %odd : tensor<64xi1> to tensor<64xbf16>
  %nothing = arith.addf %signed, %unsigned : tensor<64xbf16>
  %wide = arith.extf %nothing : tensor<64xbf16> to tensor<64xf32>
  %number = arith.sitofp %i : tensor<64xi32> to tensor<64xf32>
  %sum = arith.addf %wide, %number : tensor<64xf32>
  %base = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %pointers = tt.addptr %base, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %pointers, %sum : tensor<64x!tt.ptr<f32>>
  tt.return
}

tt.func public @to_f32(%out: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %odd = arith.trunci %i : tensor<64xi32> to tensor<64xi1>
  %signed = arith.sitofp %odd : tensor<64xi1> to tensor<64xf32>
  %unsigned = arith.uitofp %odd : tensor<64xi1> to tensor<64xf32>
  %nothing = arith.addf %signed, %unsigned : tensor<64xf32>
  %number = arith.sitofp %i : tensor<64xi32> to tensor<64xf32>
  %sum = arith.addf %nothing, %number : tensor<64xf32>
  %base = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %pointers = tt.addptr %base, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %pointers, %sum : tensor<64x!tt.ptr<f32>>
  tt.return
}
