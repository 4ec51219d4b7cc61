// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the library holds: one device, its primary context, and the objects
// behind the handles that it has given out. Everything is done at once, in the
// order of the calls, so a stream is only a thing to capture.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_DRIVER_STATE_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_DRIVER_STATE_H

#include "lib/Judges/Emulator/Driver/Capture.h"
#include "lib/Judges/Emulator/Driver/DeviceFacts.h"
#include "lib/Judges/Emulator/Driver/LoadedModule.h"

#include <map>
#include <mutex>

namespace tilewright::emulator::driver {

/// Objects by handle; a handle is the object's address.
template <typename Object>
class Registry {
public:
  template <typename Handle>
  Handle add(std::shared_ptr<Object> object) {
    void *address = object.get();
    objects[address] = std::move(object);
    return static_cast<Handle>(address);
  }
  /// The object, or null for handles that are none.
  std::shared_ptr<Object> find(const void *handle) const {
    auto found = objects.find(handle);
    return found == objects.end() ? nullptr : found->second;
  }
  /// Forgets the handle and gives what was behind it.
  std::shared_ptr<Object> remove(const void *handle) {
    std::shared_ptr<Object> object = find(handle);
    objects.erase(handle);
    return object;
  }
  auto begin() const { return objects.begin(); }
  auto end() const { return objects.end(); }

private:
  std::unordered_map<const void *, std::shared_ptr<Object>> objects;
};

/// A point in the order of work.
struct Event {
  /// Nanoseconds of the clock, once recorded.
  std::optional<uint64_t> time;
  bool hasTiming = true;
  /// Of an event that was recorded while its stream captured.
  std::shared_ptr<Capture> capture;
  NodeSet frontier;
};

/// Memory of the host that was allocated here.
struct HostRange {
  std::unique_ptr<uint8_t[]> data;
  size_t size = 0;
};

/// What goes with the primary context.
struct ContextState {
  /// Counts the contexts there have been.
  unsigned long long id = 0;
  /// What a kernel may print, in bytes: kept, as programs set it.
  size_t printedBytes = 1 << 20;
  GlobalMemory memory;
  Registry<LoadedModule> modules;
  Registry<LoadedFunction> functions;
  Registry<Stream> streams;
  Registry<Event> events;
  Registry<Graph> graphs, executables;
  /// Host memory given out, by its address.
  std::map<uintptr_t, HostRange> hostMemory;
  std::shared_ptr<Stream> legacyStream = std::make_shared<Stream>();
  /// One for all threads, as all work is done in the order of the calls.
  std::shared_ptr<Stream> perThreadStream = std::make_shared<Stream>();

  /// What a launch did wrong. Work after it is not done; from the first call
  /// that waits on, every call gives it.
  Status fault = success;
  bool isFaultKnown = false;
  /// The clock of events: a warp instruction, or 32 bytes of a copy, are a
  /// nanosecond. So times are amounts of work and the same in every run; they
  /// are no prediction for a GPU.
  uint64_t nanoseconds = 0;

  /// Null, CU_STREAM_LEGACY (1), CU_STREAM_PER_THREAD (2), or one that was
  /// created; null where there is none.
  std::shared_ptr<Stream> findStream(StreamHandle handle) const;
};

/// Everything. There is one, which lives to the end of the process.
struct State {
  std::mutex mutex;
  std::optional<DeviceFacts> device;
  /// The primary context: how many hold it, and what it has; null while nobody
  /// does.
  unsigned holders = 0;
  unsigned long long contexts = 0;
  std::unique_ptr<ContextState> context;

  static State &get();
  /// Makes the primary context anew.
  void makeContext();
  /// The handle of the primary context.
  static Context contextHandle();
};

/// The contexts of this thread, the current one last.
std::vector<Context> &contextStack();

enum class CallKind {
  /// Needs cuInit before it.
  Initialized,
  /// Needs the context as well.
  InContext,
  /// Gives no fault that is not known yet, nor one that is: clearing up.
  CleansUp,
  /// Waits for all work, and so learns of its fault.
  Waits,
};

/// One call of an entry point: holds the lock, and knows whether the call can
/// go on.
class Call {
public:
  explicit Call(CallKind kind);

  /// Whether it must end with status().
  bool isRefused() const { return result != success; }
  Status status() const { return result; }

  State &state;
  /// Only where the call is in the context.
  ContextState &context() { return *state.context; }

private:
  std::lock_guard<std::mutex> lock;
  Status result = success;
};

} // namespace tilewright::emulator::driver

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_DRIVER_STATE_H
