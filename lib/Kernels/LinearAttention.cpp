// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators of linear attention: their words, configurations and launches.

#include "lib/Kernels/LinearAttention.h"

#include <algorithm>
#include <cmath>

using namespace tilewright;
using namespace tilewright::kernels;
using namespace tilewright::kernels::linear;

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

namespace {

/// The numbers of a configuration's tile: tokens of a chunk (1: token by
/// token), columns of the values, launches. Its split: parts of a sequence,
/// which take a launch more.
class LinearProblem : public Problem {
public:
  LinearProblem(Signature signature, Parameters parameters)
      : signature(std::move(signature)), p(parameters) {}
  std::vector<Configuration> configurations() const override;
  std::vector<Kernel> kernels(const Configuration &c) const override;
  bool recompute(NamedArrays &tensors) const override {
    recur(signature, p, tensors);
    return true;
  }

private:
  int64_t value(unsigned number) const {
    return signature.numbers[number].integer();
  }
  int64_t sequences() const { return p.sequences.value_or(value(p.batch)); }
  int64_t chunks(int64_t size) const;
  int64_t pairsBytes(int64_t chunk, int64_t channels) const;
  int64_t scanBytes(const Configuration &c) const;
  bool fits(const Configuration &c) const;
  void addWorkspaces(Signature &all, Parameters &of, int64_t chunk) const;
  Kernel preparation(const Signature &all, const Parameters &of,
                     const Configuration &c) const;
  void addParts(Signature &all, Parameters &of, int64_t parts) const;
  Kernel partSums(const Signature &all, const Parameters &of,
                  Configuration c) const;
  int64_t mostParts(const Configuration &c) const;
  static std::vector<bool> orientations(Rule rule, const Configuration &c);

  Signature signature;
  Parameters p;
};

} // namespace

/// Chunks that there can be: of packed sequences each may end within one.
int64_t LinearProblem::chunks(int64_t size) const {
  int64_t each = ceilDivide(value(p.tokens), size);
  return p.sequences ? each + sequences() : each;
}

/// What is kept between the launches has the type that its products take.
void LinearProblem::addWorkspaces(Signature &all, Parameters &of,
                                  int64_t chunk) const {
  ElementType type = signature.tensors[p.q].type;
  Number size{"chunk", ElementType::I32, double(chunk), true};
  unsigned number = all.add(size);
  auto add = [&](const char *name, unsigned columns) {
    return all.addTensor(name, type, Role::Workspace,
                         {p.batch, p.valueHeads, p.tokens, columns});
  };
  of.scores = add("scores", number);
  if (p.rule != Rule::Add)
    of.valueWeights = add("value_weights", number);
  if (p.rule == Rule::LowRank)
    of.lowScores = add("low_scores", number);
  if (p.gate == Gate::Token)
    for (auto [name, tensor] : {std::pair("decayed", &of.decayed),
                                std::pair("remaining", &of.remaining)})
      *tensor = all.addTensor(name, ElementType::F32, Role::Workspace,
                              {p.batch, p.valueHeads, p.tokens});
  if (p.gate != Gate::Channel)
    return all.fixStrides();
  of.decayedQueries = add("decayed_q", p.dim);
  of.decayedKeys = add("decayed_k", p.dim);
  if (p.rule != Rule::Add)
    of.stateWeights = add("state_weights", p.dim);
  if (p.rule == Rule::LowRank)
    of.decayedLow = add("decayed_b", p.dim);
  Number count{"chunks", ElementType::I32, double(chunks(chunk))};
  count.isDynamic = signature.numbers[p.tokens].isDynamic;
  of.factors = all.addTensor("factors", ElementType::F32, Role::Workspace,
                             {p.batch, p.valueHeads, all.add(count), p.dim});
  all.fixStrides();
}

/// As few warps as registers allow: what goes from one warp to another goes
/// through shared memory, which bounds these programs, and there are enough of
/// them. So more than 32 rows go by blocks of 32, unless channels have decays
/// of their own. Rows that decay element by element, in f32, leave a thread 16
/// elements of each tensor. A row's channels are 64 bytes at least: of 32 the
/// memory reads as many again that nobody needs yet (DPLR on an H100, 16
/// channels 348 us, 32 286, and 8 856).
Preparation linear::preparationOf(const Signature &signature,
                                  const Parameters &p, int64_t chunk) {
  ElementType type = signature.tensors[p.q].type;
  bool isOfChannels = p.gate == Gate::Channel;
  int64_t rowsPerWarp = isOfChannels && p.rule == Rule::LowRank ? 16 : 32;
  if (type == ElementType::F32)
    rowsPerWarp = 16;
  constexpr int64_t mostRows = 32;
  int64_t rows = isOfChannels ? chunk : std::min(chunk, mostRows);
  int64_t warps = std::max<int64_t>(rows / rowsPerWarp, 1);
  if (!isOfChannels)
    return {unsigned(warps), rows, p.dimTile};
  constexpr int64_t perThread = 16, leastBytes = 64;
  int64_t channels = std::max(perThread * 32 * warps / chunk,
                              leastBytes / int64_t(run::byteSize(type)));
  return {unsigned(warps), rows, std::min(channels, p.dimTile)};
}

