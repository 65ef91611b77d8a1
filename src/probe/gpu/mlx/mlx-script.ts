// The Python script that measures an Apple GPU with MLX. It is read from standard input, so nothing is written to disk,
// and prints one line of JSON. Each pass is evaluated: MLX is lazy, and would otherwise do only the last one.

/** Sizes come as one line of JSON in front, in `SETTINGS`. */
const MLX_SCRIPT = `
import sys
# Standard input puts the current folder first: nobody's mlx may come from there.
sys.path[:] = [path for path in sys.path if path not in ("", ".")]
import json, time

def say(answer):
    print(json.dumps(answer), flush=True)
    sys.exit(0)

try:
    import mlx.core as mx
except ImportError as error:
    say({"kind": "missing", "reason": str(error)})

if "gpu" not in str(mx.default_device()).lower():
    say({"kind": "failed", "reason": "MLX has no GPU on this machine"})

def info():
    for owner in (mx, getattr(mx, "metal", None)):
        ask = getattr(owner, "device_info", None)
        if ask is not None:
            try:
                return dict(ask())
            except Exception:
                pass
    return {}

def best_seconds(run):
    started = time.perf_counter()
    while time.perf_counter() - started < SETTINGS["warmUpSeconds"]:
        run()
    best = float("inf")
    for _ in range(SETTINGS["passes"]):
        began = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - began)
    return best

def attempt(measure):
    try:
        return measure()
    except Exception as error:
        return {"kind": "unknown", "reason": ("%s: %s" % (type(error).__name__, error))[:300]}

def product():
    size, turns = SETTINGS["size"], SETTINGS["turns"]
    a = mx.random.uniform(-1.0, 1.0, (size, size)).astype(mx.float16)
    b = mx.random.uniform(-1.0, 1.0, (size, size)).astype(mx.float16)
    mx.eval(a, b)
    rows, columns = a[:4].astype(mx.float32), b[:, :4].astype(mx.float32)
    expected = mx.matmul(rows, columns, stream=mx.cpu)
    found = mx.matmul(a, b)[:4, :4].astype(mx.float32)
    error = mx.max(mx.abs(found - expected)).item()
    if not error <= 0.25 + size / 16384:
        raise ValueError("the product is wrong by %s" % error)
    def run():
        mx.eval([mx.matmul(a, b) for _ in range(turns)])
    return 2 * size ** 3 * turns / best_seconds(run)

def read():
    zeros = mx.zeros((SETTINGS["readBytes"] // 2,), dtype=mx.float16)
    mx.eval(zeros)
    def run():
        mx.eval([mx.sum(zeros) for _ in range(SETTINGS["streamTurns"])])
    return zeros.nbytes * SETTINGS["streamTurns"] / best_seconds(run)

def gemv():
    columns = min(4096, SETTINGS["readBytes"] // 16)
    weights = mx.zeros((SETTINGS["readBytes"] // 2 // columns, columns), dtype=mx.float16)
    vector = mx.zeros((columns, 1), dtype=mx.float16)
    mx.eval(weights, vector)
    def run():
        mx.eval([mx.matmul(weights, vector) for _ in range(SETTINGS["streamTurns"])])
    return weights.nbytes * SETTINGS["streamTurns"] / best_seconds(run)

def copy():
    source = mx.zeros((SETTINGS["readBytes"] // 4,), dtype=mx.float16)
    one = mx.array(1.0, dtype=mx.float16)
    mx.eval(source, one)
    def run():
        for _ in range(SETTINGS["streamTurns"]):
            mx.eval(mx.add(source, one))
    return 2 * source.nbytes * SETTINGS["streamTurns"] / best_seconds(run)

say({
    "kind": "measured",
    "deviceName": str(info().get("device_name", "")),
    "version": str(getattr(mx, "__version__", "of unknown version")),
    "flopsPerSecond": attempt(product),
    "readBytesPerSecond": attempt(read),
    "copyBytesPerSecond": attempt(copy),
    "gemvBytesPerSecond": attempt(gemv),
})
`;

export interface MlxSettings {
  /** Size of the square matrices. */
  readonly size: number;
  /** Products in one pass. */
  readonly turns: number;
  readonly streamTurns: number;
  readonly readBytes: number;
  readonly warmUpSeconds: number;
  readonly passes: number;
}

/** 4,096³ is 5 ms on the largest chips so far: eight of them hide the launch costs. */
export const MLX_SETTINGS: MlxSettings = {
  size: 4_096,
  turns: 8,
  streamTurns: 8,
  readBytes: 2 * 1024 ** 3,
  warmUpSeconds: 1,
  passes: 5,
};

export const mlxInput = (settings: MlxSettings): string =>
  `SETTINGS = ${JSON.stringify(settings)}\n${MLX_SCRIPT}`;
