// Identity of a Mac and its GPU. What cannot change while the machine runs is read once; only the computer's name,
// which a person may change at any time, is read again. A tool that hangs (system_profiler does, for minutes) delays only
// what it alone reports: the rest is reported without it, and again when it has answered.

import { pause } from '../../clock/clock.ts';
import type { GpuDevice } from '../../core/node/gpu.ts';
import type { NodeIdentity } from '../../core/node/identity.ts';
import { isKnown, type Reported, unknown } from '../../core/unknown.ts';
import type { GatheredKind, Gatherer, GatherSession } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { APPLE_GPU_ID } from '../macmon/macmon-readings.ts';
import { poll } from '../poll.ts';
import { parseSysctl, type SysctlValues, sysctlNumber } from '../sysctl/parse-sysctl.ts';
import { answered, RememberedRead, type ToolAnswer, toolText, unanswered } from '../tool-output.ts';
import {
  type MacGpu,
  type MacHardware,
  type MacosVersion,
  parseComputerName,
  parseDisplays,
  parseHardware,
  parseSwVers,
} from './parse-identity.ts';

export const macosIdentityGatherer = (machine: MachineAccess): Gatherer => ({
  name: 'system-profiler-identity',
  reports: [IDENTITY, GPUS],
  intervalMs: machine.intervals.identityMs,
  gather: async session => {
    const { tools, host, intervals, plimsollVersion, settings, timeouts } = machine;
    const read =
      (command: string, ...args: readonly string[]) =>
      async (signal: AbortSignal) =>
        toolText(command, args, { tools, signal, timeoutMs: timeouts.toolMs });
    const hardware = new RememberedRead(
      reading(read('system_profiler', 'SPHardwareDataType', '-json'), parseHardware),
    );
    const displays = new RememberedRead(
      reading(read('system_profiler', 'SPDisplaysDataType', '-json'), parseDisplays),
    );
    const sysctl = new RememberedRead(
      reading(read('sysctl', '-i', ...SYSCTL_NAMES), text => answered(parseSysctl(text))),
    );
    const version = new RememberedRead(reading(read('sw_vers'), text => answered(parseSwVers(text))));
    const sources: ToolSources = {
      computerName: NOT_YET,
      hardware: NOT_YET,
      sysctl: NOT_YET,
      version: NOT_YET,
    };
    const identityOf = ({ computerName, ...answers }: ToolSources): NodeIdentity =>
      macosIdentity({
        ...answers,
        configuredName: settings().name,
        computerName: computerName.kind === 'answered' ? parseComputerName(computerName.value) : undefined,
        hostName: host.hostName(),
        architecture: host.architecture(),
        plimsollVersion,
      });
    await poll(session, intervals.identityMs, async signal => {
      const once = { clock: session.clock, signal, ageMsMax: Number.POSITIVE_INFINITY };
      let isLate = false;
      const emit = (): void =>
        session.emit('system_profiler', { kind: 'identity', value: identityOf(sources) });
      // Each keeps its answer of the last round until it has a new one, so that a slow tool makes no reading flicker.
      const keep = async <K extends keyof ToolSources>(
        name: K,
        answer: Promise<ToolSources[K]>,
      ): Promise<void> => {
        sources[name] = await answer;
        if (isLate && !signal.aborted) emit();
      };
      const all = Promise.all([
        keep('computerName', read('scutil', '--get', 'ComputerName')(signal)),
        keep('hardware', hardware.get(once)),
        keep('sysctl', sysctl.get(once)),
        keep('version', version.get(once)),
      ]);
      const ended = new AbortController();
      await Promise.race([
        all,
        pause(session.clock, timeouts.kernelMs, AbortSignal.any([signal, ended.signal])).then(() => {
          isLate = !ended.signal.aborted;
          if (isLate && !signal.aborted) emit();
        }),
      ]);
      ended.abort();
      await all;
      if (!isLate) emit();
      // The slowest of all: the machine's name should not wait for the number of GPU cores.
      reportGpu(session, await displays.get(once), identityOf(sources));
    });
  },
});

interface ToolSources {
  computerName: ToolAnswer<string>;
  hardware: ToolAnswer<MacHardware>;
  sysctl: ToolAnswer<SysctlValues>;
  version: ToolAnswer<MacosVersion>;
}

const reportGpu = (session: GatherSession, gpu: ToolAnswer<MacGpu>, identity: NodeIdentity): void => {
  if (isKnown(identity.memoryIsUnified) && !identity.memoryIsUnified) {
    session.absent(GPUS, 'system_profiler', 'not an Apple chip');
  } else if (gpu.kind === 'unanswered') {
    session.fail(GPUS, 'system_profiler', gpu.reason, gpu.code);
  } else {
    const devices = [appleGpu(gpu.value, identity.chip)];
    session.emit('system_profiler', { kind: 'gpus', value: { vendor: 'apple', devices } });
  }
};