/// Shared memory that the products of a chunk's rows take: operands, in f32
/// where they decay one by one, and blocks of the inverse.
int64_t LinearProblem::pairsBytes(int64_t chunk, int64_t channels) const {
  bool isWide = p.gate == Gate::Channel;
  int64_t size = isWide ? 4 : run::byteSize(signature.tensors[p.q].type);
  int64_t operands = p.rule == Rule::LowRank ? 4 : 2;
  int64_t inverse = p.rule == Rule::Add ? 0 : 4 * chunk * chunk;
  return operands * chunk * channels * size + inverse;
}

/// Shared memory that an iteration over the chunks takes, its loads included:
/// pairs, what meets the state, values, and the state.
int64_t LinearProblem::scanBytes(const Configuration &c) const {
  int64_t chunk = c.tile[0], columns = c.tile[1];
  if (chunk == 1)
    return 0;
  bool isLowRank = p.rule == Rule::LowRank;
  int64_t pairs = isLowRank ? 3 : p.rule == Rule::Delta ? 2 : 1;
  int64_t operands = isLowRank ? 4 : p.gate == Gate::Channel ? 3 : 2;
  int64_t size = run::byteSize(signature.tensors[p.q].type);
  int64_t bytes = size * (pairs * chunk * chunk + operands * chunk * p.dimTile +
                          (chunk + p.dimTile) * columns);
  return c.tile[2] == 2 ? bytes : std::max(bytes, pairsBytes(chunk, p.dimTile));
}

Kernel LinearProblem::preparation(const Signature &all, const Parameters &of,
                                  const Configuration &c) const {
  int64_t places = chunks(c.tile[0]) * (p.sequences ? 1 : sequences());
  Preparation by = preparationOf(signature, p, c.tile[0]);
  // Two blocks of channels are on their way while one is computed.
  constexpr unsigned preparationStages = 3;
  Kernel kernel{
      "linear_attention_chunks", all, {places * value(p.valueHeads)}, by.warps,
      preparationStages,         {}};
  kernel.text = [of, c, by](Reading &k) { prepareChunks(k, of, c, by); };
  kernel.sharedBytes = pairsBytes(c.tile[0], by.channels);
  kernel.touchesSome = true;
  return kernel;
}

/// What the parts of a sequence add to the state.
void LinearProblem::addParts(Signature &all, Parameters &of,
                             int64_t parts) const {
  unsigned rows = p.batch;
  if (p.sequences)
    rows = all.add(
        {"part_sequences", ElementType::I32, double(*p.sequences), true});
  Number number{"parts", ElementType::I32, double(parts), true};
  std::vector<unsigned> sizes = {rows, p.valueHeads, all.add(number), p.dim};
  if (p.rule == Rule::Add && p.gate != Gate::None)
    of.partFactors =
        all.addTensor("part_factors", ElementType::F32, Role::Workspace, sizes);
  sizes.push_back(p.valueDim);
  of.partStates =
      all.addTensor("part_states", ElementType::F32, Role::Workspace, sizes);
  all.fixStrides();
}

/// Where a rule only adds, few programs of many columns, which read the keys as
/// few times; else the scan's own.
Kernel LinearProblem::partSums(const Signature &all, const Parameters &of,
                               Configuration c) const {
  constexpr int64_t columns = 64;
  int64_t valueDim = value(p.valueDim);
  if (p.rule == Rule::Add) {
    c.tile[1] = std::clamp<int64_t>(ceilPowerOfTwo(valueDim), 16, columns);
    c.warps = std::clamp<int64_t>(p.dimTile * c.tile[1] / 2048, 1, 4);
  }
  int64_t programs =
      sequences() * value(p.valueHeads) * ceilDivide(valueDim, c.tile[1]);
  Kernel kernel{"linear_attention_parts",
                all,
                {programs, p.rule == Rule::Add ? c.split - 1 : 1},
                c.warps,
                c.stages,
                {}};
  kernel.text = [of, c, valueDim](Reading &k) { sumParts(k, of, c, valueDim); };
  kernel.sharedBytes = run::byteSize(signature.tensors[p.q].type) *
                       (p.dimTile + c.tile[1]) * c.tile[0];
  kernel.touchesSome = true;
  return kernel;
}

