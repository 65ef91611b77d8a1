// `plimsoll probe gpu` and `plimsoll probe memory`: measure this machine now, without a daemon. The machine is for oneself
// meanwhile: the daemon of the home waits, and a command does not start while the daemon measures.

import { systemClock } from '../../clock/system-clock.ts';
import { resolveHome } from '../../config/home.ts';
import { defaultConfig } from '../../config/read-config.ts';
import { figureText, formatBytes, formatBytesPerSecond } from '../../core/figure/figure.ts';
import { FIGURE_UNITS } from '../../core/figure/figure-row.ts';
import type { GpuVendor, NodeGpus } from '../../core/node/gpu.ts';
import { DEVICE_MEASURES } from '../../core/node/gpu-profile.ts';
import { nonEmpty, type Option, value } from '../../core/option/option.ts';
import { inColumns } from '../../core/text/columns.ts';
import { jsonLines, showable } from '../../core/text/single-line.ts';
import { isUnknown } from '../../core/unknown.ts';
import type { GatheredKind, Gatherer } from '../../gather/gatherer.ts';
import { platformGatherers } from '../../gather/platform-gatherers.ts';
import { runGatherers } from '../../gather/run-gatherers.ts';
import { lockDevices } from '../../probe/device-lock.ts';
import { CPU_DEVICE, deviceProber, listProbeDevices } from '../../probe/gpu/probe-device.ts';
import type { MemoryBandwidth } from '../../probe/memory-bandwidth/memory-bandwidth.ts';
import { probeMemory } from '../../probe/memory-bandwidth/probe-memory.ts';
import type { DeviceMeasurement, ProbeDevice, ProbeOutcome } from '../../probe/probe.ts';
import type { Env } from '../../process/child.ts';
import { type Command, homeOption, jsonOption } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { ProcessState } from '../process-state.ts';
import type { GpuProbeDocument, MemoryProbeDocument } from './probe-documents.ts';

// The GPUs of this machine as its gatherers find them, read once and without a daemon, with the sources that were tried: for
// `plimsoll probe gpu`.
interface GpuInventory {
  /** One entry for each vendor whose source answered; its list may be empty. */
  readonly gpus: readonly NodeGpus[];
  /** The result of every source that reported no device. */
  readonly sources: readonly GpuSource[];
}

interface GpuSource {
  readonly vendor: GpuVendor;
  readonly source: string;
  readonly reason: string;
  /** True: there are none. False: no source could determine it. */
  readonly isAbsence: boolean;
}

interface GpuInventoryOptions {
  readonly platform: string;
  readonly env: Env;
  readonly plimsollVersion: string;
  readonly signal: AbortSignal;
}

/** @throws the signal's reason, when it aborts. */
export const gpuInventory = async (options: GpuInventoryOptions): Promise<GpuInventory> => {
  const gatherers = platformGatherers({
    ...options,
    root: '/',
    settings: () => ({ name: undefined, ignoredInterfaces: [] }),
    onSettings: () => () => undefined,
    intervals: defaultConfig().gather,
  }).filter(gatherer => vendorsOf(gatherer).length > 0);
  const waiting = new Set(gatherers.flatMap(vendorsOf));
  const gpus = new Map<GpuVendor, NodeGpus>();
  const sources = new Map<GpuVendor, GpuSource>();
  const done = new AbortController();
  const settle = (vendor: GpuVendor): void => {
    waiting.delete(vendor);
    if (waiting.size === 0) done.abort();
  };
  const saw = (kind: GatheredKind, source: string, reason: string, isAbsence: boolean): void => {
    if (kind.reading !== 'gpus' || kind.vendor === 'none') return;
    sources.set(kind.vendor, { vendor: kind.vendor, source, reason, isAbsence });
    settle(kind.vendor);
  };
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const signal = AbortSignal.any([options.signal, done.signal, patience]);
  if (waiting.size > 0) {
    await runGatherers(gatherers, {
      clock: systemClock,
      signal,
      sink: {
        reading: (_, source, reading) => {
          if (reading.kind !== 'gpus') return;
          const { vendor, devices } = reading.value;
          gpus.set(vendor, reading.value);
          if (devices.length === 0) {
            sources.set(vendor, { vendor, source, reason: 'it lists no device', isAbsence: true });
          }
          settle(vendor);
        },
        failure: (_, kind, source, reason) => saw(kind, source, reason, false),
        absence: (_, kind, source, reason) => saw(kind, source, reason, true),
      },
    });
  }
  options.signal.throwIfAborted();
  for (const vendor of waiting) {
    const reason = `no answer in ${PATIENCE_MS / 1_000} s`;
    sources.set(vendor, { vendor, source: `${vendor} gatherer`, reason, isAbsence: false });
  }
  return { gpus: [...gpus.values()], sources: [...sources.values()] };
};

