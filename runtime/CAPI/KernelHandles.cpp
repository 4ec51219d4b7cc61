// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C interface: programs, kernels, launches.

#include "runtime/CAPI/Handles.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::capi;

struct tilewright_kernel {
  std::shared_ptr<Program> program;
  LazyKernel kernel;
  /// Of the program's artifact.
  const Kernel &facts;
  /// The image that was chosen; once the kernel is loaded.
  std::string image;
  std::mutex imageMutex;
};

struct tilewright_bound_launch {
  BoundLaunch launch;
};

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

tilewright_error *tilewright_program_create(const void *bytes, size_t size,
                                            tilewright_program **program) {
  if (program)
    *program = nullptr;
  if (!bytes || !program)
    return refuse("expects bytes and a place for the program, but got null");
  Result<Artifact> artifact =
      parseArtifact({static_cast<const uint8_t *>(bytes), size});
  if (!artifact)
    return fail(artifact.takeError());
  *program = new tilewright_program{std::make_shared<Program>(
      std::make_shared<const Artifact>(std::move(*artifact)))};
  return nullptr;
}

void tilewright_program_destroy(tilewright_program *program) { delete program; }

size_t tilewright_program_kernel_count(const tilewright_program *program) {
  return program ? program->program->artifact().kernels.size() : 0;
}

const char *tilewright_program_kernel_name(const tilewright_program *program,
                                           size_t index) {
  if (!program)
    return nullptr;
  const std::vector<Kernel> &kernels = program->program->artifact().kernels;
  return index < kernels.size() ? kernels[index].name.c_str() : nullptr;
}

size_t tilewright_program_parameter_count(const tilewright_program *program,
                                          size_t kernel) {
  if (!program)
    return 0;
  const std::vector<Kernel> &kernels = program->program->artifact().kernels;
  return kernel < kernels.size() ? kernels[kernel].parameters.size() : 0;
}

tilewright_error *
tilewright_program_get_parameter(const tilewright_program *program,
                                 size_t kernel, size_t index,
                                 tilewright_parameter *parameter) {
  if (!program)
    return refuse("expects a program, but got null");
  size_t count = tilewright_program_parameter_count(program, kernel);
  if (index >= count)
    return refuse("expects a parameter below " + std::to_string(count) +
                  ", but got " + std::to_string(index));
  const Parameter &found =
      program->program->artifact().kernels[kernel].parameters[index];
  tilewright_parameter own = {};
  own.name = found.name.c_str();
  own.kind = uint32_t(found.kind);
  own.size = found.size;
  own.rank = found.rank;
  own.alignment = found.pointerAlignment;
  own.element_type = found.elementType.c_str();
  return writeStruct(own, parameter,
                     offsetof(tilewright_parameter, element_type),
                     "tilewright_parameter");
}

const void *tilewright_bytes_data(const tilewright_bytes *bytes) {
  return bytes ? bytes->content.data() : nullptr;
}
size_t tilewright_bytes_size(const tilewright_bytes *bytes) {
  return bytes ? bytes->content.size() : 0;
}
void tilewright_bytes_destroy(tilewright_bytes *bytes) { delete bytes; }