std::vector<Kernel> LinearProblem::kernels(const Configuration &c) const {
  Signature all = signature;
  Parameters of = p;
  of.isTransposed = c.isTransposed;
  std::vector<Kernel> result;
  if (c.tile[2] == 2)
    addWorkspaces(all, of, c.tile[0]);
  if (c.split > 1)
    addParts(all, of, c.split);
  if (c.tile[2] == 2)
    result.push_back(preparation(all, of, c));
  if (c.split > 1)
    result.push_back(partSums(all, of, c));
  int64_t valueDim = value(p.valueDim);
  int64_t programs =
      sequences() * value(p.valueHeads) * ceilDivide(valueDim, c.tile[1]);
  Grid grid = {programs};
  if (c.split > 1)
    grid = {programs, c.split};
  Kernel main{"linear_attention", std::move(all), grid, c.warps, c.stages, {}};
  main.text = [of, c, valueDim](Reading &k) {
    c.tile[0] == 1 ? steps(k, of, c, valueDim) : scanChunks(k, of, c, valueDim);
  };
  main.sharedBytes = scanBytes(c);
  main.touchesSome = !result.empty();
  result.push_back(std::move(main));
  return withPrograms(std::move(result));
}

/// Elements of f32 that a thread keeps: the state and the sums of a chunk.
bool LinearProblem::fits(const Configuration &c) const {
  int64_t threads = 32 * c.warps, chunk = c.tile[0], columns = c.tile[1];
  int64_t state = p.dimTile * columns;
  if (chunk == 1)
    return state <= 64 * threads && state >= 8 * threads;
  int64_t kept = state + 2 * chunk * columns + chunk * chunk;
  if (p.gate == Gate::Channel)
    kept += chunk * p.dimTile;
  // From 8 rows or columns of a warp on: with fewer, warps read the same
  // operands of the small products. Columns, where one product takes what
  // another one has made of them: else that goes from warp to warp each time
  // (Gated DeltaNet on an H200, 32 tokens and 16 columns: 486 us by 4 warps,
  // 342 by 2).
  int64_t most = c.isTransposed ? columns : std::max(chunk, columns);
  // As rows, of which a matrix instruction has 16 a warp, columns then keep the
  // state where it is; of longer chunks nothing else is worth it.
  int64_t least = c.isTransposed && chunk > 16 ? 16 : 8;
  return kept <= 160 * threads && most >= least * c.warps;
}

/// Whether tiles with the state's columns are transposed. Where a rule only
/// adds, nothing waits for a product of the state, and they are not. Where it
/// corrects, each product takes what the one before has made, and matrix units
/// take that from registers as their left operand alone: transposed, the state
/// and U go through no shared memory. But where warp groups multiply, operands
/// from shared memory leave the warps free meanwhile, and a tile of 64 tokens
/// needs no 64 columns: that may be better (Gated DeltaNet on an H100, chunks
/// of 64, 64 columns: 259 us transposed, 245 not; of 32: 245, by two groups
/// 284).
std::vector<bool> LinearProblem::orientations(Rule rule,
                                              const Configuration &c) {
  constexpr unsigned group = 4;
  constexpr int64_t columnsOfTwo = 128;
  if (rule == Rule::Add)
    return {false};
  bool isOfGroups =
      c.warps == group || (c.warps == 2 * group && c.tile[1] >= columnsOfTwo);
  if (isOfGroups && c.tile[0] > 16)
    return {true, false};
  return {true};
}

/// How many parts a sequence is cut into at most: where the rule only adds, as
/// many as have two chunks at least, and give a large GPU some programs a
/// multiprocessor; else, as the states between them are found one after the
/// other, as many as half of such a GPU has room for (Gated DeltaNet on an
/// H100, 64 programs: two parts take 291 us, one 273).
int64_t LinearProblem::mostParts(const Configuration &c) const {
  constexpr int64_t enoughPrograms = 640, fewPrograms = 64, chunksOfPart = 2;
  if (!sequences())
    return 1;
  int64_t programs = sequences() * value(p.valueHeads) *
                     ceilDivide(value(p.valueDim), c.tile[1]);
  int64_t tokens = value(p.tokens) / (p.sequences ? sequences() : 1);
  int64_t wanted = p.rule == Rule::Add ? enoughPrograms : fewPrograms;
  return std::min(wanted / std::max<int64_t>(programs, 1),
                  tokens / (c.tile[0] * chunksOfPart));
}

