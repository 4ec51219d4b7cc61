tt.func public @widen(%from: !tt.ptr<f8E4M3FN>, %to: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %froms = tt.splat %from : !tt.ptr<f8E4M3FN> -> tensor<16x!tt.ptr<f8E4M3FN>>
  %places = tt.addptr %froms, %i : tensor<16x!tt.ptr<f8E4M3FN>>, tensor<16xi32>
  %x = tt.load %places : tensor<16x!tt.ptr<f8E4M3FN>>
  %y = tt.fp_to_fp %x : tensor<16xf8E4M3FN> -> tensor<16xf32>
  %tos = tt.splat %to : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %toPlaces = tt.addptr %tos, %i : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  tt.store %toPlaces, %y : tensor<16x!tt.ptr<f32>>
  tt.return
}
