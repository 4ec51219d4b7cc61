// A softmax whose scale is an argument of either sign, or 0: its maxima are those of
// the scores where products may be fused. The second tile leaves out rows altogether.

// RUN: tilewright run %s --target=sm_80 --device=emulator --fp-fusion=false --grid=1 --num-warps=4 --arg=random:64x64xf16:1 --arg=random:256x64xf16:2 --arg=%t.npy=zeros:128xf32 --arg=f32:0.3 --arg=i32:2
// RUN: tilewright run %s --target=sm_75 --device=emulator --grid=1 --num-warps=4 --arg=random:64x64xf16:1 --arg=random:256x64xf16:2 --arg=poison:128xf32 --arg=f32:0.3 --arg=i32:2 --compare=2=%t.npy@1e-5,1e-6
// RUN: tilewright run %s --target=sm_80 --device=emulator --grid=1 --num-warps=4 --arg=random:64x64xf16:1 --arg=random:256x64xf16:2 --arg=poison:128xf32 --arg=f32:0.3 --arg=i32:2 --compare=2=%t.npy@1e-5,1e-6
// RUN: tilewright run %s --target=sm_90a --device=emulator --grid=1 --num-warps=4 --arg=random:64x64xf16:1 --arg=random:256x64xf16:2 --arg=poison:128xf32 --arg=f32:0.3 --arg=i32:2 --compare=2=%t.npy@1e-5,1e-6
// RUN: tilewright run %s --target=sm_80 --device=emulator --fp-fusion=false --grid=1 --num-warps=4 --arg=random:64x64xf16:1 --arg=random:256x64xf16:2 --arg=%t.npy=zeros:128xf32 --arg=f32:-0.7 --arg=i32:2
// RUN: tilewright run %s --target=sm_75 --device=emulator --grid=1 --num-warps=4 --arg=random:64x64xf16:1 --arg=random:256x64xf16:2 --arg=poison:128xf32 --arg=f32:-0.7 --arg=i32:2 --compare=2=%t.npy@1e-5,1e-6
// RUN: tilewright run %s --target=sm_80 --device=emulator --grid=1 --num-warps=4 --arg=random:64x64xf16:1 --arg=random:256x64xf16:2 --arg=poison:128xf32 --arg=f32:-0.7 --arg=i32:2 --compare=2=%t.npy@1e-5,1e-6
// RUN: tilewright run %s --target=sm_90a --device=emulator --grid=1 --num-warps=4 --arg=random:64x64xf16:1 --arg=random:256x64xf16:2 --arg=poison:128xf32 --arg=f32:-0.7 --arg=i32:2 --compare=2=%t.npy@1e-5,1e-6
// RUN: tilewright run %s --target=sm_80 --device=emulator --fp-fusion=false --grid=1 --num-warps=4 --arg=random:64x64xf16:1 --arg=random:256x64xf16:2 --arg=%t.npy=zeros:128xf32 --arg=f32:0 --arg=i32:2
// RUN: tilewright run %s --target=sm_75 --device=emulator --grid=1 --num-warps=4 --arg=random:64x64xf16:1 --arg=random:256x64xf16:2 --arg=poison:128xf32 --arg=f32:0 --arg=i32:2 --compare=2=%t.npy@1e-5,1e-6
// RUN: tilewright run %s --target=sm_80 --device=emulator --grid=1 --num-warps=4 --arg=random:64x64xf16:1 --arg=random:256x64xf16:2 --arg=poison:128xf32 --arg=f32:0 --arg=i32:2 --compare=2=%t.npy@1e-5,1e-6
// RUN: tilewright run %s --target=sm_90a --device=emulator --grid=1 --num-warps=4 --arg=random:64x64xf16:1 --arg=random:256x64xf16:2 --arg=poison:128xf32 --arg=f32:0 --arg=i32:2 --compare=2=%t.npy@1e-5,1e-6

// Nothing of the tile is multiplied but where it is added to.
// RUN: tilewright compile %s --target=sm_80 --num-warps=4 --emit=ptx -o - | FileCheck %s
// CHECK: $L__BB0_[[LOOP:[0-9]+]]:
// CHECK-COUNT-64: fma.rn.f32
// CHECK: bra{{.*}} $L__BB0_[[LOOP]];