/// Token by token, or by chunks; the chunks' own products in the same launch or
/// in one before, where they are more than a dot.
std::vector<Configuration> LinearProblem::configurations() const {
  std::vector<Configuration> result = {{{1, 16, 1}, 1, 4, 1}};
  int64_t columns = std::max<int64_t>(ceilPowerOfTwo(value(p.valueDim)), 16);
  bool isOfChannels = p.gate == Gate::Channel;
  bool prepares = p.rule != Rule::Add || isOfChannels;
  // Rows that decay element by element fill the registers: a program has few
  // channels of 64 rows, and all of them, as one launch does, of 16. What
  // inverts 64 rows has no room for the state.
  auto isOffered = [&](int64_t chunk, int64_t launches) {
    if (p.rule != Rule::Add && chunk == 64)
      return launches == 2 && !isOfChannels;
    if (launches == 1)
      return !isOfChannels || chunk == 16;
    return prepares && (!isOfChannels || chunk < 64);
  };
  auto add = [&](Configuration c) {
    if (c.tile[1] <= columns && fits(c) &&
        std::find(result.begin(), result.end(), c) == result.end())
      result.push_back(c);
  };
  for (int64_t tile : {8, 16, 32, 64})
    for (unsigned warps : {1, 2, 4, 8})
      // Each number of a state is one thread's alone, which loads it before it
      // stores what may go to the same place.
      if (p.dimTile * tile >= 32 * warps)
        add({{1, tile, 1}, 1, warps, 1});
  // Only steps have the state after each token. Of a few tokens a chunk is
  // padding, and its products would round the state for nothing.
  constexpr int64_t fewTokens = 4;
  if (p.after || (!p.sequences && value(p.tokens) <= fewTokens))
    return result;
  // Two chunks ahead where the compiler finds room: a chunk of 16 tokens takes
  // less than memory does to answer (Gated DeltaNet on an H200, one ahead: 1320
  // cycles, of which it computes 900).
  for (int64_t chunk : {16, 32, 64})
    for (int64_t tile : {16, 32, 64, 128})
      for (int64_t launches : {1, 2})
        for (unsigned warps : {1, 2, 4, 8})
          if (isOffered(chunk, launches)) {
            Configuration c{{chunk, tile, launches}, 1, warps, 3};
            for (bool isTransposed : orientations(p.rule, c)) {
              c.isTransposed = isTransposed;
              c.split = 1;
              add(c);
              for (c.split = 2; c.split <= mostParts(c); c.split *= 2)
                add(c);
            }
          }
  return result;
}

//===----------------------------------------------------------------------===//
// From words
//===----------------------------------------------------------------------===//

namespace {

/// The words for GateForm and BetaForm, in their order.
const std::vector<std::string_view> gateForms = {"log", "softplus", "sigmoid",
                                                 "logsigmoid"};
const std::vector<std::string_view> betaForms = {"plain", "sigmoid",
                                                 "double_sigmoid"};

size_t indexOf(const std::vector<std::string_view> &words,
               std::string_view word) {
  return std::find(words.begin(), words.end(), word) - words.begin();
}

/// Makes the signature; stops at the first thing that is wrong.
class LinearMaker {
public:
  LinearMaker(const Options &options, Rule rule, Gate gate) : options(options) {
    p.rule = rule;
    p.gate = gate;
  }
  Result<std::unique_ptr<Problem>> run();

private:
  void addSizes();
  void addRows();
  void addTensors();
  void addGates(std::vector<unsigned> sizes);
  void addStates();
  unsigned add(const char *name, ElementType type, Role role,
               std::vector<unsigned> dimensions) {
    return addTensor(options, s, name, type, role, std::move(dimensions),
                     problem);
  }
  void promise(unsigned tensor, Content content) {
    s.tensors[tensor].content = content;
  }
  void expect(bool holds, std::string text) {
    if (!holds && problem)
      problem = Error{ErrorCode::InvalidArgument, std::move(text)};
  }

  const Options &options;
  Signature s;
  Parameters p;
  unsigned queries = 0; ///< Tokens, where p.tokens counts rows of updates.
  Result<void> problem = runtime::success();
};

} // namespace

