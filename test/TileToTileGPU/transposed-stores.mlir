// RUN: tilewright-opt %s --tilegpu-assign-layouts="target=sm_75 num-warps=4" | FileCheck %s
// RUN: sed 's/f32/f16/g' %s | tilewright-opt --tilegpu-assign-layouts="target=sm_75 num-warps=4" | FileCheck %s --check-prefix=HALF

// Images are read channel by channel and written with the channels of a pixel side
// by side. The tile is converted in between, though that takes a second set of
// divisions: stores under the loads' layout would fill half of each sector.
// CHECK-DAG: #[[$ROWS:.*]] = #tilegpu.blocked<elements = [1, 4], threads = [4, 8], warps = [4, 1], order = [1, 0]>
// CHECK-DAG: #[[$COLUMNS:.*]] = #tilegpu.blocked<elements = [4, 1], threads = [8, 4], warps = [1, 4], order = [0, 1]>
// CHECK-LABEL: @channels_last
// CHECK: tt.load {{.*}} : tensor<32x32x!tt.ptr<f32>, #[[$ROWS]]>
// CHECK: tilegpu.convert_layout {{.*}} -> tensor<32x32xf32, #[[$COLUMNS]]>
// CHECK: tt.store {{.*}} : tensor<32x32x!tt.ptr<f32>, #[[$COLUMNS]]>
// HALF-DAG: #[[$ROWS:.*]] = #tilegpu.blocked<elements = [1, 8], threads = [8, 4], warps = [4, 1], order = [1, 0]>
// HALF-DAG: #[[$COLUMNS:.*]] = #tilegpu.blocked<elements = [8, 1], threads = [4, 8], warps = [1, 4], order = [0, 1]>
// HALF-LABEL: @channels_last
// HALF: tt.load {{.*}} : tensor<32x32x!tt.ptr<f16>, #[[$ROWS]]>
// HALF: tt.store {{.*}} : tensor<32x32x!tt.ptr<f16>, #[[$COLUMNS]]>
tt.func public @channels_last(%in: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %one = arith.constant dense<1.0> : tensor<32x32xf32>
  %pixels = arith.constant dense<3136> : tensor<32x1xi32>
  %channels = arith.constant dense<128> : tensor<32x1xi32>
  %width = arith.constant dense<128> : tensor<1x32xi32>
  %image = arith.constant dense<401408> : tensor<32x1xi32>
  %most = arith.constant dense<3136> : tensor<1x32xi32>
  %c32 = arith.constant 32 : i32
  %y = tt.get_program_id y : i32
  %x = tt.get_program_id x : i32
  %firstRow = arith.muli %y, %c32 : i32
  %firstColumn = arith.muli %x, %c32 : i32
  %range = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %rows = tt.expand_dims %range {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tt.expand_dims %range {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %firstRows = tt.splat %firstRow : i32 -> tensor<32x1xi32>
  %firstColumns = tt.splat %firstColumn : i32 -> tensor<1x32xi32>
  %row = arith.addi %firstRows, %rows : tensor<32x1xi32>
  %column = arith.addi %firstColumns, %columns : tensor<1x32xi32>
  %is = arith.cmpi slt, %column, %most : tensor<1x32xi32>
  %mask = tt.broadcast %is : tensor<1x32xi1> -> tensor<32x32xi1>
  %channel = arith.remsi %row, %channels : tensor<32x1xi32>
  %number = arith.divsi %row, %channels : tensor<32x1xi32>
  %start = arith.muli %row, %pixels : tensor<32x1xi32>
  %c = tt.broadcast %column : tensor<1x32xi32> -> tensor<32x32xi32>
  %s = tt.broadcast %start : tensor<32x1xi32> -> tensor<32x32xi32>
  %from = arith.addi %c, %s : tensor<32x32xi32>
  %ins = tt.splat %in : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %p = tt.addptr %ins, %from : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %a = tt.load %p, %mask : tensor<32x32x!tt.ptr<f32>>
  %b = arith.addf %a, %one : tensor<32x32xf32>
  %across = arith.muli %column, %width : tensor<1x32xi32>
  %ch = tt.broadcast %channel : tensor<32x1xi32> -> tensor<32x32xi32>
  %ac = tt.broadcast %across : tensor<1x32xi32> -> tensor<32x32xi32>
  %pixel = arith.addi %ch, %ac : tensor<32x32xi32>
  %images = arith.muli %number, %image : tensor<32x1xi32>
  %im = tt.broadcast %images : tensor<32x1xi32> -> tensor<32x32xi32>
  %to = arith.addi %pixel, %im : tensor<32x32xi32>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %q = tt.addptr %outs, %to : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  tt.store %q, %b, %mask : tensor<32x32x!tt.ptr<f32>>
  tt.return
}
