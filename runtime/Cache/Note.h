// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notes: entries of a cache that are no artifacts but short texts, such as what
// was chosen for a problem. They begin so that neither is taken for the other.

#ifndef TILEWRIGHT_RUNTIME_CACHE_NOTE_H
#define TILEWRIGHT_RUNTIME_CACHE_NOTE_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::runtime {

inline constexpr std::string_view noteHeader = "TWNOTE1\n";

inline std::vector<uint8_t> makeNote(std::string_view text) {
  std::string content = std::string(noteHeader) + std::string(text);
  return {content.begin(), content.end()};
}

/// The text of a note; nothing for any other content.
inline std::optional<std::string> readNote(std::span<const uint8_t> content) {
  std::string text(content.begin(), content.end());
  if (!text.starts_with(noteHeader))
    return std::nullopt;
  return text.substr(noteHeader.size());
}

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CACHE_NOTE_H