void LinearMaker::addSizes() {
  p.batch = s.add(options.sizeNumber("batch"));
  queries = p.tokens = s.add(options.sizeNumber("tokens"));
  if (p.rule == Rule::Delta)
    addRows();
  p.heads = s.add(options.sizeNumber("heads"));
  int64_t heads = options.size("heads");
  Number valueHeads = options.sizeNumber("value_heads");
  if (valueHeads.value == 0)
    valueHeads.value = double(heads);
  p.valueHeads = s.add(valueHeads);
  p.dim = s.add(options.sizeNumber("dim"));
  p.valueDim = s.add(options.sizeNumber("value_dim"));
  expect(
      heads > 0 && valueHeads.integer() % heads == 0,
      "expects value_heads to be a multiple of heads=" + std::to_string(heads) +
          ", but got " + std::to_string(valueHeads.integer()));
  p.group = heads ? std::max<int64_t>(valueHeads.integer() / heads, 1) : 1;
  int64_t dim = options.size("dim"), valueDim = options.size("value_dim");
  expect(dim >= 1 && dim <= 256,
         "expects dim=1 to 256, but got " + std::to_string(dim));
  expect(valueDim >= 1 && valueDim <= 4096,
         "expects value_dim=1 to 4096, but got " + std::to_string(valueDim));
  p.dimTile =
      std::max<int64_t>(ceilPowerOfTwo(std::min<int64_t>(dim, 256)), 16);
  double scale = options.number("scale");
  if (scale == 0)
    scale = 1 / std::sqrt(double(std::max<int64_t>(dim, 1)));
  p.scale = s.add({"scale", ElementType::F32, scale});
  if (int64_t bounds = options.size("bounds"))
    p.sequences = bounds - 1;
  expect(!p.sequences || options.size("batch") == 1,
         "expects batch=1 of packed sequences, but got " +
             std::to_string(options.size("batch")));
}

/// Where a token has several rows of k, v and beta.
void LinearMaker::addRows() {
  const Number tokens = s.numbers[queries];
  p.updates = options.size("updates");
  expect(p.updates >= 1,
         "expects updates of 1 and more, but got " + std::to_string(p.updates));
  if (!problem)
    return;
  int64_t rows = tokens.integer() * p.updates;
  problem = checkDerived(options, "rows", rows, "tokens times updates");
  if (problem && p.updates > 1)
    p.tokens =
        s.add({"rows", ElementType::I32, double(rows), tokens.isDynamic});
}

void LinearMaker::addTensors() {
  ElementType type = options.type("type");
  std::vector<unsigned> asked = {p.batch, queries, p.heads, p.dim};
  std::vector<unsigned> keys = {p.batch, p.tokens, p.heads, p.dim};
  std::vector<unsigned> rows = {p.batch, p.tokens, p.valueHeads};
  std::vector<unsigned> gates = {p.batch, queries, p.valueHeads};
  std::vector<unsigned> values = rows, results = gates, channels = gates;
  values.push_back(p.valueDim);
  results.push_back(p.valueDim);
  channels.push_back(p.dim);
  p.q = add("q", type, Role::Input, asked);
  p.k = add("k", type, Role::Input, keys);
  p.v = add("v", type, Role::Input, values);
  p.out = add("out", type, Role::Output, results);
  // Of keys of a length of some 1 and less a state neither grows nor vanishes.
  double small =
      1 / std::sqrt(double(std::max<int64_t>(options.size("dim"), 1)));
  if (p.rule != Rule::Add)
    promise(p.k, {.low = -1.5 * small, .high = 1.5 * small});
  if (p.gate != Gate::None)
    addGates(p.gate == Gate::Head      ? std::vector<unsigned>{p.valueHeads}
             : p.gate == Gate::Channel ? channels
                                       : gates);
  if (p.rule == Rule::Delta) {
    p.beta = add("beta", options.type("beta_type"), Role::Input, rows);
    p.betaForm = BetaForm(indexOf(betaForms, options.choice("beta_form")));
    if (p.betaForm == BetaForm::Plain)
      promise(*p.beta, {.low = 0, .high = 1});
    else
      promise(*p.beta, {.low = -4, .high = 4});
  }
  if (p.rule == Rule::LowRank) {
    p.a = add("a", type, Role::Input, keys);
    p.b = add("b", type, Role::Input, keys);
    for (unsigned tensor : {*p.a, *p.b})
      promise(tensor, {.low = -1.2 * small, .high = 1.2 * small});
  }
  p.normalizes = options.flag("normalize");
}

/// g, and what decays are made of besides; what of a token goes past the state.
void LinearMaker::addGates(std::vector<unsigned> sizes) {
  p.decays = add("g", options.type("gate_type"), Role::Input, sizes);
  promise(*p.decays, {Content::Kind::Decays});
  if (p.gate == Gate::Head)
    return;
  p.form = GateForm(indexOf(gateForms, options.choice("gate")));
  if (p.form != GateForm::Logarithm)
    promise(*p.decays, {.low = -4, .high = 4});
  // Decays stay decays: none of them makes the state grow.
  auto add = [&](const char *name, std::vector<unsigned> sizes, double low,
                 double high) -> std::optional<unsigned> {
    if (options.choice(name) == "no")
      return std::nullopt;
    unsigned tensor =
        this->add(name, options.type(name), Role::Input, std::move(sizes));
    promise(tensor, {.low = low, .high = high});
    return tensor;
  };
  std::vector<unsigned> head = {p.valueHeads}, channels = head;
  channels.push_back(p.dim);
  p.rate = add("rate", head, -2, 0.5);
  p.bias = add("bias", p.gate == Gate::Channel ? channels : head, -1, 0);
  if (double factor = options.number("gate_factor"); factor != 1)
    p.factor = s.add({"gate_factor", ElementType::F32, factor});
  if (p.rule != Rule::Add)
    return;
  if (p.gate == Gate::Channel) {
    p.bonus = add("bonus", channels, -1, 1);
    return;
  }
  p.skip = add("skip", head, -1, 1);
  p.weighs = options.flag("weigh");
}

