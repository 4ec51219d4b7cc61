// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/F2.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace tilewright::layout::f2 {

Span::Span(std::span<const uint64_t> vectors) {
  for (uint64_t vector : vectors)
    add(vector);
}

uint64_t Span::reduce(uint64_t vector) const {
  // From the highest leading bit down: no later basis vector sets it again.
  for (const uint64_t *it = echelon.end(); it != echelon.begin();) {
    --it;
    vector = std::min(vector, vector ^ *it);
  }
  return vector;
}

bool Span::add(uint64_t vector) {
  vector = reduce(vector);
  if (!vector)
    return false;
  uint64_t lead = std::bit_floor(vector);
  for (uint64_t &other : echelon)
    if (other & lead)
      other ^= vector;
  echelon.insert(std::lower_bound(echelon.begin(), echelon.end(), vector),
                 vector);
  return true;
}

System::System(std::span<const uint64_t> columns) {
  assert(columns.size() <= 64 && "at most 64 columns");
  for (size_t index = 0; index < columns.size(); ++index) {
    Row row = reduce({columns[index], uint64_t(1) << index});
    if (!row.image)
      null.add(row.preimage);
    else
      rows.insert(
          std::find_if(rows.begin(), rows.end(),
                       [&](const Row &r) { return r.image < row.image; }),
          row);
  }
}

System::Row System::reduce(Row row) const {
  for (const Row &pivot : rows)
    if (row.image & std::bit_floor(pivot.image)) {
      row.image ^= pivot.image;
      row.preimage ^= pivot.preimage;
    }
  return row;
}

std::optional<uint64_t> System::solve(uint64_t b) const {
  Row row = reduce({b, 0});
  if (row.image)
    return std::nullopt;
  return row.preimage;
}

uint64_t apply(std::span<const uint64_t> columns, uint64_t x) {
  assert((columns.size() >= 64 || x >> columns.size() == 0) &&
         "a value has more bits than the matrix has columns");
  uint64_t sum = 0;
  for (; x; x &= x - 1)
    sum ^= columns[std::countr_zero(x)];
  return sum;
}

std::vector<uint64_t> intersection(std::span<const uint64_t> a,
                                   std::span<const uint64_t> b) {
  // What of b lies in a: the sums of b's basis that leave nothing modulo a.
  Span first(a);
  std::vector<uint64_t> second = Span(b).basis();
  std::vector<uint64_t> residues;
  for (uint64_t vector : second)
    residues.push_back(first.reduce(vector));
  Span result;
  for (uint64_t sum : System(residues).kernel())
    result.add(apply(second, sum));
  return std::move(result).basis();
}

std::vector<uint64_t> extension(std::span<const uint64_t> vectors,
                                std::span<const uint64_t> candidates) {
  Span span(vectors);
  std::vector<uint64_t> result;
  for (uint64_t candidate : candidates)
    if (span.add(candidate))
      result.push_back(candidate);
  return result;
}

std::vector<uint64_t> complement(std::span<const uint64_t> vectors,
                                 unsigned bits) {
  std::vector<uint64_t> units;
  for (unsigned bit = 0; bit < bits; ++bit)
    units.push_back(uint64_t(1) << bit);
  return extension(vectors, units);
}

} // namespace tilewright::layout::f2
