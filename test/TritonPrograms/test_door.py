# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilewright.triton with Triton, without a GPU: kernels are compiled for targets
that are named. run.py runs it."""

import glob
import importlib.util
import os
import tempfile
import types
import unittest
import unittest.mock
import warnings

os.environ.setdefault("TRITON_CACHE_DIR", tempfile.mkdtemp())

if importlib.util.find_spec("triton"):
    import triton
    import triton.language as tl
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    from triton.runtime.errors import OutOfResources

    import tilewright.triton as door
    from tilewright.triton import _assembler

    @triton.jit
    def scale(x, out, by, BLOCK: tl.constexpr):
        place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + place, tl.load(x + place) * by)

    @triton.jit
    def large_gather(x, out, SIZE: tl.constexpr):
        i = tl.arange(0, SIZE)
        tl.store(out + i, tl.gather(tl.load(x + i), (i * 7) % SIZE, 0))

    @triton.jit
    def unsupported(x, out):
        i = tl.arange(0, 64)
        value = tl.inline_asm_elementwise("bad $0, $1;", "=?,?", [tl.load(x + i)],
                                          dtype=tl.float32, is_pure=True, pack=1)
        tl.store(out + i, value)

    @triton.jit
    def from_host(source, out, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        block = tl.reshape(source.load([0, BLOCK, 0]), [BLOCK, BLOCK])
        tl.store(out + i[:, None] * BLOCK + i[None, :], block)


def compile_scale(capability=80, block=256, **options):
    source = ASTSource(scale, {"x": "*fp32", "out": "*fp32", "by": "fp32", "BLOCK": "constexpr"},
                       {"BLOCK": block})
    return triton.compile(source, target=GPUTarget("cuda", capability, 32), options=options)


def compile_pointers(function, capability=80, size=None):
    signature = {"x": "*fp32", "out": "*fp32"}
    constants = {}
    if size:
        signature["SIZE"], constants["SIZE"] = "constexpr", size
    return triton.compile(ASTSource(function, signature, constants),
                          target=GPUTarget("cuda", capability, 32))


@unittest.skipUnless(importlib.util.find_spec("triton"), "Triton is not installed")
class DoorTest(unittest.TestCase):
    def setUp(self):
        from tilewright.triton import _reports
        _reports._reported.clear()

    def test_every_stage_is_there(self):
        with door.enable():
            kernel = compile_scale()
        self.assertLessEqual({"ttir", "ttgir", "llir", "ptx", "cubin"}, set(kernel.asm))
        self.assertIn("tilegpu.target", kernel.asm["ttgir"])
        self.assertIn("define ptx_kernel void @scale", kernel.asm["llir"])
        self.assertIn(".visible .entry scale", kernel.asm["ptx"])
        self.assertEqual(kernel.asm["cubin"][:4], b"\x7fELF")
        self.assertEqual(kernel.metadata.name, "scale")

    def test_a_launch_is_described_where_it_says_something(self):
        from tilewright.triton._launch import _describe
        signature = {"x": "*fp32", "n": "i32", "flag": "i1", "BLOCK": "constexpr", "by": "fp32"}
        bound = {"x": 4096, "n": 12, "flag": True, "BLOCK": 64, "by": 1.0}
        describe = lambda grid: _describe(signature, {"grid": grid, "bound_args": bound})
        self.assertEqual(describe((2048,)), ["2048x1x1", "n=12"])
        self.assertEqual(describe(lambda meta: (meta["BLOCK"], 32)), ["64x32x1", "n=12"])
        # A warm-up's, and one that fails when it is asked for.
        self.assertEqual(describe((3,)), [])
        self.assertEqual(describe(lambda meta: meta["none"]), [])
        self.assertEqual(_describe(signature, {}), [])

    def test_inductors_kernels_take_maps_where_triton_launches_them(self):
        from tilewright.triton import _inductor, _launch
        launches = []

        class Tuner:
            def __init__(self, **meta):
                self.inductor_meta = meta

            def _precompile_config(self, config):
                launches.append(_launch.current())

        class OwnLauncher:
            @staticmethod
            def can_statically_launch(kernel):
                return "launcher"

        _inductor._watch_compilations(types.SimpleNamespace(
            CachingAutotuner=Tuner, StaticTritonCompileResult=OwnLauncher))
        for meta in ({}, {"store_cubin": True}):
            Tuner(**meta)._precompile_config(None)
        self.assertEqual(launches, [[], None])
        for maps, launcher in (([{}], None), ([], "launcher")):
            kernel = types.SimpleNamespace(metadata=types.SimpleNamespace(tilewright_maps=maps))
            self.assertEqual(OwnLauncher.can_statically_launch(kernel), launcher)

    def test_inductors_cache_tells_settings_apart(self):
        from tilewright.triton import _inductor, _install

        class Cache:
            @staticmethod
            def get_system():
                return {"hash": "triton's"}

        _inductor._watch_cache(Cache, _install._identity)
        with door.disable():
            hashes = [Cache.get_system()["hash"]]
        self.assertEqual(hashes, ["triton's"])
        for settings in ({}, {"exclude": "other*"}):
            with door.enable(**settings):
                hashes.append(Cache.get_system()["hash"])
        self.assertEqual(len(set(hashes)), 3)

    def test_each_setting_has_its_own_cache(self):
        hashes = set()
        with door.disable():
            theirs = compile_scale()
            hashes.add(theirs.hash)
        self.assertIn("ttg.", theirs.asm["ttgir"])
        for settings in ({}, {"fallback": True}, {"exclude": "other*"}, {"image": "ptx"}):
            with door.enable(**settings):
                hashes.add(compile_scale().hash)
        self.assertEqual(len(hashes), 5)

    def test_with_puts_back_what_was(self):
        with door.disable():
            self.assertIsNone(door.current())
            with door.enable(fallback=True):
                self.assertTrue(door.current().fallback)
                with door.disable():
                    self.assertIsNone(door.current())
                self.assertTrue(door.current().fallback)
            self.assertIsNone(door.current())

    def test_functions_may_be_copied(self):
        # PyTorch's compiler does so; a bound method is copied by its name.
        with door.enable():
            binder = scale.device_caches.default_factory
            self.assertEqual(getattr(scale, binder.__name__), binder)

    def test_excluded_kernels_are_tritons(self):
        with door.enable(exclude=["sca*"]):
            self.assertIn("ttg.", compile_scale().asm["ttgir"])
        with door.enable(exclude="scal"):
            self.assertIn("tilegpu", compile_scale().asm["ttgir"])

    def test_exclude_is_a_decorator(self):
        def fresh():
            pass
        self.assertIs(door.exclude(fresh), fresh)
        with door.enable():
            self.assertTrue(door.current().excludes("fresh"))
        with self.assertRaisesRegex(TypeError, "expects a kernel or its name, but got 3"):
            door.exclude(3)

    def test_options(self):
        with door.enable():
            self.assertIn(".maxnreg 40", compile_scale(maxnreg=40).asm["ptx"])
            self.assertIn(".reqntid 256", compile_scale(num_warps=8).asm["ptx"])
            self.assertEqual(compile_scale(capability=90, num_ctas=2).metadata.num_ctas, 1)
            compile_scale(num_stages=0)
            with self.assertRaisesRegex(door.CompilationError, "max_registers to be from 1 to 255"):
                compile_scale(maxnreg=300)
        with self.assertRaisesRegex(ValueError, "expects the image .* but got 'sass'"):
            door.enable(image="sass")

    def test_instrumentation_is_refused(self):
        with door.enable(), self.assertRaisesRegex(
                door.CompilationError, "expects no instrumentation, but got 'consan'"):
            compile_scale(capability=90, instrumentation_mode="consan")

    def test_gpus_that_triton_has_left(self):
        with door.enable():
            for capability in (70, 75):
                kernel = compile_scale(capability)
                self.assertIn(f".target sm_{capability}", kernel.asm["ptx"])

    def test_gpus_that_are_older_still(self):
        with door.enable(), self.assertRaisesRegex(
                door.CompilationError, "expects a GPU of one of sm_70.*, but got sm_61"):
            compile_scale(61)

    def test_the_driver_may_assemble(self):
        with door.enable(image="ptx"):
            kernel = compile_scale()
        self.assertEqual(kernel.asm["cubin"], kernel.asm["ptx"].encode() + b"\0")

    def test_the_library_assembles_where_there_is_one(self):
        roots = [os.environ.get("TILEWRIGHT_CUDA_ROOT", ""), *sorted(glob.glob("/usr/local/cuda*"))]
        found = [path for root in roots for path in glob.glob(f"{root}/lib*/libnvJitLink.so.1[23]")]
        if not found:
            self.skipTest("no libnvJitLink found")
        with door.enable():
            by_ptxas = compile_scale()
            with unittest.mock.patch.object(_assembler, "_library", return_value=found[0]):
                by_library = compile_scale()
                asked = compile_scale(ptx_options="-O1")
                unfused = compile_scale(enable_fp_fusion=False)
                with door.enable(image="cubin"):
                    by_setting = compile_scale()
                # Code for an older GPU, assembled for the one that is there.
                older = compile_scale(capability=90, arch="sm80")
        self.assertNotEqual(by_library.hash, by_ptxas.hash)
        self.assertEqual(by_library.asm["cubin"][:4], b"\x7fELF")
        self.assertNotEqual(by_library.asm["cubin"], by_ptxas.asm["cubin"])
        self.assertEqual(asked.asm["cubin"][:4], b"\x7fELF")
        # Not by ptxas, whose versions write other headers.
        self.assertEqual(unfused.asm["cubin"][48:52], by_library.asm["cubin"][48:52])
        # (The flags of the ELF header; CUDA 13 has others.)
        self.assertEqual(by_setting.asm["cubin"][48:52], by_ptxas.asm["cubin"][48:52])
        self.assertIn(".target sm_80", older.asm["ptx"])
        # (By ptxas of CUDA 12, whose ELF headers have the processor here.)
        self.assertEqual(older.asm["cubin"][48], 90)

    def test_where_the_library_fails_ptxas_assembles(self):
        with tempfile.NamedTemporaryFile(suffix="libnvJitLink.so.13") as file, door.enable(), \
                unittest.mock.patch.object(_assembler, "_library", return_value=file.name):
            kernel = compile_scale(num_warps=2)
        self.assertEqual(kernel.asm["cubin"][:4], b"\x7fELF")

    def test_an_error_has_the_users_line(self):
        with door.enable(), self.assertRaises(door.CompilationError) as raised:
            compile_pointers(unsupported)
        error = raised.exception
        self.assertEqual(error.kernel, "unsupported")
        _, file, line, _, _ = error.diagnostics[0]
        self.assertEqual(os.path.basename(file), os.path.basename(__file__))
        with open(__file__) as source:
            text = source.read().splitlines()[line - 1]
        self.assertIn("inline_asm_elementwise", text)
        self.assertIn(text.strip(), str(error))

    def test_a_fallback_is_reported_once(self):
        with door.enable(fallback=True), warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            for warps in (1, 2):
                kernel = compile_scale(61, num_warps=warps)
                self.assertIn("ttg.", kernel.asm["ttgir"])
                self.assertIn("but got sm_61", kernel.metadata.tilewright_fallback)
        said = [str(each.message) for each in seen if "Tilewright does not" in str(each.message)]
        self.assertEqual(len(said), 1)
        self.assertIn("Triton compiles the kernel 'scale'", said[0])

    def test_a_fallback_from_the_cache_is_reported(self):
        from tilewright.triton import _reports
        with door.enable(fallback=True):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compile_scale(61, num_warps=8)
            _reports._reported.clear()
            with self.assertWarnsRegex(RuntimeWarning, "Triton compiles the kernel 'scale'"):
                compile_scale(61, num_warps=8)

    def test_too_much_shared_memory_is_tritons_exception(self):
        # Its autotuner passes over such a configuration.
        with door.enable(), self.assertRaisesRegex(OutOfResources, "shared memory") as raised:
            compile_pointers(large_gather, 75, size=32768)
        self.assertIsInstance(raised.exception.__cause__, door.CompilationError)
        self.assertGreater(raised.exception.required, raised.exception.limit)

    def test_too_large_a_tile_is_tritons_exception(self):
        with door.enable(), self.assertRaisesRegex(
                OutOfResources, "elements of a tile in a thread, Required: 16384, .*: 8192"):
            compile_scale(num_warps=1, block=16384 * 32)

    def test_ir_files(self):
        with door.enable():
            text = compile_scale().asm["ttir"]
            with tempfile.NamedTemporaryFile("w", suffix=".ttir") as file:
                file.write(text)
                file.flush()
                kernel = triton.compile(file.name, target=GPUTarget("cuda", 75, 32))
        self.assertIn("tilegpu.target", kernel.asm["ttgir"])
        self.assertIn(".target sm_75", kernel.asm["ptx"])

    def test_files_of_tritons_own_stages_are_tritons(self):
        with door.disable():
            text = compile_scale().asm["ttgir"]
        with door.enable(), tempfile.NamedTemporaryFile("w", suffix=".ttgir") as file:
            file.write(text)
            file.flush()
            kernel = triton.compile(file.name, target=GPUTarget("cuda", 80, 32))
        self.assertEqual(kernel.asm["cubin"][:4], b"\x7fELF")

    def test_gpu_ir_in_a_file_of_tile_ir_is_tritons(self):
        # Not because of an attribute of the module.
        plain = ("""module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @k(%p: !tt.ptr<f32>) {
    %x = arith.constant 1.0 : f32
    BARRIER
    tt.store %p, %x : !tt.ptr<f32>
    tt.return
  }
}
""")
        for barrier, is_ours in (("", True), ("ttg.local_barrier", False)):
            with door.enable(), tempfile.NamedTemporaryFile("w", suffix=".ttir") as file:
                file.write(plain.replace("BARRIER", barrier))
                file.flush()
                kernel = triton.compile(file.name, target=GPUTarget("cuda", 80, 32))
            self.assertEqual("tilegpu.target" in kernel.asm["ttgir"], is_ours, barrier)

    def test_descriptors_of_the_host(self):
        source = ASTSource(from_host, {"source": "tensordesc<fp16[1, 64, 64]>", "out": "*fp16",
                                       "BLOCK": "constexpr"}, {"BLOCK": 64})
        for capability in (75, 90):
            with door.enable():
                kernel = triton.compile(source, target=GPUTarget("cuda", capability, 32))
            parameters = kernel.asm["ptx"].split(")")[0].count(".param")
            # Address, three sizes, three strides; the sizes and strides again; out;
            # between them flags, as many as this Triton has.
            self.assertGreaterEqual(parameters, 14)

    def test_descriptors_that_triton_does_not_expand(self):
        text = """module {
  tt.func public @k(%d: !tt.tensordesc<tensor<16x64xbf16>>, %size0: i32, %size1: i32, %stride0: i64, %stride1: i64) {
    %zero = arith.constant 0 : i32
    %x = arith.constant dense<1.0> : tensor<16x64xbf16>
    tt.descriptor_reduce max, %d[%zero, %zero], %x : !tt.tensordesc<tensor<16x64xbf16>>, tensor<16x64xbf16>
    tt.return
  }
}
"""
        for capability in (75, 90):
            with door.enable(), tempfile.NamedTemporaryFile("w", suffix=".ttir") as file:
                file.write(text)
                file.flush()
                kernel = triton.compile(file.name, target=GPUTarget("cuda", capability, 32))
            self.assertIn("tilegpu.target", kernel.asm["ttgir"])
            parameters = kernel.asm["ptx"].split(")")[0].count(".param")
            self.assertGreaterEqual(parameters, 9)


if __name__ == "__main__":
    unittest.main()
