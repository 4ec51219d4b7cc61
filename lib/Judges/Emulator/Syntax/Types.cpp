// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and widths of types, state spaces and special registers.

#include "lib/Judges/Emulator/Syntax/Types.h"

#include <charconv>
#include <utility>

using namespace tilewright::emulator;

unsigned tilewright::emulator::bitWidth(DataType type) {
  switch (type) {
  case DataType::Predicate:
    return 1;
  case DataType::B8:
  case DataType::U8:
  case DataType::S8:
    return 8;
  case DataType::B16:
  case DataType::U16:
  case DataType::S16:
  case DataType::F16:
  case DataType::BF16:
    return 16;
  case DataType::B32:
  case DataType::U32:
  case DataType::S32:
  case DataType::F16x2:
  case DataType::BF16x2:
  case DataType::F32:
    return 32;
  case DataType::B64:
  case DataType::U64:
  case DataType::S64:
  case DataType::F64:
    return 64;
  case DataType::B128:
    return 128;
  }
  return 0;
}

std::optional<DataType>
tilewright::emulator::dataTypeNamed(std::string_view name) {
  static constexpr std::pair<std::string_view, DataType> types[] = {
      {"b32", DataType::B32},        {"b64", DataType::B64},
      {"pred", DataType::Predicate}, {"b16", DataType::B16},
      {"b8", DataType::B8},          {"u64", DataType::U64},
      {"u32", DataType::U32},        {"f32", DataType::F32},
      {"f64", DataType::F64},        {"u8", DataType::U8},
      {"u16", DataType::U16},        {"s8", DataType::S8},
      {"s16", DataType::S16},        {"s32", DataType::S32},
      {"s64", DataType::S64},        {"f16", DataType::F16},
      {"f16x2", DataType::F16x2},    {"bf16", DataType::BF16},
      {"bf16x2", DataType::BF16x2},  {"b128", DataType::B128},
  };
  for (const auto &[text, type] : types)
    if (text == name)
      return type;
  return std::nullopt;
}

std::optional<StateSpace>
tilewright::emulator::stateSpaceNamed(std::string_view name) {
  static constexpr std::pair<std::string_view, StateSpace> spaces[] = {
      {"param", StateSpace::Parameter}, {"shared", StateSpace::Shared},
      {"global", StateSpace::Global},   {"const", StateSpace::Constant},
      {"local", StateSpace::Local},
  };
  for (const auto &[text, space] : spaces)
    if (text == name)
      return space;
  return std::nullopt;
}

/// Whether it is one of "STEM0" to "STEM<limit - 1>".
static bool isNumbered(std::string_view name, std::string_view stem,
                       unsigned limit) {
  if (!name.starts_with(stem))
    return false;
  name.remove_prefix(stem.size());
  unsigned number = 0;
  auto [stop, problem] =
      std::from_chars(name.data(), name.data() + name.size(), number);
  bool isWhole = problem == std::errc() && stop == name.data() + name.size();
  return isWhole && number < limit && (name.size() == 1 || name[0] != '0');
}

bool tilewright::emulator::isSpecialRegister(std::string_view name) {
  static constexpr std::string_view vectors[] = {
      "tid",       "ntid",       "ctaid",         "nctaid",
      "clusterid", "nclusterid", "cluster_ctaid", "cluster_nctaid"};
  static constexpr std::string_view scalars[] = {"laneid",
                                                 "warpid",
                                                 "nwarpid",
                                                 "smid",
                                                 "nsmid",
                                                 "gridid",
                                                 "is_explicit_cluster",
                                                 "cluster_ctarank",
                                                 "cluster_nctarank",
                                                 "lanemask_eq",
                                                 "lanemask_le",
                                                 "lanemask_lt",
                                                 "lanemask_ge",
                                                 "lanemask_gt",
                                                 "clock",
                                                 "clock_hi",
                                                 "clock64",
                                                 "globaltimer",
                                                 "globaltimer_lo",
                                                 "globaltimer_hi",
                                                 "reserved_smem_offset_begin",
                                                 "reserved_smem_offset_end",
                                                 "reserved_smem_offset_cap",
                                                 "total_smem_size",
                                                 "aggr_smem_size",
                                                 "dynamic_smem_size",
                                                 "current_graph_exec"};
  for (std::string_view scalar : scalars)
    if (name == scalar)
      return true;
  std::string_view stem = name.substr(0, name.find('.'));
  std::string_view element = name.substr(stem.size());
  for (std::string_view vector : vectors)
    if (stem == vector)
      return element.empty() || element == ".x" || element == ".y" ||
             element == ".z" || element == ".w";
  bool isWideCounter = name.starts_with("pm") && name.ends_with("_64");
  return isNumbered(name, "envreg", 32) ||
         isNumbered(name, "reserved_smem_offset_", 2) ||
         isNumbered(isWideCounter ? name.substr(0, name.size() - 3) : name,
                    "pm", 8);
}
