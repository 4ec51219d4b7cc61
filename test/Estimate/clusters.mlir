// Of a tile that the programs of a cluster share each asks the L2 for its part; where
// rows begin inside of lines more of these are touched, and a second one counts a
// quarter more. Of 64 programs with 16 iterations, each copies 8 KiB of rows and 16 KiB
// of columns, and stores 32 KiB.

// RUN: tilewright compile %S/../Run/clusters.mlir --target=sm_90a --specialize-warps --launch=8x8,arg3=512,arg4=1024,arg5=1024 --emit=estimate-json -o - | FileCheck %s --check-prefix=ALONE
// ALONE: "kernel": "below"
// ALONE: "l2_bytes": 27262976
// RUN: tilewright compile %S/../Run/clusters.mlir --target=sm_90a --specialize-warps --cluster=2 --launch=8x8,arg3=512,arg4=1024,arg5=1024 --emit=estimate-json -o - | FileCheck %s --check-prefix=SHARED
// SHARED: "kernel": "below"
// SHARED: "l2_bytes": 18874368
// SHARED: "kernel": "beside"
// SHARED: "l2_bytes": 23068672
// SHARED: "kernel": "apart"
// SHARED: "l2_bytes": 27262976
// RUN: tilewright compile %S/../Run/clusters.mlir --target=sm_90a --specialize-warps --launch=8x8,arg3=512,arg4=1000,arg5=1024 --emit=estimate-json -o - | FileCheck %s --check-prefix=INSIDE
// INSIDE: "kernel": "below"
// INSIDE: "l2_bytes": 45613056