/// States, and the indices that say where things are.
void LinearMaker::addStates() {
  ElementType index = options.type("index_type");
  if (p.sequences) {
    unsigned count = s.add(options.sizeNumber("bounds"));
    p.offsets = add("offsets", index, Role::Input, {count});
    promise(*p.offsets, {Content::Kind::Offsets, options.size("tokens")});
  }
  int64_t sequences = p.sequences.value_or(options.size("batch"));
  Number states = options.sizeNumber("states");
  bool hasSlots = options.flag("slots");
  bool isAccepted = options.flag("accepted");
  Number drafts = options.sizeNumber("drafts");
  if (isAccepted)
    drafts.value = std::max(drafts.value, 1.0);
  expect(!isAccepted || !hasSlots,
         "expects slots=no with accepted=yes, but got yes");
  expect(states.value == 0 || states.integer() == sequences || hasSlots ||
             drafts.value > 0,
         "expects states=" + std::to_string(sequences) +
             ", one for each sequence, but got " +
             std::to_string(states.integer()));
  int64_t least = sequences * std::max<int64_t>(drafts.integer(), 1);
  if (states.value == 0)
    states.value = double(least);
  expect(states.integer() >= least,
         "expects states of " + std::to_string(least) + " and more, but got " +
             std::to_string(states.integer()));
  unsigned count = s.add(states);
  std::vector<unsigned> sizes = {count, p.valueHeads, p.dim, p.valueDim};
  if (options.choice("initial") != "no")
    p.initial = add("initial", options.type("initial"), Role::Input, sizes);
  if (options.choice("final") != "no")
    p.final = add("final", options.type("final"), Role::Output, sizes);
  if (!hasSlots && drafts.value == 0)
    return;
  unsigned rows = s.add({"sequences", ElementType::I32, double(sequences)});
  if (hasSlots) {
    p.slots = add("slots", index, Role::Input, {rows});
    promise(*p.slots, {Content::Kind::Slots, states.integer()});
  }
  if (drafts.value == 0)
    return;
  p.drafts = s.add(drafts);
  p.after = add("after", index, Role::Input, {rows, p.drafts});
  promise(*p.after, {Content::Kind::Slots, states.integer()});
  if (isAccepted) {
    p.accepted = add("accepted", index, Role::Input, {rows});
    promise(*p.accepted, {Content::Kind::Lengths, drafts.integer()});
  }
}

Result<std::unique_ptr<Problem>> LinearMaker::run() {
  addSizes();
  if (problem)
    addTensors();
  if (problem)
    addStates();
  p.precision =
      options.choice("precision") == "tf32" ? Precision::TF32 : Precision::Full;
  if (!problem)
    return problem.takeError();
  // A model keeps its heads and their sizes; with their strides known,
  // addresses of a tile's rows are one register and a displacement each.
  s.fix({p.heads, p.valueHeads, p.dim, p.valueDim});
  return std::unique_ptr<Problem>(new LinearProblem(std::move(s), p));
}

//===----------------------------------------------------------------------===//
// The operators
//===----------------------------------------------------------------------===//

/// What decays are made of where g is not their logarithm.
static void addGateOptions(std::vector<OperatorOption> &options, Rule rule,
                           Gate gate) {
  using Kind = OperatorOption::Kind;
  std::vector<std::string_view> types = {"no", "f32", "f16", "bf16"};
  options.push_back({"gate", Kind::Choice, "log",
                     "logarithm of a decay, where x = g + bias and r = e^rate: "
                     "r x; -r log(1 + e^x); -1 / (1 + e^(-r x)); -r log(1 + "
                     "e^-x)",
                     gateForms});
  options.push_back({"rate", Kind::Choice, "no", "type of rates", types});
  options.push_back(
      {"bias", Kind::Choice, "no", "type of what is added to g", types});
  options.push_back(
      {"gate_factor", Kind::Number, "1", "factor of the logarithm"});
  if (rule != Rule::Add)
    return;
  if (gate == Gate::Channel) {
    options.push_back({"bonus", Kind::Choice, "no",
                       "type of the weights of a token's own key, whose query "
                       "reads the state before its decay (RWKV-6)",
                       types});
    return;
  }
  options.push_back({"skip", Kind::Choice, "no",
                     "type of the weights of values that results are added",
                     types});
  options.push_back({"weigh",
                     Kind::Choice,
                     "no",
                     "whether values are multiplied by log(1 + e^x) (Mamba-2)",
                     {"no", "yes"}});
}