tilewright_error *
tilewright_program_serialize(const tilewright_program *program,
                             tilewright_bytes **bytes) {
  if (bytes)
    *bytes = nullptr;
  if (!program || !bytes)
    return refuse("expects a program and a place for bytes, but got null");
  Result<std::vector<uint8_t>> content =
      serializeArtifact(program->program->artifact());
  if (!content)
    return fail(content.takeError());
  *bytes = new tilewright_bytes{std::move(*content)};
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

tilewright_error *tilewright_kernel_create(const tilewright_program *program,
                                           const tilewright_device *device,
                                           const char *name,
                                           tilewright_kernel **kernel) {
  if (kernel)
    *kernel = nullptr;
  if (!program || !device || !kernel)
    return refuse(
        "expects a program, a device and a place for the kernel, but got null");
  const Artifact &artifact = program->program->artifact();
  Result<uint32_t> index = artifact.findKernel(name ? name : "");
  if (!index)
    return fail(index.takeError());
  const Kernel &facts = artifact.kernels[*index];
  *kernel =
      new tilewright_kernel{program->program,
                            {program->program, device->device, facts.name},
                            facts,
                            {},
                            {}};
  return nullptr;
}

void tilewright_kernel_destroy(tilewright_kernel *kernel) { delete kernel; }

tilewright_error *tilewright_kernel_prepare(tilewright_kernel *kernel) {
  if (!kernel)
    return refuse("expects a kernel, but got null");
  auto prepared = kernel->kernel.prepare();
  return prepared ? nullptr : fail(prepared.takeError());
}

tilewright_error *tilewright_kernel_get_facts(tilewright_kernel *kernel,
                                              tilewright_kernel_facts *facts) {
  if (!kernel)
    return refuse("expects a kernel, but got null");
  auto prepared = kernel->kernel.prepare();
  if (!prepared)
    return fail(prepared.takeError());
  const LoadedKernel &loaded = **prepared;
  const Variant &variant = loaded.variant();
  tilewright_kernel_facts own = {};
  {
    std::lock_guard<std::mutex> lock(kernel->imageMutex);
    if (kernel->image.empty())
      kernel->image = describeImage(loaded.image());
    own.image = kernel->image.c_str();
  }
  own.name = kernel->facts.name.c_str();
  own.parameter_count = uint32_t(kernel->facts.parameters.size());
  own.num_warps = variant.numWarps;
  own.block[0] = variant.block.x;
  own.block[1] = variant.block.y;
  own.block[2] = variant.block.z;
  own.static_shared_bytes = variant.staticSharedBytes;
  own.dynamic_shared_bytes = variant.dynamicSharedBytes;
  own.registers = uint32_t(loaded.registers());
  own.local_bytes = uint32_t(loaded.localBytes());
  own.scratch_alignment = variant.globalScratchAlignment;
  own.scratch_bytes_per_block = variant.globalScratchBytes;
  return writeStruct(own, facts, sizeof(own), "tilewright_kernel_facts");
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static ArgumentView toView(const tilewright_argument &argument) {
  ArgumentView view;
  view.kind = ParameterKind(argument.kind);
  view.size = argument.size;
  view.bits = argument.bits;
  view.shape = argument.shape;
  view.strides = argument.strides;
  view.rank = uint32_t(argument.rank);
  view.bytes = argument.kind == TILEWRIGHT_UNTYPED
                   ? static_cast<const uint8_t *>(argument.bytes)
                   : nullptr;
  return view;
}

/// Calls `function` with the arguments as the runtime wants them; up to 64 are
/// on the stack.
template <typename Callback>
static tilewright_error *withViews(tilewright_kernel *kernel,
                                   const uint32_t *grid,
                                   const tilewright_argument *arguments,
                                   size_t count, Callback function) {
  if (!kernel || !grid || (count && !arguments))
    return refuse("expects a kernel, a grid and arguments, but got null");
  for (size_t i = 0; i < count; ++i)
    if (arguments[i].kind > TILEWRIGHT_UNTYPED ||
        (arguments[i].kind == TILEWRIGHT_UNTYPED && !arguments[i].bytes))
      return refuse("argument " + std::to_string(i) +
                    ": expects a known kind, and bytes where it is untyped, "
                    "but got kind " +
                    std::to_string(arguments[i].kind));
  constexpr size_t fewCount = 64;
  ViewRoom<fewCount> few;
  std::vector<ArgumentView> many;
  ArgumentView *views = few.views;
  if (count > fewCount) {
    many.resize(count);
    views = many.data();
  }
  for (size_t i = 0; i < count; ++i)
    views[i] = toView(arguments[i]);
  return function(Dimensions{grid[0], grid[1], grid[2]},
                  std::span<const ArgumentView>(views, count));
}

tilewright_error *tilewright_kernel_launch(tilewright_kernel *kernel,
                                           const uint32_t grid[3],
                                           const tilewright_argument *arguments,
                                           size_t argument_count, void *stream,
                                           uint64_t scratch) {
  return withViews(
      kernel, grid, arguments, argument_count,
      [&](const Dimensions &sizes, auto views) {
        return toError(kernel->kernel.launch(
            sizes, views, static_cast<cuda::StreamHandle>(stream), scratch));
      });
}

tilewright_error *tilewright_kernel_bind(tilewright_kernel *kernel,
                                         const uint32_t grid[3],
                                         const tilewright_argument *arguments,
                                         size_t argument_count,
                                         uint64_t scratch,
                                         tilewright_bound_launch **launch) {
  if (!launch)
    return refuse("expects a place for the launch, but got null");
  *launch = nullptr;
  return withViews(
      kernel, grid, arguments, argument_count,
      [&](const Dimensions &sizes, auto views) -> tilewright_error * {
        auto prepared = kernel->kernel.prepare();
        if (!prepared)
          return fail(prepared.takeError());
        Result<BoundLaunch> bound =
            BoundLaunch::create(*prepared, sizes, views, scratch);
        if (!bound)
          return fail(bound.takeError());
        *launch = new tilewright_bound_launch{std::move(*bound)};
        return nullptr;
      });
}

tilewright_error *
tilewright_bound_launch_run(const tilewright_bound_launch *launch,
                            void *stream) {
  if (!launch)
    return refuse("expects a launch, but got null");
  return toError(
      launch->launch.launch(static_cast<cuda::StreamHandle>(stream)));
}

void tilewright_bound_launch_destroy(tilewright_bound_launch *launch) {
  delete launch;
}
