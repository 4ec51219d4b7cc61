// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Conversions/MatrixTable.h"

#include "dialects/Layout/Encodings.h"
#include "test/Conversions/Trial.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilewright;
using namespace tilewright::conversions;
using layout::Fragment;
using layout::LinearLayout;

namespace {

struct NamedFragment {
  const char *name;
  Fragment fragment;
};

constexpr NamedFragment accumulators[] = {{"m16n8", Fragment::M16N8},
                                          {"m8n8", Fragment::M8N8},
                                          {"m8n8k4", Fragment::M8N8K4},
                                          {"m8n8k4f16", Fragment::M8N8K4F16}};

/// An instruction's operands: their width, and log2 of the elements of a
/// register.
struct NamedOperand {
  const char *name;
  Fragment fragment;
  unsigned elementBits, widthBits;
};

constexpr NamedOperand operands[] = {
    {"m16n8", Fragment::M16N8, 8, 2},   {"m16n8", Fragment::M16N8, 16, 1},
    {"m16n8", Fragment::M16N8, 32, 0},  {"m16n8", Fragment::M16N8, 64, 0},
    {"m8n8", Fragment::M8N8, 8, 2},     {"m8n8", Fragment::M8N8, 64, 0},
    {"m8n8k4", Fragment::M8N8K4, 16, 1}};

/// A tensor and the warps that share it.
struct Problem {
  std::vector<unsigned> shape, warps;
};
const Problem tall = {{6, 5}, {2, 0}}, wide = {{5, 6}, {0, 2}};

/// Appends one conversion after the others.
class Lister {
public:
  explicit Lister(const target::Target &target) : target(target) {}

  void add(const Problem &problem, std::string from, const LinearLayout &source,
           std::string to, const LinearLayout &destination,
           unsigned elementBits) {
    ConversionCase conversion;
    conversion.number = list.size();
    conversion.target = &target;
    conversion.elementBits = elementBits;
    conversion.from = conversion.to = 0;
    conversion.tensor = {problem.shape[0], problem.shape[1],
                         problem.warps[0] + problem.warps[1]};
    conversion.source = source;
    conversion.destination = destination;
    list.push_back({std::move(from), std::move(to), std::move(conversion)});
  }

  std::vector<NamedConversion> list;

private:
  const target::Target &target;
};

} // namespace

std::vector<NamedConversion>
conversions::listMatrixConversions(const target::Target &target) {
  Lister lister(target);
  auto accumulator = [](Fragment fragment, const Problem &problem) {
    return layout::mmaAccumulator(fragment, problem.warps, problem.shape);
  };
  for (const NamedFragment &from : accumulators) {
    for (const NamedFragment &to : accumulators)
      for (unsigned bits : {16, 32})
        if (from.fragment != to.fragment)
          lister.add(tall, from.name, accumulator(from.fragment, tall), to.name,
                     accumulator(to.fragment, tall), bits);
    for (const NamedOperand &to : operands)
      for (unsigned index : {0, 1}) {
        const Problem &problem = index ? wide : tall;
        lister.add(problem, from.name, accumulator(from.fragment, problem),
                   std::string(to.name) + (index ? " right" : " left"),
                   layout::mmaOperand(to.fragment, index, to.widthBits,
                                      problem.warps, problem.shape),
                   to.elementBits);
      }
  }
  return std::move(lister.list);
}

/// The name without what all of its kind have.
static std::string shorten(llvm::StringRef name) {
  std::string text;
  for (llvm::StringRef part : llvm::split(name, '.')) {
    bool isUsual = part == "sync" || part == "aligned" || part == "m8n8" ||
                   (part == "b16" && name.contains("matrix")) ||
                   (part == "shared" && name.contains("matrix"));
    if (!isUsual)
      text += (text.empty() ? "" : ".") + part.str();
  }
  return text;
}

/// "2 ldmatrix.x4, 4 st.shared.v4.b32".
static std::string describeInstructions(const Outcome &outcome) {
  std::string text;
  for (const auto &[name, count] : outcome.instructions)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " +
            shorten(name);
  return text.empty() ? "nothing" : text;
}

unsigned conversions::printMatrixTable(const target::Target &target) {
  std::vector<NamedConversion> list = listMatrixConversions(target);
  std::vector<ConversionCase> cases;
  for (const NamedConversion &named : list)
    cases.push_back(named.conversion);
  std::vector<Outcome> outcomes = runTrial(cases);
  unsigned failures = 0;
  llvm::outs() << target.name << "\n";
  for (size_t index = 0; index < list.size(); ++index) {
    const Outcome &outcome = outcomes[index];
    llvm::outs() << llvm::formatv(
        "{0,-9} -> {1,-12} {2,2} bits  {3,-21} {4}\n", list[index].from,
        list[index].to, list[index].conversion.elementBits,
        layout::meansName(outcome.means), describeInstructions(outcome));
    if (outcome.problem.empty())
      continue;
    ++failures;
    llvm::outs() << "  " << outcome.problem;
  }
  return failures;
}
