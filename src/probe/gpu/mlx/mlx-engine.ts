// Measures an Apple GPU with MLX in any Python that has it: the library that runs models on Macs and reaches the
// hardware's matrix units.

import * as v from 'valibot';
import { lastLine } from '../../../core/text/single-line.ts';
import { unknown } from '../../../core/unknown.ts';
import { runTool } from '../../../process/child.ts';
import { reported } from '../../../wire/schema.ts';
import type { DeviceMeasurement, ProbeDevice, ProbeOutcome } from '../../probe.ts';
import { failed, outcomeOf } from '../device-answer.ts';
import type { DeviceEngine, EngineOptions } from '../device-engine.ts';
import { pythonsOf } from './find-python.ts';
import { MLX_SETTINGS, type MlxSettings, mlxInput } from './mlx-script.ts';

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
      reason: `${python} exited with code ${result.code}: ${printed.slice(0, WORDS_MAX)}`,
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
          memoryReadBytesPerSecond: printed.readBytesPerSecond,
          memoryCopyBytesPerSecond: printed.copyBytesPerSecond,
          memoryGemvBytesPerSecond: printed.gemvBytesPerSecond,
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

const words = v.pipe(v.string(), v.maxLength(300));
const answerSchema = v.variant('kind', [
  v.object({
    kind: v.literal('measured'),
    deviceName: words,
    version: words,
    flopsPerSecond: reported(v.number()),
    readBytesPerSecond: reported(v.number()),
    copyBytesPerSecond: reported(v.number()),
    gemvBytesPerSecond: reported(v.number()),
  }),
  /** This Python has no MLX. */
  v.object({ kind: v.literal('missing'), reason: v.string() }),
  v.object({ kind: v.literal('failed'), reason: words }),
]);
/** If a Python does not even run, the next one is still tried. */
type PythonAnswer = MlxAnswer | { readonly kind: 'broken'; readonly reason: string };
type MlxAnswer = v.InferOutput<typeof answerSchema>;

const ADVICE = 'install it with: pip install mlx';
/** Importing takes seconds the first time; measuring 5 s, more while the GPU is shared. */
const MLX_DEADLINE_MS = 60_000;
const OUTPUT_BYTES_MAX: number = 64 * 1024;
const WORDS_MAX = 200;
