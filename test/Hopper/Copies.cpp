// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Hopper/Copies.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>

using namespace tilewright;
using namespace tilewright::hopper;

namespace {

std::string number(int64_t value) { return std::to_string(value); }

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

/// CUtensorMapDataType of some types.
struct TensorType {
  const char *name;
  uint32_t number;
  unsigned bytes;
  uint64_t nan;
  /// Loads round.
  bool isTf32 = false;
};
constexpr TensorType tensorTypes[] = {
    {"u8", 0, 1, 0},        {"u16", 1, 2, 0},
    {"s32", 3, 4, 0},       {"s64", 5, 8, 0},
    {"f16", 6, 2, 0x7ff7},  {"f32", 7, 4, 0x7ff77ff7},
    {"bf16", 9, 2, 0x7ff7}, {"tf32", 11, 4, 0x7ffffff7, /*isTf32=*/true},
};

/// What a load makes of an f32 for tf32: the nearest, of two the even one; NaN
/// is one NaN.
void roundToTf32(uint8_t *place) {
  uint32_t bits;
  std::memcpy(&bits, place, sizeof(bits));
  bool isNan = (bits & 0x7fffffff) > 0x7f800000;
  bits = isNan ? 0x7fffe000
               : (bits + 0xfff + (bits >> 13 & 1)) & ~uint32_t(0x1fff);
  std::memcpy(place, &bits, sizeof(bits));
}

/// A copy of one box.
struct BoxCopy {
  TensorMapParameter map;
  TensorType type = tensorTypes[0];
  std::vector<int> coordinates;
  /// Of the box in shared memory, from a multiple of 1024 on.
  uint32_t sharedOffset = 0;

