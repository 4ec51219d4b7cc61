// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/ChoiceNotes.h"

#include "lib/JIT/BuildIdentity.h"
#include "runtime/Cache/Note.h"

using namespace tilewright;
using namespace tilewright::kernels;

/// What both kinds depend on.
runtime::KeyBuilder
ChoiceNotes::beginKey(std::string_view kind,
                      const std::string &problemClass) const {
  runtime::KeyBuilder key;
  key.add("note", kind)
      .add("target", target.name)
      .add("device", device.name())
      .add("multiprocessors", uint64_t(device.multiprocessorCount()))
      .add("operator", of.name)
      .add("class", problemClass);
  return key;
}

runtime::CacheKey ChoiceNotes::predictedKey(const std::string &problemClass,
                                            unsigned refined) const {
  return beginKey("predicted", problemClass)
      .add("compiler", jit::buildIdentity())
      .add("refined", uint64_t(refined))
      .finish();
}

runtime::CacheKey
ChoiceNotes::measuredKey(const std::string &problemClass) const {
  return beginKey("measured", problemClass)
      .add("driver", uint64_t(device.driver().version()))
      .finish();
}

std::optional<std::string>
ChoiceNotes::read(const runtime::CacheKey &key) const {
  if (!disk)
    return std::nullopt;
  std::optional<std::vector<uint8_t>> content = disk->find(key);
  return content ? runtime::readNote(*content) : std::nullopt;
}

std::optional<Configuration>
ChoiceNotes::predicted(const std::string &problemClass,
                       unsigned refined) const {
  auto text = read(predictedKey(problemClass, refined));
  return text ? Configuration::parse(*text) : std::nullopt;
}

void ChoiceNotes::keepPredicted(const std::string &problemClass,
                                unsigned refined,
                                const Configuration &configuration) const {
  if (disk)
    (void)disk->publish(predictedKey(problemClass, refined),
                        runtime::makeNote(configuration.word()));
}

std::optional<std::vector<Measurement>>
ChoiceNotes::measured(const std::string &problemClass) const {
  auto text = read(measuredKey(problemClass));
  return text ? parseMeasurements(*text) : std::nullopt;
}

Result<void>
ChoiceNotes::keepMeasured(const std::string &problemClass,
                          std::span<const Measurement> measurements) const {
  if (!disk)
    return Error{ErrorCode::NotFound, "expects a folder for the cache, but "
                                      "there is none"};
  return disk->publish(measuredKey(problemClass),
                       runtime::makeNote(toText(measurements)));
}
