# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python module with NumPy on the emulator's CUDA library
(TILEWRIGHT_CUDA_DRIVER): python -m unittest discover python/tests"""

import ctypes
import gc
import inspect
import pathlib
import threading
import unittest

import numpy as np

import tilewright

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
ADD = (EXAMPLES / "add.mlir").read_text()
COUNT = 1000
GRID = (COUNT + 63) // 64

SCALE = """
tt.func public @scale(%x: !tt.ptr<f32>, %by: f32, %wide: i64, %flag: i1) {
  %range = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %px = tt.addptr %xs, %range : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %a = tt.load %px : tensor<32x!tt.ptr<f32>>
  %w = arith.sitofp %wide : i64 to f32
  %zero = arith.constant 0.0 : f32
  %extra = arith.select %flag, %w, %zero : f32
  %bys = tt.splat %by : f32 -> tensor<32xf32>
  %extras = tt.splat %extra : f32 -> tensor<32xf32>
  %b = arith.mulf %a, %bys : tensor<32xf32>
  %c = arith.addf %b, %extras : tensor<32xf32>
  tt.store %px, %c : tensor<32x!tt.ptr<f32>>
  tt.return
}
"""


def compile_add(**options):
    return tilewright.compile(ADD, machine_code=False, cache_folder="",
                              **options)["add"]


class OnlyDLPack:
    """A tensor of a framework without the C exchange interface."""

    def __init__(self, array):
        self.array = array
        self.streams = []

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        return self.array.__dlpack__(stream=stream)


class LaunchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.add = compile_add()

    @classmethod
    def tearDownClass(cls):
        del cls.add

    def setUp(self):
        generator = np.random.default_rng(7)
        self.x = generator.standard_normal(COUNT, dtype=np.float32)
        self.y = generator.standard_normal(COUNT, dtype=np.float32)

    def test_adds(self):
        out = tilewright.empty(COUNT, np.float32)
        self.add[GRID](tilewright.array(self.x), tilewright.array(self.y), out,
                       COUNT, stream=0)
        np.testing.assert_array_equal(tilewright.to_numpy(out), self.x + self.y)
        self.assertEqual(out.shape, [COUNT])

    def test_tensors_by_dlpack(self):
        out = tilewright.empty(COUNT, np.float32)
        x = OnlyDLPack(tilewright.array(self.x))
        self.add[GRID, 1](x, OnlyDLPack(tilewright.array(self.y)),
                          OnlyDLPack(out), COUNT, stream=0)
        np.testing.assert_array_equal(tilewright.to_numpy(out), self.x + self.y)
        # The launch is on a stream that is given: nothing is to wait.
        self.assertEqual(x.streams, [-1])

    def test_addresses_and_streams(self):
        class Stream:
            cuda_stream = 0

        class Protocol:
            def __cuda_stream__(self):
                return (0, 0)

        x, y = tilewright.array(self.x), tilewright.array(self.y)
        for stream in (0, Stream(), Protocol()):
            out = tilewright.empty(COUNT, np.float32)
            self.add[GRID, 1, 1](x.data_ptr, y, out.data_ptr, COUNT,
                                 stream=stream)
            np.testing.assert_array_equal(tilewright.to_numpy(out),
                                          self.x + self.y)
        with self.assertRaisesRegex(TypeError, "expects a stream as an integer"):
            self.add[GRID](x, y, out, COUNT, stream="fast")

    def test_numbers(self):
        kernel = tilewright.compile(SCALE, "sm_80", num_warps=1,
                                    machine_code=False, cache_folder="").kernel()
        for flag in (True, False):
            values = tilewright.array(np.arange(32, dtype=np.float32))
            kernel[1](values, 0.5, -3, flag, stream=0)
            np.testing.assert_array_equal(
                tilewright.to_numpy(values),
                np.arange(32, dtype=np.float32) * 0.5 + (-3 if flag else 0))
        with self.assertRaisesRegex(TypeError, "an integer of 64 bits, but got"):
            kernel[1](values, 0.5, 1 << 70, True, stream=0)
        with self.assertRaisesRegex(TypeError, "expects a number, but got"):
            kernel[1](values, "half", 1, True, stream=0)

    def test_wrong_arguments(self):
        x = tilewright.array(self.x)
        with self.assertRaisesRegex(TypeError, "expects 4 arguments, but got 3"):
            self.add[GRID](x, x, x, stream=0)
        with self.assertRaisesRegex(TypeError, r"argument 1 \('y'\).*expects a "
                                    "tensor on a CUDA device, but got one"):
            self.add[GRID](x, self.y, x, COUNT, stream=0)
        with self.assertRaisesRegex(TypeError, "expects an integer, but got"):
            self.add[GRID](x, x, x, 1.5, stream=0)
        with self.assertRaisesRegex(TypeError, "integer of 32 bits, but got"):
            self.add[GRID](x, x, x, 1 << 40, stream=0)
        with self.assertRaisesRegex(TypeError, "integer of 32 bits, but got 2147483648; "
                                    r"numpy.uint32\(x\) has no sign"):
            self.add[GRID](x, x, x, 1 << 31, stream=0)
        with self.assertRaisesRegex(TypeError, "expects a tensor, but got an"):
            self.add[GRID](x, x, "z", COUNT, stream=0)
        with self.assertRaisesRegex(TypeError, r"expects stream=\.\.\."):
            self.add[GRID](x, x, x, COUNT)
        with self.assertRaisesRegex(TypeError, "keywords stream, device and"):
            self.add[GRID](x, x, x, COUNT, steam=0)
        with self.assertRaisesRegex(tilewright.Error, "multiple of 16, but got"):
            self.add[GRID](x.data_ptr + 4, x, x, COUNT, stream=0)
        with self.assertRaisesRegex(tilewright.Error, "one to three numbers"):
            self.add[1, 1, 1, 1]

    def test_element_types(self):
        x = tilewright.array(self.x)
        for wrong, name in ((np.float16, "float16"), (np.float64, "float64"),
                            (np.int32, "int32"), (np.bool_, "bool"),
                            (np.complex64, "complex64")):
            for tensor in (tilewright.empty(COUNT, wrong),
                           OnlyDLPack(tilewright.empty(COUNT, wrong))):
                with self.assertRaisesRegex(
                        TypeError, r"argument 1 \('y'\).*: expects a tensor of "
                        f"f32, but got one of {name}; "
                        r"tilewright.reinterpret\(x\)"):
                    self.add[GRID](x, tensor, x, COUNT, stream=0)
        bits = tilewright.array(self.y.view(np.uint32))
        for passed in (bits, OnlyDLPack(bits)):
            out = tilewright.empty(COUNT, np.float32)
            self.add[GRID](x, tilewright.reinterpret(passed), out, COUNT,
                           stream=0)
            np.testing.assert_array_equal(tilewright.to_numpy(out),
                                          self.x + self.y)
        with self.assertRaisesRegex(TypeError, "expects a tensor, but got an"):
            self.add[GRID](x, tilewright.reinterpret("y"), x, COUNT, stream=0)

    def test_every_element_type(self):
        """Each takes what it is, and what holds it, of its own width."""
        integers = {8: ("int8", "uint8"), 16: ("int16", "uint16"),
                    32: ("int32", "uint32"), 64: ("int64", "uint64")}
        taken = {f"i{bits}": names for bits, names in integers.items()}
        taken["i1"] = taken["i8"] = ("bool", "int8", "uint8")
        taken |= {"f16": ("float16",), "f32": ("float32",),
                  "f64": ("float64",), "bf16": (), "f8E4M3FN": (),
                  "!tt.ptr<f32>": ("int64", "uint64")}
        everything = {name for names in taken.values() for name in names}
        for element, names in taken.items():
            kernel = tilewright.compile(
                f"tt.func public @k(%x: !tt.ptr<{element}>) {{ tt.return }}",
                "sm_80", machine_code=False, cache_folder="").kernel()
            for name in everything:
                tensor = tilewright.empty(4, name)
                if name in names:
                    kernel[1](tensor, stream=0)
                    continue
                with self.assertRaisesRegex(TypeError, "expects a tensor of"):
                    kernel[1](tensor, stream=0)

    def test_integers_have_the_signs_of_their_types(self):
        text = """tt.func public @k(%out: !tt.ptr<i64>, %a: i32, %b: i8, %c: i1, %d: i64) {
          %wide = arith.extui %a : i32 to i64
          %byte = arith.extui %b : i8 to i64
          %bit = arith.extui %c : i1 to i64
          %x = arith.addi %wide, %byte : i64
          %y = arith.addi %x, %bit : i64
          %z = arith.addi %y, %d : i64
          tt.store %out, %z : !tt.ptr<i64>
          tt.return
        }"""
        kernel = tilewright.compile(text, "sm_80", machine_code=False,
                                    cache_folder="").kernel()
        out = tilewright.empty(1, np.int64)
        kernel[1](out, np.uint32(1 << 31), np.uint8(200), True, 5, stream=0)
        self.assertEqual(tilewright.to_numpy(out)[0], (1 << 31) + 200 + 1 + 5)
        kernel[1](out, -1, -1, np.bool_(False), np.uint64(1 << 63), stream=0)
        self.assertEqual(tilewright.to_numpy(out).view(np.uint64)[0],
                         (1 << 63) + (1 << 32) - 1 + 255)
        for wrong in ((1 << 31, 0, 0, 0), (0, 128, 0, 0), (0, 0, 2, 0),
                      (0, 0, -1, 0), (0, 0, 0, 1 << 63),
                      (np.uint64(1 << 32), 0, 0, 0), (0, -129, 0, 0)):
            with self.assertRaisesRegex(TypeError, "expects an integer of"):
                kernel[1](out, *wrong, stream=0)

    def test_wrong_grids(self):
        for grid in (1.5, "one", None, (1, 2.5), ("a",), object()):
            with self.assertRaisesRegex(TypeError, "expects a grid of one to "
                                        "three integers, but got"):
                self.add[grid]
        for grid in (-1, 1 << 31, 1 << 70, (1, -2)):
            with self.assertRaisesRegex(ValueError, "expects 0 to 2147483647 programs"):
                self.add[grid]
        for grid in ((), (1, 1, 1, 1)):
            with self.assertRaisesRegex(tilewright.Error, "one to three numbers"):
                self.add[grid]
        self.add[np.int64(1)]
        with self.assertRaisesRegex(ValueError, "expects the number of a device"):
            self.add[1](0, 0, 0, 0, stream=0, device=-1)

    def test_diagnostics(self):
        found = []
        with self.assertRaises(tilewright.Error) as raised:
            tilewright.compile("tt.func @f() {\n  %0 = arith.nothing\n}\n",
                               "sm_80", source_name="bad.mlir",
                               on_diagnostic=lambda *entry: found.append(entry))
        self.assertIn("bad.mlir:2:", str(raised.exception))
        self.assertEqual(raised.exception.code, 1)
        self.assertEqual(found[0][:3], ("error", "bad.mlir", 2))
        with self.assertRaisesRegex(tilewright.Error, "sm_42"):
            tilewright.compile(ADD, "sm_42")

    def test_options(self):
        keywords = inspect.signature(tilewright.compile).parameters
        self.assertEqual(keywords["num_warps"].default, 4)
        self.assertEqual(keywords["remarks"].default, "none")
        for name, keyword in keywords.items():
            if keyword.kind == inspect.Parameter.KEYWORD_ONLY:
                self.assertIn(f"{name}: ", tilewright.compile.__doc__)
        # Each default may be said.
        compile_add(**{name: keyword.default
                       for name, keyword in keywords.items()
                       if keyword.kind == inspect.Parameter.KEYWORD_ONLY
                       and name not in ("machine_code", "cache_folder")})
        for options, message in (
                ({"num_warp": 4}, "unexpected keyword argument 'num_warp'"),
                ({"num_warps": "four"},
                 "expects num_warps to be a positive integer of 32 bits, but "
                 "got 'four'"),
                ({"num_warps": 0}, "but got 0"),
                ({"line_tables": 1}, "expects line_tables to be True or False"),
                ({"source_name": 7}, "expects source_name to be a string"),
                ({"path_prefix_map": "a=b"}, "to be a sequence of strings"),
                ({"remarks": "some"},
                 "expects remarks to be one of 'none', 'missed', 'all', but "
                 "got 'some'")):
            with self.assertRaisesRegex(TypeError, message):
                compile_add(**options)
        with self.assertRaisesRegex(tilewright.Error, "num_warps to be a power "
                                    "of two from 1 to 32, but got 3"):
            compile_add(num_warps=3)

    def test_remarks(self):
        # A sum over all warps converts between layouts.
        text = (EXAMPLES.parent / "test" / "Corpus" /
                "fused_softmax_1024.ttir").read_text()

        def hear(**options):
            found = set()
            tilewright.compile(
                text, "sm_80", machine_code=False, cache_folder="",
                on_diagnostic=lambda severity, *_: found.add(severity),
                **options)
            return found

        self.assertEqual(hear(num_warps=8), set())
        self.assertIn("remark", hear(remarks="all"))
        # What comes from the cache brings no messages.
        self.assertEqual(hear(remarks="all"), set())

    def test_several_forms_of_one_compilation(self):
        forms = tilewright.emit(ADD, ["ptx", "tilegpu", "artifact"], "sm_75", machine_code=False,
                                max_registers=40)
        self.assertIn(".maxnreg 40", forms["ptx"])
        self.assertIn("tilegpu.target", forms["tilegpu"])
        self.assertEqual(tilewright.load(forms["artifact"]).kernels, ["add"])
        with self.assertRaisesRegex(ValueError, "expects the name of a form, but got 'sass'"):
            tilewright.emit(ADD, ["sass"], "sm_75")
        said = []
        with self.assertRaisesRegex(tilewright.Error, "expected operation name"):
            tilewright.emit("?", ["ptx"], "sm_75", on_diagnostic=lambda *each: said.append(each))
        self.assertEqual(said[0][0], "error")

    def test_default_target(self):
        # The emulator is an sm_90 where the environment names no other.
        self.assertEqual(tilewright.default_target(), "sm_90a")

    def test_programs_are_kept_as_bytes(self):
        program = tilewright.compile(ADD, ["sm_75", "sm_80"],
                                     machine_code=False, cache_folder="")
        again = tilewright.load(program.serialize())
        self.assertEqual(again.kernels, ["add"])
        x = tilewright.array(self.x)
        out = tilewright.empty(COUNT, np.float32)
        again["add"][GRID](x, x, out, COUNT, stream=0)
        np.testing.assert_array_equal(tilewright.to_numpy(out), 2 * self.x)
        with self.assertRaises(KeyError):
            again["subtract"]
        with self.assertRaises(tilewright.Error):
            tilewright.load(b"not an artifact")

    def test_threads(self):
        kernel = compile_add(num_warps=1)
        wrong = []

        def work(number):
            x = tilewright.array(self.x + np.float32(number))
            for _ in range(10):
                out = tilewright.empty(COUNT, np.float32)
                kernel[GRID](x, x, out, COUNT, stream=0)
                if not np.array_equal(tilewright.to_numpy(out),
                                      2 * (self.x + np.float32(number))):
                    wrong.append(number)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_nothing_is_kept(self):
        """A launch keeps no reference to its arguments."""
        import sys
        x = tilewright.array(self.x)
        wrapped = OnlyDLPack(x)
        out = tilewright.empty(COUNT, np.float32)
        before = [sys.getrefcount(o) for o in (x, wrapped, out, GRID)]
        for _ in range(100):
            self.add[GRID](x, wrapped, out, COUNT, stream=0)
        wrapped.streams.clear()
        gc.collect()
        after = [sys.getrefcount(o) for o in (x, wrapped, out, GRID)]
        self.assertEqual(before, after)

    def test_facts(self):
        self.assertEqual(self.add.parameters, ["x", "y", "out", "count"])
        self.add.prepare()
        facts = self.add.facts()
        self.assertEqual(facts["num_warps"], 4)
        self.assertTrue(facts["image"].startswith("PTX"))


class ExchangeTest(unittest.TestCase):
    """DLPack's C exchange interface, as a framework would give it."""

    def test_the_frameworks_stream_is_used(self):
        class Device(ctypes.Structure):
            _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]

        class Tensor(ctypes.Structure):
            _fields_ = [("data", ctypes.c_void_p), ("device", Device),
                        ("ndim", ctypes.c_int32), ("dtype", ctypes.c_uint32),
                        ("shape", ctypes.c_void_p),
                        ("strides", ctypes.c_void_p),
                        ("byte_offset", ctypes.c_uint64)]

        calls = []

        @ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object,
                           ctypes.POINTER(Tensor))
        def view(source, out):
            calls.append("view")
            out[0].data = source.array.data_ptr - 64
            out[0].byte_offset = 64
            out[0].device = Device(2, 0)
            out[0].ndim = 1
            out[0].dtype = source.type
            out[0].shape = ctypes.addressof(source.sizes)
            out[0].strides = None
            return 0

        @ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32,
                           ctypes.POINTER(ctypes.c_void_p))
        def current_stream(device_type, device, out):
            calls.append("stream")
            out[0] = 0
            return 0

        class Api(ctypes.Structure):
            _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
                        ("previous", ctypes.c_void_p),
                        ("allocate", ctypes.c_void_p),
                        ("to_managed", ctypes.c_void_p),
                        ("from_managed", ctypes.c_void_p),
                        ("view", ctypes.c_void_p),
                        ("stream", ctypes.c_void_p)]

        address = lambda function: ctypes.cast(function, ctypes.c_void_p).value
        api = Api(1, 3, None, None, None, None, address(view),
                  address(current_stream))
        make = ctypes.pythonapi.PyCapsule_New
        make.restype = ctypes.py_object
        make.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

        class Framework:
            __dlpack_c_exchange_api__ = make(ctypes.addressof(api),
                                             b"dlpack_exchange_api", None)

            def __init__(self, array):
                self.array = array
                self.sizes = (ctypes.c_int64 * 1)(COUNT)
                self.type = 2 | 32 << 8 | 1 << 16  # a float of 32 bits

        x = np.arange(COUNT, dtype=np.float32)
        out = tilewright.empty(COUNT, np.float32)
        tensor = Framework(tilewright.array(x))
        compile_add()[GRID](tensor, tensor, out, COUNT)
        np.testing.assert_array_equal(tilewright.to_numpy(out), 2 * x)
        # The stream is asked for at every launch, once.
        self.assertEqual(calls, ["view", "stream", "view"])
        compile_add()[GRID](tensor, tensor, out, COUNT, stream=0)
        self.assertEqual(calls[3:], ["view", "view"])
        tensor.type = 4 | 16 << 8 | 1 << 16
        with self.assertRaisesRegex(TypeError, "expects a tensor of f32, but got one of bfloat16"):
            compile_add()[GRID](tensor, tensor, out, COUNT)


if __name__ == "__main__":
    unittest.main()
