// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder for one test.

#ifndef TILEWRIGHT_TEST_UNIT_RUNTIME_TEMPORARYFOLDER_H
#define TILEWRIGHT_TEST_UNIT_RUNTIME_TEMPORARYFOLDER_H

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

namespace tilewright::runtime {

/// Made empty, for its user alone; removed at the end with what is in it.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern =
        std::filesystem::temp_directory_path() / "tilewright-XXXXXX";
    if (const char *made = ::mkdtemp(pattern.data()))
      name = made;
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(name, ignored);
  }

  const std::string &path() const { return name; }

  /// Names in it, sorted.
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto &entry : std::filesystem::directory_iterator(name))
      found.push_back(entry.path().filename());
    std::sort(found.begin(), found.end());
    return found;
  }
  std::vector<uint8_t> read(const std::string &file) const {
    std::ifstream in(file, std::ios::binary);
    return std::vector<uint8_t>(std::istreambuf_iterator<char>(in), {});
  }
  void write(const std::string &file, std::span<const uint8_t> bytes) const {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  }
  /// Sets a file's time of change, in seconds since 1970.
  void setAge(const std::string &file, int64_t seconds) const {
    timespec times[2] = {{seconds, 0}, {seconds, 0}};
    ::utimensat(AT_FDCWD, (name + "/" + file).c_str(), times, 0);
  }

private:
  std::string name;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_TEST_UNIT_RUNTIME_TEMPORARYFOLDER_H