static std::vector<OperatorOption> linearOptions(Rule rule, Gate gate) {
  using Kind = OperatorOption::Kind;
  std::vector<std::string_view> floats = {"f32", "f16", "bf16"};
  std::vector<std::string_view> states = {"no", "f32", "f16", "bf16"};
  std::vector<OperatorOption> options = {
      {"batch",
       Kind::Size,
       "1",
       "sequences of one length",
       {"2", "3", "1", "2", "0"}},
      {"tokens",
       Kind::Size,
       "",
       "of each sequence; packed ones together",
       {"0", "1", "2", "15", "16", "17", "31", "33", "63", "64", "65", "97",
        "128", "130", "200"}},
      {"heads", Kind::Size, "", "of q and k", {"1", "2"}},
      {"value_heads",
       Kind::Size,
       "0",
       "of v and what belongs to it, a multiple of heads; 0: as many",
       {"2", "4"}},
      {"dim",
       Kind::Size,
       "",
       "of a query and a key, up to 256",
       {"16", "32", "64", "48", "128", "256", "1"}},
      {"value_dim",
       Kind::Size,
       "",
       "of a value",
       {"16", "32", "64", "40", "128", "256"}},
      {"type",
       Kind::Choice,
       "f16",
       "of q, k, v and out",
       {"f16", "bf16", "f32"}},
      {"precision",
       Kind::Choice,
       "full",
       "whether f32 operands may be rounded to tf32",
       {"full", "tf32"}},
      {"scale", Kind::Number, "0", "factor of results; 0: 1 / sqrt(dim)"},
      {"normalize",
       Kind::Choice,
       "no",
       "whether q and k are divided by their lengths",
       {"no", "yes"}},
      {"initial", Kind::Choice, "no", "type of states that are begun with",
       states},
      {"final", Kind::Choice, "no", "type of states that are stored", states},
      {"states",
       Kind::Size,
       "0",
       "in initial and final; 0: one for each sequence",
       {"5", "7"}},
      {"slots",
       Kind::Choice,
       "no",
       "whether a tensor says which state is which sequence's",
       {"no", "yes"}},
      {"drafts",
       Kind::Size,
       "0",
       "tokens after each of which the state is kept, in place of the last "
       "one's: columns of after; 0: none, or with accepted 1",
       {"3", "1", "0"}},
      {"accepted",
       Kind::Choice,
       "no",
       "whether a tensor says after how many tokens of these a state is the "
       "initial one",
       {"no", "yes"}},
      {"bounds",
       Kind::Size,
       "0",
       "of packed sequences in offsets, one more than these; 0: not packed",
       {"2", "4", "6", "9", "3", "1"}},
      {"index_type",
       Kind::Choice,
       "i32",
       "of offsets, slots, after and accepted",
       {"i32", "i64"}}};
  if (rule == Rule::Delta) {
    options.push_back(
        {"updates",
         Kind::Size,
         "1",
         "rows of k, v and beta of each token, which decays before "
         "the first and reads behind the last (DeltaProduct)",
         {"1", "2", "3", "1"}});
    options.push_back({"rows", Kind::Size, "0", "checked where it is not 0"});
    options.push_back({"beta_type", Kind::Choice, "f32", "of beta", floats});
    options.push_back({"beta_form", Kind::Choice, "plain",
                       "what of beta is the weight: itself, its sigmoid, twice "
                       "that",
                       betaForms});
  }
  if (gate != Gate::None)
    options.push_back({"gate_type", Kind::Choice, "f32", "of g", floats});
  if (gate == Gate::Token || gate == Gate::Channel)
    addGateOptions(options, rule, gate);
  return options;
}

