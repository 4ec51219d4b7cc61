// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

#rows = #tilegpu.linear<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>
#columns = #tilegpu.linear<register = [[64], [32]], lane = [[1], [2], [4], [8], [16]], warp = []>
#scratch = #tilegpu.shared_linear<offset = [[1], [2], [4], [8], [16], [32]]>
tt.func private @shape(%x: tensor<128xf32, #rows>, %m: !tilegpu.memdesc<64xf32, #scratch, mutable>) {
  // expected-error @+1 {{'tilegpu.convert_in_rounds' op expects functionals in reduced echelon form, ascending, of the 7 bits of a coordinate, but got [128]}}
  %y = tilegpu.convert_in_rounds %x through %m functionals = [128] : tensor<128xf32, #rows> through !tilegpu.memdesc<64xf32, #scratch, mutable> -> tensor<128xf32, #columns>
  tt.return
}

// -----

#rows = #tilegpu.linear<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>
#columns = #tilegpu.linear<register = [[64], [32]], lane = [[1], [2], [4], [8], [16]], warp = []>
#scratch = #tilegpu.shared_linear<offset = [[1], [2], [4], [8], [16]]>
tt.func private @not_reduced(%x: tensor<128xf32, #rows>, %m: !tilegpu.memdesc<32xf32, #scratch, mutable>) {
  // expected-error @+1 {{'tilegpu.convert_in_rounds' op expects functionals in reduced echelon form, ascending, of the 7 bits of a coordinate, but got [1, 3]}}
  %y = tilegpu.convert_in_rounds %x through %m functionals = [1, 3] : tensor<128xf32, #rows> through !tilegpu.memdesc<32xf32, #scratch, mutable> -> tensor<128xf32, #columns>
  tt.return
}

// -----

#rows = #tilegpu.linear<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>
#columns = #tilegpu.linear<register = [[64], [32]], lane = [[1], [2], [4], [8], [16]], warp = []>
#scratch = #tilegpu.shared_linear<offset = [[1], [2], [4], [8], [16]]>
tt.func private @scratch(%x: tensor<128xf32, #rows>, %m: !tilegpu.memdesc<32xf32, #scratch, mutable>) {
  // expected-error @+1 {{'tilegpu.convert_in_rounds' op expects scratch for 64 elements of type 'f32', but got '!tilegpu.memdesc<32xf32, #tilegpu.shared_linear<offset = [[1], [2], [4], [8], [16]]>, mutable>'}}
  %y = tilegpu.convert_in_rounds %x through %m functionals = [1] : tensor<128xf32, #rows> through !tilegpu.memdesc<32xf32, #scratch, mutable> -> tensor<128xf32, #columns>
  tt.return
}

// -----

#rows = #tilegpu.linear<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>
#columns = #tilegpu.linear<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = []>
#scratch = #tilegpu.shared_linear<offset = [[1], [2], [4], [8], [16], [32]]>
tt.func private @other_tensor(%x: tensor<128xf32, #rows>, %m: !tilegpu.memdesc<64xf32, #scratch, mutable>) {
  // expected-error @+1 {{'tilegpu.convert_in_rounds' op expects source and result of the same shape and element type, but got 'tensor<128xf32, #tilegpu.linear<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>>' and 'tensor<64xf32, #tilegpu.linear<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = []>>'}}
  %y = tilegpu.convert_in_rounds %x through %m functionals = [1] : tensor<128xf32, #rows> through !tilegpu.memdesc<64xf32, #scratch, mutable> -> tensor<64xf32, #columns>
  tt.return
}

// -----

#rows = #tilegpu.linear<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>
tt.func private @means(%x: tensor<128xf32, #rows>) {
  // expected-error @+1 {{'tilegpu.convert_layout' op expects tilegpu.means to be what a layout conversion is done by, but got "magic"}}
  %y = tilegpu.convert_layout %x {tilegpu.means = "magic"} : tensor<128xf32, #rows> -> tensor<128xf32, #rows>
  tt.return
}
