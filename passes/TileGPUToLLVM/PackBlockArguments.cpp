// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes the parts of a 32-bit word from block to block as the word that they
// came in, and what was cut from one uncut.

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "passes/TileGPUToLLVM/Passes.h"
#include "passes/TileGPUToLLVM/VectorParts.h"
#include "llvm/ADT/MapVector.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_PACKBLOCKARGUMENTS
#include "passes/TileGPUToLLVM/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

static constexpr unsigned wordBits = 32;

namespace {

/// An edge into a block.
struct Edge {
  BranchOpInterface branch;
  unsigned successor;

  SuccessorOperands getOperands() const {
    return BranchOpInterface(branch).getSuccessorOperands(successor);
  }
};

/// Arguments that are the parts of one word, in their order.
using Word = SmallVector<unsigned>;

/// Bits of a type of which a word has several; 0 of another one.
unsigned getPartBits(Type type) {
  unsigned bits = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
  return bits == 8 || bits == 16 ? bits : 0;
}

/// The word of which `value` is the lowest bits; null where there is none.
Value findUncut(Value value) {
  if (auto cast = value.getDefiningOp<LLVM::BitcastOp>())
    value = cast.getArg();
  auto cut = value.getDefiningOp<LLVM::TruncOp>();
  return cut && cut.getArg().getType().isInteger(wordBits) ? cut.getArg()
                                                           : Value();
}

/// Packs the arguments of one block.
class Packing {
public:
  explicit Packing(Block &block) : block(block) {
    for (auto it = block.pred_begin(), end = block.pred_end(); it != end;
         ++it) {
      auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator());
      isKnown &= bool(branch);
      if (branch)
        edges.push_back({branch, it.getSuccessorIndex()});
    }
  }

  void run() {
    if (!isKnown)
      return;
    packed.resize(block.getNumArguments());
    SmallVector<Word> words;
    for (const Edge &edge : edges)
      findWords(edge, words);
    for (BlockArgument argument : block.getArguments())
      if (Word word = findJoined(argument); !word.empty()) {
        for (unsigned part : word)
          packed.set(part);
        words.push_back(std::move(word));
      }
    for (const Word &word : words)
      pack(word);
    for (unsigned argument = 0; argument < packed.size(); ++argument)
      if (isUncut(argument)) {
        packed.set(argument);
        widen(argument);
      }
    for (unsigned argument = packed.size(); argument-- > 0;)
      if (packed.test(argument))
        erase(argument);
  }

private:
  /// Words all parts of which are passed on `edge`.
  void findWords(const Edge &edge, SmallVector<Word> &words) {
    // By vector and number of the word in it: the argument of each part.
    llvm::MapVector<std::pair<Value, unsigned>, SmallVector<int, 4>> found;
    SuccessorOperands operands = edge.getOperands();
    for (unsigned argument = 0; argument < packed.size(); ++argument) {
      unsigned bits = getPartBits(block.getArgument(argument).getType());
      Value passed = operands[argument];
      std::optional<VectorPart> part = bits && passed && !packed.test(argument)
                                           ? findVectorPart(passed)
                                           : std::nullopt;
      if (!part)
        continue;
      unsigned parts = wordBits / bits;
      auto &word = found[{part->vector, part->number / parts}];
      word.resize(parts, -1);
      word[part->number % parts] = argument;
    }
    for (auto &[place, word] : found)
      if (!llvm::is_contained(word, -1)) {
        words.emplace_back(word.begin(), word.end());
        for (int argument : word)
          packed.set(argument);
      }
  }

  /// The word whose first part `first` is where the block joins parts of
  /// arguments alone; empty where it does not.
  Word findJoined(BlockArgument first) {
    unsigned bits = getPartBits(first.getType());
    for (Operation *user : first.getUsers()) {
      Word word;
      Operation *next = user;
      while (auto insert = dyn_cast_or_null<LLVM::InsertElementOp>(next)) {
        auto part = dyn_cast<BlockArgument>(insert.getValue());
        APInt number;
        if (!part || part.getOwner() != &block || part.hasNUsesOrMore(2) ||
            packed.test(part.getArgNumber()) ||
            !matchPattern(insert.getPosition(), m_ConstantInt(&number)) ||
            number != word.size() ||
            insert.getType().getNumElements() * bits != wordBits)
          break;
        word.push_back(part.getArgNumber());
        next = insert->hasOneUse() ? *insert->user_begin() : nullptr;
      }
      if (bits && word.size() * bits == wordBits)
        return word;
    }
    return {};
  }