tt.func public @softmax(%q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %k: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %scale: f32, %tiles: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c128 = arith.constant 128 : i32
  %width = arith.constant dense<64> : tensor<64x1xi32>
  %kwidth = arith.constant dense<64> : tensor<1x128xi32>
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %none = arith.constant dense<0xFF800000> : tensor<64x128xf32>
  %least = arith.constant dense<-1.0e+30> : tensor<64xf32>
  %nothing = arith.constant dense<0.0> : tensor<64xf32>
  %next = arith.constant dense<8192> : tensor<64x128xi32>
  %half = arith.constant dense<64> : tensor<64xi32>
  %three = arith.constant dense<3> : tensor<64x1xi32>
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %n = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %row = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %column = tt.expand_dims %i {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %key = tt.expand_dims %n {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %rows = arith.muli %row, %width : tensor<64x1xi32>
  %r = tt.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
  %c = tt.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %offsets = arith.addi %r, %c : tensor<64x64xi32>
  %qs = tt.splat %q : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %qat = tt.addptr %qs, %offsets : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %x = tt.load %qat : tensor<64x64x!tt.ptr<f16>>
  %keys = arith.muli %key, %kwidth : tensor<1x128xi32>
  %kc = tt.broadcast %keys : tensor<1x128xi32> -> tensor<64x128xi32>
  %kr = tt.broadcast %row : tensor<64x1xi32> -> tensor<64x128xi32>
  %koffsets = arith.addi %kc, %kr : tensor<64x128xi32>
  %ks = tt.splat %k : !tt.ptr<f16> -> tensor<64x128x!tt.ptr<f16>>
  %kat = tt.addptr %ks, %koffsets : tensor<64x128x!tt.ptr<f16>>, tensor<64x128xi32>
  %scales = tt.splat %scale : f32 -> tensor<64x128xf32>
  %limit = arith.muli %row, %three : tensor<64x1xi32>
  %limits = tt.broadcast %limit : tensor<64x1xi32> -> tensor<64x128xi32>
  %all:3 = scf.for %t = %c0 to %tiles step %c1 iter_args(%at = %kat, %best = %least, %total = %nothing) -> (tensor<64x128x!tt.ptr<f16>>, tensor<64xf32>, tensor<64xf32>) : i32 {
    %y = tt.load %at : tensor<64x128x!tt.ptr<f16>>
    %d = tt.dot %x, %y, %zero : tensor<64x64xf16> * tensor<64x128xf16> -> tensor<64x128xf32>
    %p = arith.mulf %d, %scales : tensor<64x128xf32>
    %first = arith.muli %t, %c128 : i32
    %firsts = tt.splat %first : i32 -> tensor<1x128xi32>
    %place = arith.addi %firsts, %key : tensor<1x128xi32>
    %places = tt.broadcast %place : tensor<1x128xi32> -> tensor<64x128xi32>
    %in = arith.cmpi sle, %places, %limits : tensor<64x128xi32>
    %s = arith.select %in, %p, %none : tensor<64x128xi1>, tensor<64x128xf32>
    %m = "tt.reduce"(%s) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %l = arith.maxnumf %a, %b : f32
      tt.reduce.return %l : f32
    }) : (tensor<64x128xf32>) -> tensor<64xf32>
    %larger = arith.maxnumf %best, %m : tensor<64xf32>
    %e = tt.expand_dims %larger {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %es = tt.broadcast %e : tensor<64x1xf32> -> tensor<64x128xf32>
    %less = arith.subf %s, %es : tensor<64x128xf32>
    %powers = math.exp2 %less : tensor<64x128xf32>
    %sum = "tt.reduce"(%powers) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %l = arith.addf %a, %b : f32
      tt.reduce.return %l : f32
    }) : (tensor<64x128xf32>) -> tensor<64xf32>
    %change = arith.subf %best, %larger : tensor<64xf32>
    %shrink = math.exp2 %change : tensor<64xf32>
    %kept = arith.mulf %total, %shrink : tensor<64xf32>
    %grown = arith.addf %kept, %sum : tensor<64xf32>
    %then = tt.addptr %at, %next : tensor<64x128x!tt.ptr<f16>>, tensor<64x128xi32>
    scf.yield %then, %larger, %grown : tensor<64x128x!tt.ptr<f16>>, tensor<64xf32>, tensor<64xf32>
  }
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %bests = tt.addptr %outs, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %bests, %all#1 : tensor<64x!tt.ptr<f32>>
  %totals = tt.addptr %bests, %half : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %totals, %all#2 : tensor<64x!tt.ptr<f32>>
  tt.return
}
