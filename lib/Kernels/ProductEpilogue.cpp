// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/ProductEpilogue.h"

#include <utility>

using namespace tilewright;
using namespace tilewright::kernels;

void ProductEpilogue::store(Reading &k, unsigned result, const Box &box,
                            const Value &sum, bool isTransposed) const {
  auto view = [&](unsigned index) {
    return isTransposed ? k.tensor(index).transposed() : k.tensor(index);
  };
  Box viewed = box;
  if (isTransposed)
    std::swap(viewed[0], viewed[1]);
  Tensor to = view(result);
  if (to.type == sum.type() && isNone())
    return k.store(to, viewed, sum);
  Value x = sum.to(ElementType::F32);
  if (scale)
    x = x * k.number(*scale);
  if (bias)
    x = x + k.load(k.tensor(*bias), {box.back()})
                .to(ElementType::F32)
                .expand(isTransposed ? 1 : 0);
  x = activate(x, activation);
  if (residual)
    x = x + k.load(view(*residual), viewed).to(ElementType::F32);
  k.store(to, viewed, toStored(x, to.type));
}
