// Measures an Apple GPU with MLX in any Python that has it: the library that runs models on Macs and reaches the
// hardware's matrix units.

import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { memoryFigures } from '../../core/node/gpu-profile.ts';
import { reported } from '../../core/schema.ts';
import { lastLine } from '../../core/text/single-line.ts';
import { unknown } from '../../core/unknown.ts';
import { distrustOf, ownUserId } from '../../native/library-search.ts';
import { type Env, runTool } from '../../process/child.ts';
import type { DeviceMeasurement, ProbeDevice, ProbeOutcome } from '../probe.ts';
import { type DeviceEngine, type EngineOptions, failed, outcomeOf } from './device-answer.ts';

interface MlxEngineOptions extends EngineOptions {
  readonly settings?: MlxSettings;
  readonly deadlineMs?: number;
}

export const mlxEngine = (options: MlxEngineOptions): DeviceEngine => ({
  name: 'mlx',
  suits: device => device.vendor === 'apple',
  measure: async (device, signal) => {
    const pythons = pythonsOf(options.env);
    if (pythons.length === 0) return failed(`there is no python3 here; ${ADVICE}`);
    const broken: string[] = [];
    for (const python of pythons) {
      const printed = await pythonCommand(python, options, signal);
      if (printed.kind === 'failed') return failed(printed.reason);
      if (printed.kind === 'broken') broken.push(printed.reason);
      if (printed.kind === 'measured')
        return measurementOf(printed, device, options.settings ?? MLX_SETTINGS);
    }
    return failed([`no python3 here has MLX; ${ADVICE}`, ...broken].join('; '));
  },
});

const pythonCommand = async (
  python: string,
  { env, settings = MLX_SETTINGS, deadlineMs = MLX_DEADLINE_MS }: MlxEngineOptions,
  signal: AbortSignal,
): Promise<PythonAnswer> => {
  const result = await runTool(python, ['-'], {
    env,
    signal,
    timeoutMs: deadlineMs,
    outputBytesMax: OUTPUT_BYTES_MAX,
    input: mlxInput(settings),
  });
  if (result.kind === 'missing') return { kind: 'missing', reason: result.reason };
  if (result.kind !== 'exited') return { kind: 'failed', reason: result.reason };
  if (result.code !== 0) {
    const printed = lastLine(result.stderr);
    return {
      kind: 'broken',
      reason: `${python} exited with code ${result.code}: ${printed.slice(0, TEXT_LENGTH_MAX)}`,
    };
  }
  const answer = v.safeParse(answerSchema, parsedLine(result.stdout));
  if (answer.success) return answer.output;
  return { kind: 'failed', reason: `${python} printed something unreadable` };
};

const measurementOf = (
  printed: MlxAnswer & { readonly kind: 'measured' },
  device: ProbeDevice,
  { size, readBytes, passes }: MlxSettings,
): ProbeOutcome<DeviceMeasurement> =>
  outcomeOf(
    {
      kind: 'answered',
      answer: {
        kind: 'measured',
        figures: {
          deviceName: printed.deviceName === '' ? device.deviceName : printed.deviceName,
          fp16FlopsPerSecond: printed.flopsPerSecond,
          fp32FlopsPerSecond: unknown('measured in half precision'),
          ...memoryFigures(printed),
          int8OperationsPerSecond: unknown('MLX multiplies weights of 8 bits in half precision'),
          fp8FlopsPerSecond: unknown('MLX multiplies weights of 8 bits in half precision'),
          isLowerBound: false,
          method: `MLX ${printed.version}: FP16 product ${size}×${size}, sum over ${readBytes / 1024 ** 3} GiB of zeros, copy by adding one (read plus written), GEMV over as much, best of ${passes}`,
        },
      },
    },
    { deviceId: device.deviceId, deviceKind: 'gpu', engine: 'mlx' },
  );

const parsedLine = (output: string): unknown => {
  try {
    const answer: unknown = JSON.parse(lastLine(output));
    return answer;
  } catch {
    return undefined;
  }
};