  void pack(const Word &word) {
    Type part = block.getArgument(word.front()).getType();
    Location location = block.getArgument(word.front()).getLoc();
    auto vector = VectorType::get(word.size(), part);
    for (const Edge &edge : edges) {
      OpBuilder builder(edge.branch);
      SuccessorOperands operands = edge.getOperands();
      SmallVector<Value> parts;
      for (unsigned argument : word)
        parts.push_back(operands[argument]);
      operands.append(getWord(builder, location, vector, parts));
    }
    auto builder = OpBuilder::atBlockBegin(&block);
    Value argument = block.addArgument(builder.getI32Type(), location);
    Value all = LLVM::BitcastOp::create(builder, location, vector, argument);
    for (auto [number, old] : llvm::enumerate(word)) {
      Value position = LLVM::ConstantOp::create(
          builder, location, builder.getI32IntegerAttr(number));
      block.getArgument(old).replaceAllUsesWith(
          LLVM::ExtractElementOp::create(builder, location, all, position));
    }
  }

  /// The word of these parts, where they are those of one already.
  static Value getWord(OpBuilder &builder, Location location, VectorType type,
                       ArrayRef<Value> parts) {
    Type i32 = builder.getI32Type();
    std::optional<VectorPart> first = findVectorPart(parts.front());
    bool isWord = first && first->number % parts.size() == 0;
    for (auto [number, part] : llvm::enumerate(parts)) {
      std::optional<VectorPart> own = findVectorPart(part);
      isWord &= own && own->vector == first->vector &&
                own->number == first->number + number;
    }
    if (!isWord) {
      Value all = LLVM::PoisonOp::create(builder, location, type);
      for (auto [number, part] : llvm::enumerate(parts))
        all = LLVM::InsertElementOp::create(
            builder, location, all, part,
            LLVM::ConstantOp::create(builder, location,
                                     builder.getI32IntegerAttr(number)));
      return LLVM::BitcastOp::create(builder, location, i32, all);
    }
    int64_t words = cast<VectorType>(first->vector.getType()).getNumElements() /
                    int64_t(parts.size());
    if (words == 1)
      return LLVM::BitcastOp::create(builder, location, i32, first->vector);
    Value all = LLVM::BitcastOp::create(
        builder, location, VectorType::get(words, i32), first->vector);
    return LLVM::ExtractElementOp::create(
        builder, location, all,
        LLVM::ConstantOp::create(
            builder, location,
            builder.getI32IntegerAttr(first->number / parts.size())));
  }

  /// Whether a part was cut from a word on one edge at least, and is a constant
  /// on those where it was not.
  bool isUncut(unsigned argument) {
    if (packed.test(argument) ||
        !getPartBits(block.getArgument(argument).getType()))
      return false;
    bool isCut = false;
    for (const Edge &edge : edges) {
      Value passed = edge.getOperands()[argument];
      if (!passed)
        return false;
      bool cut = bool(findUncut(passed));
      if (!cut && !matchPattern(passed, m_Constant()))
        return false;
      isCut |= cut;
    }
    return isCut;
  }

  void widen(unsigned argument) {
    BlockArgument old = block.getArgument(argument);
    Location location = old.getLoc();
    auto bits = IntegerType::get(block.front().getContext(),
                                 old.getType().getIntOrFloatBitWidth());
    for (const Edge &edge : edges) {
      OpBuilder builder(edge.branch);
      SuccessorOperands operands = edge.getOperands();
      Value passed = operands[argument];
      Value word = findUncut(passed);
      if (!word)
        word = LLVM::ZExtOp::create(
            builder, location, builder.getI32Type(),
            LLVM::BitcastOp::create(builder, location, bits, passed));
      operands.append(word);
    }
    auto builder = OpBuilder::atBlockBegin(&block);
    Value word = block.addArgument(builder.getI32Type(), location);
    Value part = LLVM::TruncOp::create(builder, location, bits, word);
    old.replaceAllUsesWith(
        LLVM::BitcastOp::create(builder, location, old.getType(), part));
  }

  void erase(unsigned argument) {
    for (const Edge &edge : edges)
      edge.getOperands().erase(argument);
    block.eraseArgument(argument);
  }

  Block &block;
  SmallVector<Edge> edges;
  bool isKnown = true;
  /// Arguments that are parts of words.
  llvm::BitVector packed;
};

struct PackBlockArguments
    : tilegpu::impl::PackBlockArgumentsBase<PackBlockArguments> {
  void runOnOperation() override {
    getOperation().walk([](LLVM::LLVMFuncOp function) {
      for (Block &block : function.getFunctionBody())
        if (!block.isEntryBlock())
          Packing(block).run();
    });
  }
};

} // namespace
