// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops with what they carry, branches, and early returns. Numbers of
// iterations are known to the generator, not always to the compiler.

#include "test/Random/KernelWriter.h"

#include <algorithm>
#include <cmath>

using namespace tilewright;
using namespace tilewright::fuzz;

/// Regions within each other.
static constexpr unsigned maximumDepth = 2;

//===----------------------------------------------------------------------===//
// Carried values
//===----------------------------------------------------------------------===//

KernelWriter::Carried KernelWriter::makeCarriedPointers(unsigned trips) {
  Carried carried;
  carried.kind = Carried::Kind::Pointers;
  ValueType type{pickElement(), pickShape(1024)};
  Access access = makeAccess(type.shape, /*isInjective=*/false);
  carried.element = type.element;
  carried.step = 1 + pick(40);
  // The pointers of the last iteration are advanced, but not used.
  std::string buffer =
      addBuffer(type.element,
                access.getLimit() + 1 + carried.step * (trips ? trips - 1 : 0),
                false, 0.0);
  carried.initial = makePointers(buffer, type.element, access, type.shape);
  carried.initial.range = getLoadedRange(buffer, type.element);
  return carried;
}

std::optional<KernelWriter::Carried> KernelWriter::makeCarried(unsigned trips) {
  Carried carried;
  carried.kind = pickFrom<Carried::Kind>(
      {Carried::Kind::Integer, Carried::Kind::Clamped, Carried::Kind::Sum,
       Carried::Kind::Product, Carried::Kind::Pointers});
  switch (carried.kind) {
  case Carried::Kind::Integer:
    carried.initial = getInteger(/*allowsBool=*/true);
    return carried;
  case Carried::Kind::Clamped:
  case Carried::Kind::Sum:
    carried.initial = makeSmall(getFloat());
    return carried;
  case Carried::Kind::Product:
    carried.form = pickDotForm();
    carried.inner = oneIn(4) ? 1 << pick(6) : 16 << pick(2);
    carried.initial =
        makeConstant({carried.form.accumulator, pickDotShape()}, pick(3));
    return carried;
  case Carried::Kind::Pointers:
    return makeCarriedPointers(trips);
  }
  return std::nullopt;
}

/// What the loop's body may use of it. Sums are not seen before their end, so
/// that their bounds are those of the last iteration.
static bool isVisible(int kind) { return kind == 0 || kind == 1; }