const reading =
  <T>(read: (signal: AbortSignal) => Promise<ToolAnswer<string>>, parse: (text: string) => ToolAnswer<T>) =>
  async (signal: AbortSignal): Promise<ToolAnswer<T>> => {
    const text = await read(signal);
    return text.kind === 'answered' ? parse(text.value) : text;
  };

const NOT_YET = unanswered('the tool has not answered yet', 'no-answer');
const IDENTITY: GatheredKind = { reading: 'identity', vendor: 'none' };
const GPUS: GatheredKind = { reading: 'gpus', vendor: 'apple' };

// Identity of a Mac, combined from the output of its tools. Rosetta and virtual machines differ from a native Mac: what
// they leave out is unknown here.
interface MacosIdentitySources {
  readonly configuredName: string | undefined;
  readonly computerName: string | undefined;
  readonly hostName: string;
  /** Of the running Node. */
  readonly architecture: string;
  readonly plimsollVersion: string;
  readonly hardware: ToolAnswer<MacHardware>;
  readonly sysctl: ToolAnswer<SysctlValues>;
  readonly version: ToolAnswer<MacosVersion>;
}

const SYSCTL_NAMES: readonly string[] = [
  'hw.model',
  'hw.logicalcpu',
  'hw.optional.arm64',
  'kern.hv_vmm_present',
  'machdep.cpu.brand_string',
];

export const macosIdentity = (sources: MacosIdentitySources): NodeIdentity => {
  const { hardware, hostName, version } = sources;
  const reported = version.kind === 'answered' ? version.value : undefined;
  const versionMissing = unknown(
    version.kind === 'unanswered' ? version.reason : 'sw_vers does not report it',
  );
  const sysctl = sources.sysctl.kind === 'answered' ? sources.sysctl.value : new Map<string, string>();
  const profile = hardware.kind === 'answered' ? hardware.value : undefined;
  const model = profile?.modelName ?? profile?.modelIdentifier ?? sysctl.get('hw.model');
  const isAppleSilicon = appleSilicon(profile, sysctl);
  return {
    friendlyName: sources.configuredName ?? sources.computerName ?? hostName,
    hostName,
    model: model ?? unknown(hardware.kind === 'unanswered' ? hardware.reason : 'no tool reports the model'),
    chip: chipOf(profile, sysctl),
    // Node translated by Rosetta calls itself x64 on a machine that is not.
    architecture: isAppleSilicon === true ? 'arm64' : sources.architecture,
    cpuCount:
      sysctlNumber(sysctl, 'hw.logicalcpu') ??
      profile?.processorCount ??
      unknown('no tool reports the number of processors'),
    operatingSystem: {
      platform: 'macos',
      name: reported?.name ?? 'macOS',
      version: reported?.version ?? versionMissing,
      build: reported?.build ?? versionMissing,
    },
    memoryIsUnified: isAppleSilicon,
    virtualisation: virtualisationOf(model, sysctl),
    plimsollVersion: sources.plimsollVersion,
    isSimulated: false,
  };
};

export const appleGpu = (gpu: MacGpu, chip: Reported<string>): GpuDevice => ({
  deviceId: APPLE_GPU_ID,
  index: 0,
  name: gpu.name ?? (typeof chip === 'string' ? chip : 'Apple GPU'),
  memoryTotalBytes: unknown('unified memory'),
  memoryIsUnified: true,
  memoryReservedBytes: 0,
  driver: unknown('part of macOS'),
  runtime: gpu.metal ?? unknown('system_profiler does not report it'),
  architecture: chip,
  coreCount: gpu.coreCount ?? unknown('system_profiler does not report it'),
  pcieMax: unknown('part of the chip'),
  powerLimitWatts: unknown('macOS does not report it'),
  powerLimitDefaultWatts: unknown('macOS does not report it'),
  partitions: [],
});

/** Under Rosetta brand_string reads "VirtualApple @ 2.50GHz processor", which is not a chip's name. */
const chipOf = (profile: MacHardware | undefined, sysctl: SysctlValues): Reported<string> => {
  if (profile?.chip !== undefined) return profile.chip;
  const brand = sysctl.get('machdep.cpu.brand_string');
  if (brand === undefined || brand === '') return unknown('no tool reports the chip');
  if (brand.startsWith('VirtualApple'))
    return unknown('Node runs translated by Rosetta: install Node for arm64');
  return brand;
};

const appleSilicon = (profile: MacHardware | undefined, sysctl: SysctlValues): Reported<boolean> => {
  if (sysctl.get('hw.optional.arm64') === '1') return true;
  const chip = profile?.chip ?? sysctl.get('machdep.cpu.brand_string') ?? '';
  if (/Apple/.test(chip)) return true;
  if (/Intel/.test(chip)) return false;
  return unknown('no tool reports whether this is Apple silicon');
};

const virtualisationOf = (model: string | undefined, sysctl: SysctlValues): Reported<string> => {
  if (sysctl.get('kern.hv_vmm_present') === '1' || /Virtual/.test(`${model} ${sysctl.get('hw.model')}`)) {
    return 'virtual machine';
  }
  return sysctl.get('kern.hv_vmm_present') === '0' ? 'none' : unknown('sysctl does not report it');
};
