// Identity of a Mac, combined from the output of its tools. Rosetta and virtual machines differ from a native Mac: what
// they leave out is unknown here.

import type { GpuDevice } from '../../core/node/gpu.ts';
import type { NodeIdentity } from '../../core/node/identity.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import { APPLE_GPU_ID } from '../macmon/macmon-readings.ts';
import { type SysctlValues, sysctlNumber } from '../sysctl/parse-sysctl.ts';
import type { ToolAnswer } from '../tool-output.ts';
import type { MacGpu, MacHardware, MacosVersion } from './parse-identity.ts';

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

export const SYSCTL_NAMES: readonly string[] = [
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