std::string KernelWriter::writeNext(Carried &carried, unsigned trips) {
  const ValueType &type = carried.inside.type;
  switch (carried.kind) {
  case Carried::Kind::Integer:
    return get(type).name;
  case Carried::Kind::Clamped:
    return makeSmall(get(type)).name;
  case Carried::Kind::Sum: {
    Value term = makeSmall(get(type));
    Range sum{carried.initial.range.magnitude + trips * term.range.magnitude,
              0.0, true};
    if (!sum.isExactIn(type.element))
      return carried.inside.name;
    carried.result.range = sum;
    return makeBinary("arith.addf", carried.inside, term).name;
  }
  case Carried::Kind::Product: {
    std::optional<Value> product =
        makeDot(carried.form, carried.inside, carried.inner, trips);
    if (!product)
      return carried.inside.name;
    carried.result.range = product->range;
    return product->name;
  }
  case Carried::Kind::Pointers: {
    ValueType offsets{"i32", type.shape};
    Value step = makeSplat(makeScalar(carried.step), type.shape);
    return make(type, "tt.addptr " + carried.inside.name + ", " + step.name +
                          " : " + type.str() + ", " + offsets.str())
        .name;
  }
  }
  return carried.inside.name;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void KernelWriter::writeFor() {
  if (depth >= maximumDepth)
    return;
  Loop loop;
  loop.type = {oneIn(4) ? "i64" : "i32", {}};
  loop.first = pick(4);
  loop.step = 1 + pick(3);
  loop.trips = pick(5);
  int64_t end = loop.first + loop.step * loop.trips;
  if (loop.trips)
    end -= pick(loop.step);
  auto makeBound = [&](int64_t value) {
    return loop.type.element == "i64" ? makeConstant(loop.type, value)
                                      : makeScalar(value);
  };
  Value first = makeBound(loop.first), last = makeBound(end),
        step = makeBound(loop.step);
  std::vector<Carried> all;
  for (unsigned count = pick(4); all.size() < count;)
    if (std::optional<Carried> carried = makeCarried(loop.trips))
      all.push_back(*carried);
  loop.variable = newName();
  std::string names, arguments, types;
  for (Carried &carried : all) {
    carried.inside = carried.result = carried.initial;
    carried.inside.name = newName();
    carried.result.name = newName();
    if (carried.kind == Carried::Kind::Clamped)
      carried.inside.range = carried.result.range = {8.0, 0.0, true};
    std::string comma = names.empty() ? "" : ", ";
    names += comma + carried.result.name;
    arguments += comma + carried.inside.name + " = " + carried.initial.name;
    types += comma + carried.initial.type.str();
  }
  emit((all.empty() ? "" : names + " = ") + "scf.for " + loop.variable + " = " +
       first.name + " to " + last.name + " step " + step.name +
       (all.empty() ? "" : " iter_args(" + arguments + ") -> (" + types + ")") +
       " : " + loop.type.str() + " {");
  size_t visible = pool.size();
  ++depth;
  loops.push_back(loop);
  keep({loop.variable, loop.type, {}});
  for (Carried &carried : all) {
    if (isVisible(int(carried.kind)))
      keep(carried.inside);
    if (carried.kind == Carried::Kind::Pointers) {
      ValueType type = carried.inside.type.with(carried.element);
      keep(make(type, makeLoadText(carried.inside, type, "", ""),
                carried.initial.range));
    }
  }
  writeOps(1 + pick(6));
  if (oneIn(3) && loop.trips)
    writeStore(pool.back());
  std::string yielded;
  for (Carried &carried : all)
    yielded += (yielded.empty() ? "" : ", ") + writeNext(carried, loop.trips);
  if (!all.empty())
    emit("scf.yield " + yielded + " : " + types);
  loops.pop_back();
  --depth;
  emit("}");
  pool.resize(visible);
  for (const Carried &carried : all)
    if (carried.kind != Carried::Kind::Pointers)
      keep(carried.result);
}

/// Counts up to a number that is known only when the kernel runs.
void KernelWriter::writeWhile() {
  if (depth >= maximumDepth)
    return;
  ValueType i32{"i32", {}};
  Value start = makeScalar(0), limit = makeScalar(pick(4));
  Value initial = getInteger(/*allowsBool=*/true);
  std::string type = initial.type.str();
  std::string count = newName(), value = newName(), isMore = newName(),
              resultCount = newName(), next = newName();
  Value loopResult{newName(), initial.type, {}};
  emit(resultCount + ", " + loopResult.name + " = scf.while (" + count + " = " +
       start.name + ", " + value + " = " + initial.name + ") : (i32, " + type +
       ") -> (i32, " + type + ") {");
  emit("  " + isMore + " = arith.cmpi slt, " + count + ", " + limit.name +
       " : i32");
  emit("  scf.condition(" + isMore + ") " + count + ", " + value + " : i32, " +
       type);
  emit("} do {");
  Value insideCount{newName(), i32, {}}, inside{newName(), initial.type, {}};
  emit("^bb0(" + insideCount.name + ": i32, " + inside.name + ": " + type +
       "):");
  size_t visible = pool.size();
  ++depth;
  keep(insideCount);
  keep(inside);
  writeOps(1 + pick(4));
  Value yielded = get(initial.type);
  Value one = makeConstant(i32, 1);
  emit(next + " = arith.addi " + insideCount.name + ", " + one.name + " : i32");
  emit("scf.yield " + next + ", " + yielded.name + " : i32, " + type);
  --depth;
  emit("}");
  pool.resize(visible);
  keep({resultCount, i32, {}});
  keep(loopResult);
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// Writes a region that gives values of the results' types; widens `ranges` by
/// theirs.
std::string KernelWriter::writeBranch(const std::vector<Value> &results,
                                      std::vector<Range> &ranges) {
  size_t visible = pool.size();
  ++depth;
  writeOps(pick(5));
  if (oneIn(3) && !pool.empty())
    writeStore(pool.back());
  std::string names, types;
  for (size_t index = 0; index < results.size(); ++index) {
    Value value = get(results[index].type);
    Range &range = ranges[index];
    range.magnitude = std::max(range.magnitude, value.range.magnitude);
    range.error = std::max(range.error, value.range.error);
    range.isInteger &= value.range.isInteger;
    names += (index ? ", " : "") + value.name;
    types += (index ? ", " : "") + value.type.str();
  }
  if (!results.empty())
    emit("scf.yield " + names + " : " + types);
  --depth;
  pool.resize(visible);
  return types;
}

void KernelWriter::writeIf() {
  // A store in a branch would be one of several in a loop that counts unknown.
  if (depth >= maximumDepth)
    return;
  Value condition = getCondition({});
  std::vector<Value> results;
  std::string names, types;
  for (unsigned count = pick(3); results.size() < count;) {
    std::optional<Value> like = find([](const Value &) { return true; });
    results.push_back({newName(), like->type, {}});
    types += (names.empty() ? "" : ", ") + like->type.str();
    names += (names.empty() ? "" : ", ") + results.back().name;
  }
  emit((results.empty() ? "" : names + " = ") + "scf.if " + condition.name +
       (results.empty() ? "" : " -> (" + types + ")") + " {");
  std::vector<Range> ranges(results.size(), Range{0.0, 0.0, true});
  writeBranch(results, ranges);
  if (!results.empty() || oneIn(2)) {
    emit("} else {");
    writeBranch(results, ranges);
  }
  emit("}");
  for (size_t index = 0; index < results.size(); ++index) {
    results[index].range = ranges[index];
    keep(results[index]);
  }
}

/// Some programs end here.
void KernelWriter::writeEarlyReturn() {
  Value condition = getCondition({});
  emit("cf.cond_br " + condition.name + ", ^end, ^rest");
  emit("^end:");
  emit("tt.return");
  emit("^rest:");
}