/// All tensors of the family; an operator has some of them.
static std::vector<OperatorTensor> linearTensors(Rule rule, Gate gate) {
  std::vector<std::string_view> keys = {"batch", "tokens", "heads", "dim"};
  std::vector<std::string_view> rows = {"batch", "tokens", "value_heads"};
  std::vector<std::string_view> results = rows, channels = rows;
  results.push_back("value_dim");
  channels.push_back("dim");
  // What each update of a token has rows of.
  auto ofUpdates = [&](std::vector<std::string_view> sizes) {
    if (rule == Rule::Delta)
      sizes[1] = "rows";
    return sizes;
  };
  std::vector<std::string_view> states = {"states", "value_heads", "dim",
                                          "value_dim"};
  std::vector<OperatorTensor> tensors = {{"q", keys},
                                         {"k", ofUpdates(keys)},
                                         {"v", ofUpdates(results)},
                                         {"out", results}};
  if (gate == Gate::Head)
    tensors.push_back({"g", {"value_heads"}});
  else if (gate != Gate::None)
    tensors.push_back({"g", gate == Gate::Channel ? channels : rows});
  if (gate == Gate::Token || gate == Gate::Channel) {
    std::vector<std::string_view> head = {"value_heads"}, each = head;
    each.push_back("dim");
    tensors.push_back({"rate", head});
    tensors.push_back({"bias", gate == Gate::Channel ? each : head});
    if (rule == Rule::Add && gate == Gate::Channel)
      tensors.push_back({"bonus", each});
    else if (rule == Rule::Add)
      tensors.push_back({"skip", head});
  }
  if (rule == Rule::Delta)
    tensors.push_back({"beta", ofUpdates(rows)});
  if (rule == Rule::LowRank) {
    tensors.push_back({"a", keys});
    tensors.push_back({"b", keys});
  }
  tensors.push_back({"initial", states});
  tensors.push_back({"final", states});
  tensors.push_back({"offsets", {"bounds"}});
  tensors.push_back({"slots", {""}});
  tensors.push_back({"after", {"", "drafts"}});
  tensors.push_back({"accepted", {""}});
  return tensors;
}

template <Rule rule, Gate gate>
static Operator makeLinear(std::string_view name, std::string_view summary,
                           std::string_view description) {
  return {name,
          summary,
          description,
          linearOptions(rule, gate),
          linearTensors(rule, gate),
          [](const Options &options) {
            return LinearMaker(options, rule, gate).run();
          }};
}

#define TILEWRIGHT_LINEAR_SHAPES                                               \
  "\nq, k: batch x tokens x heads x dim; v, out: batch x tokens x "            \
  "value_heads x value_dim;\ninitial, final: states x value_heads x dim x "    \
  "value_dim; offsets: bounds;\nslots: the state of each sequence; after: "    \
  "sequences x drafts; accepted: sequences."

std::vector<Operator> kernels::makeLinearAttention() {
  return {
      makeLinear<Rule::Add, Gate::None>(
          "linear_attention", "Linear attention, forward",
          "S = S + k v^T; out = scale S^T q" TILEWRIGHT_LINEAR_SHAPES),
      makeLinear<Rule::Add, Gate::Head>(
          "retention", "Retention: linear attention, decays of heads",
          "S = e^g S + k v^T; out = scale S^T q; "
          "g: value_heads" TILEWRIGHT_LINEAR_SHAPES),
      makeLinear<Rule::Add, Gate::Token>(
          "simple_gla", "Linear attention, gates of tokens",
          "S = e^g S + k v^T; out = scale S^T q; g: batch x tokens x "
          "value_heads" TILEWRIGHT_LINEAR_SHAPES),
      makeLinear<Rule::Add, Gate::Channel>(
          "gla", "Gated linear attention, gates of channels",
          "S = diag(e^g) S + k v^T; out = scale S^T q; g: batch x tokens x "
          "value_heads x dim" TILEWRIGHT_LINEAR_SHAPES),
      makeLinear<Rule::Delta, Gate::None>(
          "delta_rule", "DeltaNet's rule, forward",
          "S = S + beta k (v - S^T k)^T; out = scale S^T q; beta: batch x "
          "tokens x value_heads" TILEWRIGHT_LINEAR_SHAPES),
      makeLinear<Rule::Delta, Gate::Token>(
          "gated_delta_rule", "The delta rule, gates of tokens",
          "S = e^g S; S = S + beta k (v - S^T k)^T; out = scale S^T q; g, "
          "beta: batch x tokens x value_heads" TILEWRIGHT_LINEAR_SHAPES),
      makeLinear<Rule::Delta, Gate::Channel>(
          "kda", "Kimi delta attention: the delta rule, gates of channels",
          "S = diag(e^g) S; S = S + beta k (v - S^T k)^T; out = scale S^T q; "
          "g: batch x tokens x value_heads x dim;\nbeta: batch x tokens x "
          "value_heads" TILEWRIGHT_LINEAR_SHAPES),
      makeLinear<Rule::LowRank, Gate::Channel>(
          "dplr_delta_rule",
          "Diagonal plus low rank (DPLR, RWKV-7), gates of channels",
          "S = diag(e^g) S + b (a^T S) + k v^T; out = scale S^T q; a, b: as k; "
          "g: batch x tokens x value_heads x dim" TILEWRIGHT_LINEAR_SHAPES)};
}
#undef TILEWRIGHT_LINEAR_SHAPES
