// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Hopper/Device.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

using namespace tilewright;
using namespace tilewright::hopper;

std::string hopper::assemble(const std::string &ptxas, const std::string &ptx,
                             std::vector<uint8_t> &assembled) {
  std::error_code failure;
  std::string folder = std::filesystem::temp_directory_path(failure).string() +
                       "/tilewright-hopper-XXXXXX";
  if (failure || !mkdtemp(folder.data()))
    return "no folder for ptxas' files";
  std::string stem = folder + "/module";
  std::ofstream(stem + ".ptx") << ptx;
  std::string command = ptxas + " -arch=sm_90a -o " + stem + ".cubin " + stem +
                        ".ptx 2> " + stem + ".log";
  int status = std::system(command.c_str());
  std::ifstream log(stem + ".log");
  std::string said((std::istreambuf_iterator<char>(log)), {});
  std::ifstream cubin(stem + ".cubin", std::ios::binary);
  assembled.assign(std::istreambuf_iterator<char>(cubin), {});
  for (const char *suffix : {".ptx", ".cubin", ".log"})
    std::remove((stem + suffix).c_str());
  rmdir(folder.c_str());
  if (status != 0 && said.empty())
    return "ptxas failed";
  return said;
}
