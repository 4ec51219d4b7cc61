// Branches that are known run or do not; others half of the time; what a program
// may be done without is taken to run.

// RUN: tilewright compile %s --target=sm_80 --emit=estimate-json --launch=8,size=8 -o - | %python %S/Inputs/sectors.py known=128 guarded=132 unknown=72
// RUN: tilewright compile %s --target=sm_80 --emit=estimate-json --launch=8,size=4 -o - | %python %S/Inputs/sectors.py known=64 guarded=132 unknown=72

// Programs below size store 1024 floats.
tt.func public @known(%to: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %size: i32 loc("size")) {
  %program = tt.get_program_id x : i32
  %stores = arith.cmpi slt, %program, %size : i32
  scf.if %stores {
    %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
    %all = tt.splat %to : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %places = tt.addptr %all, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %value = arith.constant dense<1.0> : tensor<1024xf32>
    tt.store %places, %value : tensor<1024x!tt.ptr<f32>>
  }
  tt.return
}

tt.func public @guarded(%to: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %flag: !tt.ptr<i32>) {
  %zero = arith.constant 0 : i32
  %word = tt.load %flag : !tt.ptr<i32>
  %isDone = arith.cmpi slt, %word, %zero : i32
  cf.cond_br %isDone, ^done, ^more
^done:
  tt.return
^more:
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %all = tt.splat %to : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %places = tt.addptr %all, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %value = arith.constant dense<1.0> : tensor<1024xf32>
  tt.store %places, %value : tensor<1024x!tt.ptr<f32>>
  tt.return
}

tt.func public @unknown(%to: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %flag: !tt.ptr<i32>) {
  %zero = arith.constant 0 : i32
  %word = tt.load %flag : !tt.ptr<i32>
  %stores = arith.cmpi slt, %word, %zero : i32
  scf.if %stores {
    %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
    %all = tt.splat %to : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %places = tt.addptr %all, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %value = arith.constant dense<1.0> : tensor<1024xf32>
    tt.store %places, %value : tensor<1024x!tt.ptr<f32>>
  }
  tt.store %flag, %zero : !tt.ptr<i32>
  tt.return
}