  uint32_t extent(unsigned i) const {
    uint32_t step = map.elementStrides[i];
    return (map.box[i] + step - 1) / step;
  }
  uint32_t bytes() const {
    uint32_t total = type.bytes;
    for (unsigned i = 0; i < map.rank; ++i)
      total *= extent(i);
    return total;
  }
  uint64_t tensorBytes() const {
    return map.rank == 1 ? map.shape[0] * type.bytes
                         : map.shape[map.rank - 1] * map.strides[map.rank - 2];
  }
};

/// Where byte `offset` of shared memory goes.
uint32_t swizzled(uint32_t offset, uint32_t mode) {
  uint32_t lines = (1u << mode) - 1;
  return offset ^ ((offset / 128 & lines) * 16);
}

/// Calls function(shared offset, tensor offset or -1) for each element.
void forElements(const BoxCopy &copy,
                 const std::function<void(uint32_t, int64_t)> &function) {
  std::vector<uint32_t> index(copy.map.rank);
  for (uint32_t element = 0; element < copy.bytes() / copy.type.bytes;
       ++element) {
    int64_t from = 0;
    bool isInside = true;
    for (unsigned i = 0; i < copy.map.rank; ++i) {
      int64_t at =
          copy.coordinates[i] + int64_t(index[i]) * copy.map.elementStrides[i];
      isInside &= at >= 0 && at < int64_t(copy.map.shape[i]);
      from += at * int64_t(i ? copy.map.strides[i - 1] : copy.type.bytes);
    }
    uint32_t place = copy.sharedOffset + element * copy.type.bytes;
    function(swizzled(place, copy.map.swizzle), isInside ? from : -1);
    for (unsigned i = 0; i < copy.map.rank && ++index[i] == copy.extent(i); ++i)
      index[i] = 0;
  }
}

/// A size near a multiple of `box`, or of a part of it.
uint64_t drawSize(uint32_t box, Random &random) {
  return std::max(1u, box / 2 + random.below(2 * box + 2));
}

BoxCopy drawBox(unsigned rank, TensorType type, uint32_t swizzle,
                Random &random) {
  BoxCopy copy;
  copy.type = type;
  copy.map.rank = rank;
  copy.map.dataType = type.number;
  copy.map.swizzle = swizzle;
  uint32_t units = swizzle ? 1u << swizzle : 1 + random.below(8);
  copy.map.box[0] = 16 * units / type.bytes;
  // Elements of the box that are left to the other dimensions.
  uint32_t left = 8192 / (16 * units);
  uint64_t stride = 0;
  for (unsigned i = 0; i < rank; ++i) {
    if (i > 0) {
      copy.map.box[i] = 1 + random.below(std::min(left, 12u));
      copy.map.elementStrides[i] = random.below(3) ? 1 : 1 + random.below(3);
      left = std::max(1u, left / copy.map.box[i]);
      copy.map.strides[i - 1] = stride;
    }
    copy.map.shape[i] = drawSize(copy.map.box[i], random);
    stride = i ? stride * copy.map.shape[i]
               : (copy.map.shape[0] * type.bytes + 15) / 16 * 16;
    if (random.below(3) == 0)
      stride += 16;
    // Inside, across the begin, across the end, or beyond.
    int box = copy.map.box[i], size = copy.map.shape[i];
    int starts[] = {0, -int(random.below(box + 1)), size - box / 2,
                    int(random.below(size)), 0};
    // Rows begin at a multiple of 16 bytes.
    int unit = i ? 1 : 16 / type.bytes, start = starts[random.below(5)];
    copy.coordinates.push_back(start - (start % unit + unit) % unit);
  }
  copy.sharedOffset = 128 * random.below(8);
  return copy;
}

/// The same, beginning as far behind 0 where it begins before it: an H200 ends
/// stores of such boxes by an illegal instruction (178 of 178).
BoxCopy beginInside(BoxCopy copy) {
  for (int &coordinate : copy.coordinates)
    coordinate = std::abs(coordinate);
  return copy;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// The head of a kernel with `bytes` of shared memory, up to where everybody
/// knows the mbarrier, which expects one arrival. %leader is thread 0.
std::string head(const std::string &name, uint32_t bytes, bool hasMap,
                 bool makesMap = false) {
  return ".visible .entry " + name + "(.param .u64 input, .param .u64 output" +
         (hasMap ? ", .param .align 64 .b8 map[128]" : "") +
         ")\n.reqntid 128, 1, 1\n{\n.shared .align 1024 .b8 tile[" +
         number(bytes) + "];\n.shared .align 8 .b64 barrier;\n" +
         (makesMap ? ".shared .align 128 .b8 object[128];\n" : "") +
         ".reg .pred %p, %leader;\n.reg .b32 %t, %s, %o, %u, %v<4>;\n"
         ".reg .b64 %x, %in, %out, %map;\n"
         "ld.param.u64 %in, [input];\nld.param.u64 %out, [output];\n" +
         (hasMap ? "mov.b64 %map, map;\ncvta.param.u64 %map, %map;\n" : "") +
         "mov.u32 %t, %tid.x;\nsetp.eq.u32 %leader, %t, 0;\n"
         "@%leader mbarrier.init.shared::cta.b64 [barrier], 1;\n"
         "@%leader fence.mbarrier_init.release.cluster;\nbar.sync 0;\n";
}

constexpr const char *waitForBarrier =
    "wait:\nmbarrier.try_wait.parity.shared::cta.b64 %p, [barrier], 0;\n"
    "@!%p bra wait;\n";
constexpr const char *waitForStores = "@%leader cp.async.bulk.commit_group;\n"
                                      "@%leader cp.async.bulk.wait_group 0;\n";

/// Copies words between `tile` + offset and what a register points to.
std::string copyWords(uint32_t offset, uint32_t bytes, bool isIn) {
  std::string global = isIn ? "%in" : "%out";
  std::string move =
      isIn ? "ld.global.b32 %v0, [%x];\nst.shared.b32 [%u], %v0;\n"
           : "ld.shared.b32 %v0, [%u];\nst.global.b32 [%x], %v0;\n";
  return "mov.u32 %s, tile;\nshl.b32 %o, %t, 2;\nwords:\nsetp.ge.u32 %p, %o, " +
         number(bytes) +
         ";\n@%p bra done;\ncvt.u64.u32 %x, %o;\nadd.u64 %x, %x, " + global +
         ";\nadd.u32 %u, %s, %o;\nadd.u32 %u, %u, " + number(offset) + ";\n" +
         move + "add.u32 %o, %o, 512;\nbra words;\ndone:\n";
}

std::string tensorOperand(const BoxCopy &copy) {
  std::string text = "[%map, {";
  for (size_t i = 0; i < copy.coordinates.size(); ++i)
    text += (i ? ", " : "") + number(copy.coordinates[i]);
  return text + "}]";
}

std::vector<uint8_t> randomBytes(uint64_t count, Random &random) {
  std::vector<uint8_t> bytes(count);
  for (uint8_t &byte : bytes)
    byte = random.below(256);
  return bytes;
}

std::string describe(const BoxCopy &copy) {
  return number(copy.map.rank) + "d_" + copy.type.name + "_w" +
         number(16 << copy.map.swizzle);
}

//===----------------------------------------------------------------------===//
// Programs of boxes
//===----------------------------------------------------------------------===//

/// What tensormap.replace calls a CUtensorMapDataType.
uint32_t elementType(uint32_t dataType) {
  constexpr uint32_t types[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 8, 11, 12};
  return types[dataType];
}

/// The first warp makes the map in shared memory of zeros, for a tensor at %in,
/// and copies it to %in + `place`, where %map points to. Thread 0 acquires it.
std::string makeMap(const TensorMapParameter &map, uint64_t place) {
  std::string text;
  auto add = [&](const std::string &line) { text += line + ";\n"; };
  auto replace = [&](const std::string &field, const std::string &value,
                     bool isWide = false) {
    add("@%leader tensormap.replace.tile." + field + ".shared::cta.b1024." +
        (isWide ? "b64" : "b32") + " [object], " + value);
  };
  auto replaceOf = [&](const std::string &field, unsigned dimension,
                       uint64_t value, bool isWide = false) {
    add("mov.u64 %x, " + number(value));
    add("cvt.u32.u64 %v0, %x");
    replace(field, number(dimension) + (isWide ? ", %x" : ", %v0"), isWide);
  };
  add("add.u64 %map, %in, " + number(place));
  add("setp.ge.u32 %p, %t, 32");
  add("@%p bra made");
  add("mov.u32 %s, object");
  add("shl.b32 %o, %t, 2");
  add("add.u32 %u, %s, %o");
  add("st.shared.b32 [%u], 0");
  add("bar.warp.sync 0xffffffff");
  replace("global_address", "%in", /*isWide=*/true);
  replace("rank", number(map.rank - 1));
  for (unsigned i = 0; i < map.rank; ++i) {
    replaceOf("box_dim", i, map.box[i]);
    replaceOf("global_dim", i, map.shape[i]);
    replaceOf("element_stride", i, map.elementStrides[i]);
    if (i + 1 < map.rank)
      replaceOf("global_stride", i, map.strides[i], /*isWide=*/true);
  }
  replace("elemtype", number(elementType(map.dataType)));
  replace("interleave_layout", "0");
  replace("swizzle_mode", number(map.swizzle));
  replace("fill_mode", number(map.fill));
  add("bar.warp.sync 0xffffffff");
  add("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release."
      "gpu.sync.aligned [%map], [object], 128");
  text += "made:\n";
  add("bar.sync 0");
  add("@%leader fence.proxy.tensormap::generic.acquire.gpu [%map], 128");
  return text;
}

/// `isMapMade`: by the kernel.
HopperProgram makeLoad(const BoxCopy &copy, const std::string &name,
                       Random &random, bool isMapMade = false) {
  HopperProgram program;
  program.name = name;
  program.input = randomBytes(copy.tensorBytes(), random);
  program.expected.resize((copy.bytes() + 3) / 4 * 4);
  std::string making;
  if (isMapMade) {
    uint64_t place = (program.input.size() + 127) / 128 * 128;
    program.input.resize(place + 128);
    making = makeMap(copy.map, place);
  } else {
    program.maps = {copy.map};
  }
  uint64_t fill = copy.map.fill ? copy.type.nan : 0;
  forElements(copy, [&](uint32_t place, int64_t from) {
    std::memcpy(&program.expected[place - copy.sharedOffset],
                from < 0 ? static_cast<const void *>(&fill)
                         : &program.input[from],
                copy.type.bytes);
    if (copy.type.isTf32)
      roundToTf32(&program.expected[place - copy.sharedOffset]);
  });
  program.text =
      head(name, copy.sharedOffset + copy.bytes(), /*hasMap=*/!isMapMade,
           isMapMade) +
      making +
      "@%leader mbarrier.arrive.expect_tx.shared::cta.b64 _, [barrier], " +
      number(copy.bytes()) + ";\n@%leader cp.async.bulk.tensor." +
      number(copy.map.rank) +
      "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile+" +
      number(copy.sharedOffset) + "], " + tensorOperand(copy) +
      ", [barrier];\n" + waitForBarrier +
      copyWords(copy.sharedOffset, copy.bytes(), /*isIn=*/false) + "ret;\n}\n";
  return program;
}

HopperProgram makeStore(BoxCopy copy, const std::string &name, Random &random) {
  HopperProgram program;
  program.name = name;
  copy.map.isOfOutput = true;
  program.input = randomBytes((copy.bytes() + 3) / 4 * 4, random);
  program.maps = {copy.map};
  // To an H200's stores rows end at whole units of 16 bytes (242 of 242 boxes);
  // no document says so.
  uint64_t unit = 16 / copy.type.bytes;
  copy.map.shape[0] = (copy.map.shape[0] + unit - 1) / unit * unit;
  program.expected.assign(copy.tensorBytes(), outputFill);
  forElements(copy, [&](uint32_t place, int64_t to) {
    if (to >= 0)
      std::memcpy(&program.expected[to],
                  &program.input[place - copy.sharedOffset], copy.type.bytes);
  });
  program.text = head(name, copy.sharedOffset + copy.bytes(), /*hasMap=*/true) +
                 copyWords(copy.sharedOffset, copy.bytes(), /*isIn=*/true) +
                 "fence.proxy.async.shared::cta;\nbar.sync 0;\n"
                 "@%leader cp.async.bulk.tensor." +
                 number(copy.map.rank) +
                 "d.global.shared::cta.tile.bulk_group " + tensorOperand(copy) +
                 ", [tile+" + number(copy.sharedOffset) + "];\n" +
                 waitForStores + "ret;\n}\n";
  return program;
}

/// `count` boxes of each rank, type and swizzle; of tf32 with `rounds` alone.
std::vector<HopperProgram> makeBoxes(
    const std::string &stem, unsigned count, bool rounds,
    const std::function<HopperProgram(BoxCopy, const std::string &, Random &)>
        &make) {
  std::vector<HopperProgram> programs;
  for (unsigned rank = 1; rank <= 5; ++rank)
    for (const TensorType &type : tensorTypes)
      for (uint32_t swizzle = 0; swizzle < 4; ++swizzle)
        for (unsigned i = 0; i < (type.isTf32 && !rounds ? 0 : count); ++i) {
          Random random(programs.size() + 1);
          BoxCopy copy = drawBox(rank, type, swizzle, random);
          programs.push_back(make(
              copy, stem + "_" + describe(copy) + "_" + number(i), random));
        }
  return programs;
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

HopperProgram makeRangeLoad(uint32_t bytes, Random &random) {
  HopperProgram program;
  program.name = "range_load_" + number(bytes);
  program.input = randomBytes(bytes, random);
  program.expected = program.input;
  // In two parts, told of by one mbarrier.
  uint32_t first = bytes / 32 * 16;
  auto part = [&](uint32_t from, uint32_t size) {
    return "add.u64 %x, %in, " + number(from) +
           ";\n@%leader cp.async.bulk.shared::cluster.global.mbarrier::"
           "complete_tx::bytes [tile+" +
           number(from) + "], [%x], " + number(size) + ", [barrier];\n";
  };
  program.text =
      head(program.name, bytes, /*hasMap=*/false) +
      "@%leader mbarrier.arrive.expect_tx.shared::cta.b64 _, [barrier], " +
      number(bytes) + ";\n" + (first ? part(0, first) : "") +
      part(first, bytes - first) + waitForBarrier +
      copyWords(0, bytes, /*isIn=*/false) + "ret;\n}\n";
  return program;
}

HopperProgram makeRangeStore(uint32_t bytes, Random &random) {
  HopperProgram program;
  program.name = "range_store_" + number(bytes);
  program.input = randomBytes(bytes, random);
  program.expected = program.input;
  program.text = head(program.name, bytes, /*hasMap=*/false) +
                 copyWords(0, bytes, /*isIn=*/true) +
                 "fence.proxy.async.shared::cta;\nbar.sync 0;\n"
                 "@%leader cp.async.bulk.global.shared::cta.bulk_group [%out], "
                 "[tile], " +
                 number(bytes) + ";\n" + waitForStores + "ret;\n}\n";
  return program;
}

/// A reduction of integers.
struct Reduction {
  const char *operation, *type;
  unsigned bytes;
  std::function<uint64_t(uint64_t, uint64_t)> combine;
};

std::vector<Reduction> allReductions() {
  auto u = [](uint64_t x) { return uint32_t(x); };
  auto s = [](uint64_t x) { return int32_t(x); };
  return {
      {"add", "u32", 4, [](uint64_t a, uint64_t b) { return a + b; }},
      {"add", "s32", 4, [](uint64_t a, uint64_t b) { return a + b; }},
      {"add", "u64", 8, [](uint64_t a, uint64_t b) { return a + b; }},
      {"min", "u32", 4, [=](auto a, auto b) { return std::min(u(a), u(b)); }},
      {"min", "s32", 4, [=](auto a, auto b) { return std::min(s(a), s(b)); }},
      {"max", "u32", 4, [=](auto a, auto b) { return std::max(u(a), u(b)); }},
      {"max", "s32", 4, [=](auto a, auto b) { return std::max(s(a), s(b)); }},
      {"max", "u64", 8, [](uint64_t a, uint64_t b) { return std::max(a, b); }},
      {"and", "b32", 4, [](uint64_t a, uint64_t b) { return a & b; }},
      {"or", "b32", 4, [](uint64_t a, uint64_t b) { return a | b; }},
      {"xor", "b64", 8, [](uint64_t a, uint64_t b) { return a ^ b; }},
      {"inc", "u32", 4,
       [=](auto a, auto b) { return u(a) >= u(b) ? 0 : u(a) + 1; }},
      {"dec", "u32", 4,
       [=](auto a, auto b) {
         return u(a) == 0 || u(a) > u(b) ? u(b) : u(a) - 1;
       }},
  };
}

HopperProgram makeReduction(const Reduction &reduction, Random &random) {
  constexpr uint32_t bytes = 512;
  HopperProgram program;
  program.name =
      std::string("reduce_") + reduction.operation + "_" + reduction.type;
  program.input = randomBytes(bytes, random);
  program.expected.assign(bytes, outputFill);
  for (uint32_t i = 0; i < bytes; i += reduction.bytes) {
    uint64_t old = 0, value = 0;
    std::memcpy(&old, &program.expected[i], reduction.bytes);
    std::memcpy(&value, &program.input[i], reduction.bytes);
    old = reduction.combine(old, value);
    std::memcpy(&program.expected[i], &old, reduction.bytes);
  }
  program.text =
      head(program.name, bytes, /*hasMap=*/false) +
      copyWords(0, bytes, /*isIn=*/true) +
      "fence.proxy.async.shared::cta;\nbar.sync 0;\n"
      "@%leader cp.reduce.async.bulk.global.shared::cta.bulk_group." +
      reduction.operation + "." + reduction.type + " [%out], [tile], " +
      number(bytes) + ";\n" + waitForStores + "ret;\n}\n";
  return program;
}

} // namespace

HopperProgram hopper::makeShiftedBox(bool isStore) {
  Random random(1);
  BoxCopy copy = drawBox(2, tensorTypes[4], /*swizzle=*/0, random);
  ++copy.coordinates[0];
  return isStore ? makeStore(beginInside(copy), "shifted_store", random)
                 : makeLoad(copy, "shifted_load", random);
}

HopperProgram hopper::makeStoreBelow(unsigned dimension) {
  Random random(1);
  BoxCopy copy = beginInside(drawBox(3, tensorTypes[4], /*swizzle=*/0, random));
  copy.coordinates[dimension] = dimension ? -1 : -8;
  return makeStore(copy, "below_store", random);
}

HopperProgram hopper::makeStoreBehind() {
  Random random(1);
  BoxCopy copy = drawBox(1, tensorTypes[4], /*swizzle=*/0, random);
  copy.map.shape[0] = copy.map.box[0] - 3;
  copy.coordinates[0] = 0;
  HopperProgram program = makeStore(copy, "behind_store", random);
  program.expected.resize(copy.tensorBytes());
  return program;
}

HopperProgram hopper::makeRoundingStore() {
  Random random(1);
  const TensorType &type = tensorTypes[7];
  return makeStore(beginInside(drawBox(2, type, /*swizzle=*/0, random)),
                   "rounding_store", random);
}

std::vector<HopperProgram> hopper::boxLoads() {
  return makeBoxes("load", 4, /*rounds=*/true,
                   [](BoxCopy copy, const std::string &name, Random &random) {
                     return makeLoad(copy, name, random);
                   });
}

std::vector<HopperProgram> hopper::boxLoadsByMadeMaps() {
  return makeBoxes("made", 2, /*rounds=*/true,
                   [](BoxCopy copy, const std::string &name, Random &random) {
                     copy.map.fill =
                         copy.type.nan && !copy.type.isTf32 && random.flip();
                     return makeLoad(copy, name, random, /*isMapMade=*/true);
                   });
}

std::vector<HopperProgram> hopper::boxLoadsWithNan() {
  return makeBoxes("nan", 1, /*rounds=*/false,
                   [](BoxCopy copy, const std::string &name, Random &random) {
                     copy.map.fill = copy.type.nan != 0;
                     return makeLoad(copy, name, random);
                   });
}

std::vector<HopperProgram> hopper::boxStores() {
  return makeBoxes("store", 3, /*rounds=*/false,
                   [](BoxCopy copy, const std::string &name, Random &random) {
                     return makeStore(beginInside(copy), name, random);
                   });
}

std::vector<HopperProgram> hopper::rangeCopies() {
  std::vector<HopperProgram> programs;
  Random random(1);
  for (uint32_t bytes : {16, 32, 48, 512, 4096, 32768}) {
    programs.push_back(makeRangeLoad(bytes, random));
    programs.push_back(makeRangeStore(bytes, random));
  }
  for (const Reduction &reduction : allReductions())
    programs.push_back(makeReduction(reduction, random));
  programs.push_back(makeRoundTrip());
  return programs;
}
