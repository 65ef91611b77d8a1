# A stand-in for mlx.core: just enough to run our script under a real Python without an Apple GPU. It computes nothing;
# PLIMSOLL_STUB_MLX says what goes wrong: "wrong" products, "memory" for an allocation that fails, "cpu" for no GPU.
import os

__version__ = "0.31.0"
float16, float32 = 2, 4
cpu = "cpu"
_fault = os.environ.get("PLIMSOLL_STUB_MLX", "")


class Array:
    def __init__(self, shape, size):
        self.shape, self.size = shape, size
        count = 1
        for side in shape:
            count *= side
        self.nbytes = count * size

    def astype(self, size):
        return Array(self.shape, size)

    def __getitem__(self, _):
        return Array((4, 4), self.size)

    def __sub__(self, _):
        return self

    def item(self):
        return 99.0 if _fault == "wrong" else 0.0


class random:
    @staticmethod
    def uniform(_low, _high, shape):
        return Array(shape, 4)


def default_device():
    return "Device(cpu, 0)" if _fault == "cpu" else "Device(gpu, 0)"


def device_info():
    return {"device_name": "Apple M9 Stub"}


def zeros(shape, dtype):
    if _fault == "memory":
        raise RuntimeError("[metal::malloc] Attempting to allocate too much")
    return Array(shape, dtype)


def array(_value, dtype):
    return Array((1,), dtype)


def matmul(a, b, stream=None):
    return Array((a.shape[0], b.shape[-1]), a.size)


def _same(value):
    return value


abs = max = sum = _same


def add(a, _b):
    return a


def eval(*_arrays):
    pass