const text = v.pipe(v.string(), v.maxLength(300));
const answerSchema = v.variant('kind', [
  v.object({
    kind: v.literal('measured'),
    deviceName: text,
    version: text,
    flopsPerSecond: reported(v.number()),
    readBytesPerSecond: reported(v.number()),
    copyBytesPerSecond: reported(v.number()),
    gemvBytesPerSecond: reported(v.number()),
  }),
  /** This Python has no MLX. */
  v.object({ kind: v.literal('missing'), reason: v.string() }),
  v.object({ kind: v.literal('failed'), reason: text }),
]);
/** If a Python does not even run, the next one is still tried. */
type PythonAnswer = MlxAnswer | { readonly kind: 'broken'; readonly reason: string };
type MlxAnswer = v.InferOutput<typeof answerSchema>;

const ADVICE = 'install it with: pip install mlx';
/** Importing takes seconds the first time; measuring 5 s, more while the GPU is shared. */
const MLX_DEADLINE_MS = 60_000;
const OUTPUT_BYTES_MAX: number = 64 * 1024;
const TEXT_LENGTH_MAX = 200;

// The Pythons in which MLX may be installed, best guess first: the active environment, then the folders used by Homebrew
// and the installers of Python tools. A daemon started by launchd has none of them on its PATH.

/** Absolute paths of existing programs that no other user could have put there. */
export const pythonsOf = (env: Env): readonly string[] => {
  const home = env['HOME'] ?? '';
  const folders = [
    ...[env['VIRTUAL_ENV'], env['CONDA_PREFIX']].flatMap(prefix =>
      prefix === undefined || prefix === '' ? [] : [join(prefix, 'bin')],
    ),
    ...(env['PATH'] ?? '').split(':'),
    '/opt/homebrew/bin',
    '/usr/local/bin',
    ...TOOL_FOLDERS.flatMap(folder => toolsIn(join(home, folder))),
  ];
  const found = folders
    .filter(folder => folder.startsWith('/'))
    .map(folder => join(folder, 'python3'))
    .filter(path => isProgram(path) && !isInstallOffer(path) && distrustOf(path, ownUserId()) === undefined);
  return [...new Set(found)].slice(0, PYTHONS_MAX);
};

/** Environments of tools that include MLX: those with "mlx" in their name, and exo. */
const toolsIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder)
      .filter(name => /mlx|exo/i.test(name))
      .slice(0, TOOLS_MAX)
      .map(name => join(folder, name, 'bin'));
  } catch {
    return []; // no such tools here
  }
};

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** On a Mac without Apple's developer tools this program is only a dialog that offers to install them. */
const isInstallOffer = (path: string): boolean =>
  path === '/usr/bin/python3' &&
  existsSync('/usr/bin/xcode-select') &&
  !DEVELOPER_TOOLS.some(folder => existsSync(folder));

const DEVELOPER_TOOLS: readonly string[] = ['/Library/Developer/CommandLineTools', '/Applications/Xcode.app'];
/** uv and pipx, under the home. */
const TOOL_FOLDERS: readonly string[] = [
  '.local/share/uv/tools',
  '.local/pipx/venvs',
  '.local/share/pipx/venvs',
];
const PYTHONS_MAX = 8;
const TOOLS_MAX = 4;

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

/** 4,096³ is 5 ms on the largest chips so far: eight of them hide the launch costs. */
const MLX_SETTINGS = {
  /** Size of the square matrices. */
  size: 4_096,
  /** Products in one pass. */
  turns: 8,
  streamTurns: 8,
  readBytes: 2 * 1024 ** 3,
  warmUpSeconds: 1,
  passes: 5,
};

type MlxSettings = Readonly<typeof MLX_SETTINGS>;

const mlxInput = (settings: MlxSettings): string => `SETTINGS = ${JSON.stringify(settings)}\n${MLX_SCRIPT}`;
