// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Judges/Emulator/Machine/MatrixDecode.h"

#include <charconv>

using namespace tilewright::emulator;

std::optional<MatrixType>
tilewright::emulator::takeMatrixType(DecodeContext &context) {
  std::string_view text = context.rest();
  static const std::unordered_map<std::string_view, MatrixType> types = {
      {"f16", MatrixType::F16},   {"bf16", MatrixType::BF16},
      {"tf32", MatrixType::TF32}, {"f32", MatrixType::F32},
      {"f64", MatrixType::F64},   {"e4m3", MatrixType::E4M3},
      {"e5m2", MatrixType::E5M2}, {"s8", MatrixType::S8},
      {"u8", MatrixType::U8},     {"s4", MatrixType::S4},
      {"u4", MatrixType::U4},     {"b1", MatrixType::B1},
      {"s32", MatrixType::S32}};
  auto found = types.find(text);
  if (found == types.end() || !context.take(text))
    return std::nullopt;
  return found->second;
}

bool tilewright::emulator::takeMatrixShape(DecodeContext &context,
                                           std::array<uint32_t, 3> &sizes) {
  constexpr char letters[] = {'m', 'n', 'k'};
  std::string_view text = context.rest();
  const char *at = text.data(), *end = text.data() + text.size();
  for (unsigned i = 0; i < sizes.size(); ++i) {
    if (at == end || *at != letters[i])
      return false;
    auto [next, failure] = std::from_chars(at + 1, end, sizes[i]);
    if (failure != std::errc())
      return false;
    at = next;
  }
  return at == end && context.take(text);
}