const vendorsOf = (gatherer: Gatherer): readonly GpuVendor[] =>
  gatherer.reports.flatMap(({ reading, vendor }) =>
    reading === 'gpus' && vendor !== 'none' ? [vendor] : [],
  );

/** A driver without persistence mode takes seconds to start. */
const PATIENCE_MS = 15_000;

const deviceOption: Option<string | undefined> = value({
  name: 'device',
  valueName: 'ID',
  meaning:
    'Only the device with this id; cpu for the processor. Default: every GPU, or the processor if there is none.',
  parse: nonEmpty,
});

export const probeGpuCommand: Command = {
  name: 'probe gpu',
  summary: 'Measure the GPUs of this machine, or its processor',
  description:
    'Multiplies matrices and reads memory for a few seconds on each device. Do not run it while models are being served.',
  arguments: [],
  options: [homeOption, deviceOption, jsonOption],
  prints: ['gpu-probe'],
  examples: [
    { line: 'plimsoll probe gpu', meaning: 'every device of this machine' },
    { line: 'plimsoll probe gpu --device cpu --json', meaning: 'the processor, for scripts' },
  ],
  run: async (invocation, state) => {
    const isJson = invocation.option(jsonOption);
    using _machine = machineForProbe('plimsoll probe gpu', invocation.option(homeOption), state);
    const inventory = await gpuInventory({
      platform: state.platform,
      env: state.env,
      plimsollVersion: state.version,
      signal: state.stop,
    });
    const devices = requested(inventory, invocation.option(deviceOption));
    const print = async (lines: readonly string[]): Promise<void> => {
      if (!isJson) await state.stdout.write(`${lines.join('\n')}\n`);
    };
    const isWithoutGpu = listProbeDevices(inventory.gpus)[0] === CPU_DEVICE;
    if (isWithoutGpu) await print(noGpuLines(inventory));
    const probe = deviceProber({ env: state.env, nodePath: state.nodePath });
    const results: { readonly device: ProbeDevice; readonly outcome: ProbeOutcome<DeviceMeasurement> }[] = [];
    // One after another: two at once would share memory, power or heat.
    for (const device of devices) {
      const outcome = await probe(device, state.stop);
      results.push({ device, outcome });
      await print(outcomeLines(device, outcome));
    }
    if (isJson) {
      const { sources } = inventory;
      const document: GpuProbeDocument = { schema: 'plimsoll.gpu-probe/1', devices: results, sources };
      await state.stdout.write(jsonLines(document));
    }
    const hasFailed = results.some(({ outcome }) => outcome.kind === 'failed');
    return hasFailed ? EXIT_CODES.probeFailed.code : EXIT_CODES.ok.code;
  },
};

export const probeMemoryCommand: Command = {
  name: 'probe memory',
  summary: "Measure the bandwidth of this machine's memory",
  description:
    'All processors read and copy buffers larger than the last-level cache for a few seconds, using at most an eighth of the free memory.',
  arguments: [],
  options: [homeOption, jsonOption],
  prints: ['memory-probe'],
  examples: [{ line: 'plimsoll probe memory', meaning: 'read and copy, all processors' }],
  run: async (invocation, state) => {
    using _machine = machineForProbe('plimsoll probe memory', invocation.option(homeOption), state);
    const outcome = await probeMemory({ env: state.env, nodePath: state.nodePath, signal: state.stop });
    if (outcome.kind === 'failed') {
      throw new CommandError(
        'probeFailed',
        `memory was not measured: ${outcome.reason}`,
        'Try again when the machine is less busy.',
      );
    }
    const { bandwidth } = outcome;
    const document: MemoryProbeDocument = { schema: 'plimsoll.memory-probe/1', ...bandwidth };
    await state.stdout.write(
      invocation.option(jsonOption) ? jsonLines(document) : `${lines(bandwidth).join('\n')}\n`,
    );
    return EXIT_CODES.ok.code;
  },
};

