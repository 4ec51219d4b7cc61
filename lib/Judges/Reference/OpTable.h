// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How operations are evaluated, by kind: what is known can be asked without
// evaluating anything.

#ifndef TILEWRIGHT_LIB_JUDGES_REFERENCE_OPTABLE_H
#define TILEWRIGHT_LIB_JUDGES_REFERENCE_OPTABLE_H

#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/DenseMap.h"

#include <cassert>
#include <functional>

namespace tilewright::reference {

class Interpreter;

/// How near a GPU's results are to those of the interpreter, which does not
/// round.
enum class Accuracy {
  /// They are the same, or are rounded by the op's own meaning.
  Exact,
  /// Rounded once.
  Rounded,
  /// As calculated by a sequence of instructions for quotients, for functions,
  /// and for functions whose result grows exponentially.
  Quotient,
  Function,
  Exponential,
};

class OpTable {
public:
  /// Sets the results of an operation, or fails with a diagnostic.
  using Handler =
      std::function<mlir::LogicalResult(Interpreter &, mlir::Operation *)>;

  struct Entry {
    Handler evaluate;
    Accuracy accuracy;
  };

  /// Has operations of the types `Op` and `Ops` evaluated by `function`, which
  /// takes the interpreter and the operation, as its own type or as any. Each
  /// type is added once.
  template <typename Op, typename... Ops, typename Function>
  void add(Function function, Accuracy accuracy = Accuracy::Exact) {
    auto handler = [function](Interpreter &interpreter, mlir::Operation *op) {
      return function(interpreter, mlir::cast<Op>(op));
    };
    bool isNew =
        entries.try_emplace(mlir::TypeID::get<Op>(), Entry{handler, accuracy})
            .second;
    assert(isNew && "an operation has one meaning");
    (void)isNew;
    if constexpr (sizeof...(Ops) != 0)
      add<Ops...>(function, accuracy);
  }

  /// How operations of a name are evaluated; null where it is not known.
  const Entry *lookup(mlir::OperationName name) const {
    auto found = entries.find(name.getTypeID());
    return found == entries.end() ? nullptr : &found->second;
  }

private:
  llvm::DenseMap<mlir::TypeID, Entry> entries;
};

} // namespace tilewright::reference

#endif // TILEWRIGHT_LIB_JUDGES_REFERENCE_OPTABLE_H