/**
 * Without a home there is nobody to agree with.
 * @throws CommandError `probeFailed` while somebody measures.
 */
const machineForProbe = (
  who: string,
  homeOption: string | undefined,
  state: ProcessState,
): Disposable | undefined => {
  const home = resolveHome({ ...state, option: homeOption });
  const machine = lockDevices(home, { who, pid: state.pid, what: 'this machine' });
  switch (machine.kind) {
    case 'held':
      return machine.lock;
    case 'unguarded':
      return undefined;
    case 'busy':
      throw new CommandError(
        'probeFailed',
        `${showable(machine.reason)}: two at once would measure each other`,
        'Try again in a minute. What the daemon has measured shows: plimsoll status',
      );
    default:
      return machine satisfies never;
  }
};

const requested = (inventory: GpuInventory, id: string | undefined): readonly ProbeDevice[] => {
  const devices = listProbeDevices(inventory.gpus);
  if (id === undefined) return devices;
  const known = devices.includes(CPU_DEVICE) ? devices : [...devices, CPU_DEVICE];
  const meant = known.filter(({ deviceId }) => deviceId === id);
  if (meant.length > 0) return meant;
  const ids = known.map(({ deviceId, deviceName }) => `${deviceId} (${deviceName})`).join(', ');
  throw new CommandError('usage', `this machine has no device ${JSON.stringify(id)}`, `It has: ${ids}.`);
};

const noGpuLines = ({ sources }: GpuInventory): readonly string[] => {
  const isCertain = sources.every(({ isAbsence }) => isAbsence);
  return [
    isCertain
      ? 'No GPU on this machine.'
      : 'No GPU was found on this machine, and not every source could be read:',
    ...sources.map(({ vendor, source, reason }) => `  ${vendor}: ${reason} (${source})`),
    'Its processor instead:',
    '',
  ];
};

const outcomeLines = (device: ProbeDevice, outcome: ProbeOutcome<DeviceMeasurement>): readonly string[] => {
  if (outcome.kind === 'failed')
    return [`${device.deviceName} (${device.deviceId})`, `  not measured: ${outcome.reason}`];
  const { measurement } = outcome;
  const atLeast = measurement.isLowerBound ? '≥ ' : '';
  return [
    `${measurement.deviceName} (${measurement.deviceId}), by ${measurement.engine}`,
    ...inColumns(
      DEVICE_MEASURES.filter(({ isOfGpus }) => isOfGpus !== true || measurement.deviceKind !== 'cpu').map(
        ({ label, figure, unit }) => {
          const value = measurement[figure];
          const prefix = unit === 'bytes/s' ? '' : atLeast;
          const text = isUnknown(value)
            ? `unknown: ${value.reason}`
            : `${prefix}${figureText(FIGURE_UNITS[unit].format(value))}`;
          return [label, text];
        },
      ),
    ),
    ...measurement.method.split('; ').map(part => `  ${part}`),
  ];
};

const lines = (bandwidth: MemoryBandwidth): readonly string[] => {
  const { lastLevelCacheBytes: cache, readRounds, copyRounds, gemvRounds } = bandwidth;
  return [
    `read   ${rate(bandwidth.readBytesPerSecond)}   (rounds: ${readRounds.map(rate).join(', ')})`,
    `copy   ${rate(bandwidth.copyBytesPerSecond)}   read plus written (rounds: ${copyRounds.map(rate).join(', ')})`,
    `GEMV   ${rate(bandwidth.gemvBytesPerSecond)}   (rounds: ${gemvRounds.map(rate).join(', ')})`,
    `last-level cache   ${isUnknown(cache) ? `unknown: ${cache.reason}` : figureText(formatBytes(cache))}`,
    bandwidth.method,
  ];
};

const rate = (bytesPerSecond: number): string => figureText(formatBytesPerSecond(bytesPerSecond));
