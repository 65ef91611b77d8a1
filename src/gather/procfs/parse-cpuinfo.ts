// /proc/cpuinfo, whose form differs by architecture: x86 names its model, POWER its processor, Arm only numbers the
// implementer and part of each core, RISC-V gives a microarchitecture or no more than the maker and instruction set.

import { type Reported, unknown } from '../../core/unknown.ts';
import { armChipName, armCoreName } from './arm-core-name.ts';

export interface CpuInfo {
  /** "AMD EPYC 9354 32-Core Processor", "10 × Cortex-X925, 10 × Cortex-A725", "Apple M1 Max (8 × Firestorm, 2 × Icestorm)". */
  readonly chip: Reported<string>;
  /** Core name to processor numbers; one entry if all cores are equal, none if they have no names. */
  readonly coreKinds: ReadonlyMap<string, readonly number[]>;
  /** x86 has a flag for running under a hypervisor. */
  readonly hasHypervisorFlag: boolean;
}

/** `deviceTreeCore`: `compatible` of a core in the device tree, "thead,c920", which RISC-V kernels do not always repeat. */
export const parseCpuinfo = (text: string, deviceTreeCore = ''): CpuInfo => {
  const coreKinds = new Map<string, number[]>();
  let modelName: string | undefined;
  let maker: string | undefined;
  let hasHypervisorFlag = false;
  for (const block of text.split(/\n\s*\n/)) {
    const fields = fieldsOf(block);
    modelName ??= modelNameIn(fields);
    hasHypervisorFlag ||= /(?:^| )hypervisor(?: |$)/.test(fields.get('flags') ?? '');
    const implementer = fields.get('CPU implementer') ?? '';
    const part = fields.get('CPU part');
    const processor = fields.get('processor');
    if (processor === undefined || !/^\d{1,6}$/.test(processor)) continue;
    const name = part === undefined ? riscvCoreName(fields, deviceTreeCore) : armCoreName(implementer, part);
    if (name === undefined) continue;
    if (coreKinds.size >= KINDS_MAX && !coreKinds.has(name)) break;
    maker ??= part === undefined ? undefined : armChipName(implementer, part);
    const processors = coreKinds.get(name) ?? [];
    processors.push(Number(processor));
    coreKinds.set(name, processors);
  }
  return { chip: chipOf(modelName, coreKinds, maker), coreKinds, hasHypervisorFlag };
};

/** "10 × Cortex-X925, 10 × Cortex-A725": most first; of as many, the kind that is numbered later: firmware begins with the small cores. */
export const coreList = (coreKinds: CpuInfo['coreKinds']): string =>
  [...coreKinds]
    .sort(([, a], [, b]) => b.length - a.length || (b[0] ?? 0) - (a[0] ?? 0))
    .map(([kind, cores]) => `${cores.length} × ${kind}`)
    .join(', ')
    .slice(0, NAME_LENGTH_MAX);

const fieldsOf = (block: string): ReadonlyMap<string, string> => {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon !== -1) fields.set(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  return fields;
};

/**
 * "model name" on x86, "cpu model" on MIPS, "Model Name" on LoongArch; "cpu" on POWER, with the mode that it runs in:
 * "POWER9 (architected), altivec supported". Arm kernels for 32-bit programs print the architecture there, which names
 * no processor: "ARMv8 Processor rev 0 (v8l)".
 */
const modelNameIn = (fields: ReadonlyMap<string, string>): string | undefined => {
  const name =
    fields.get('model name') ??
    fields.get('cpu model') ??
    fields.get('Model Name') ??
    fields.get('cpu')?.replace(/\s*[(,].*$/, '');
  if (name?.startsWith('Phytium,') === true) return name.replace(',', ' ');
  return name === '' || /^(?:AArch64|ARMv\d\w*)(?:-compatible)? Processor\b/i.test(name ?? '')
    ? undefined
    : name;
};

/** "C920" of "thead,c920"; without it "T-Head rv64imafdcv", by the maker's JEDEC number (asm/vendorid_list.h). */
const riscvCoreName = (fields: ReadonlyMap<string, string>, deviceTreeCore: string): string | undefined => {
  const isa = /^rv(?:32|64)[a-z]{1,30}/.exec(fields.get('isa') ?? '')?.[0];
  if (isa === undefined) return undefined;
  const core = /^[a-z0-9-]{1,30},([a-z0-9.-]{1,30})/.exec(fields.get('uarch') ?? deviceTreeCore)?.[1];
  if (core !== undefined) return core.toUpperCase();
  return `${RISCV_MAKERS.get(fields.get('mvendorid') ?? '') ?? 'RISC-V'} ${isa}`;
};

/** A chip with two of Apple's largest dies has the cores of both, by the numbers of one. */
const ultraOf = (maker: string, coreKinds: CpuInfo['coreKinds']): string =>
  [...coreKinds.values()].some(({ length }) => length > MAX_CORES_OF_ONE_KIND)
    ? maker.replace(/ Max$/, ' Ultra')
    : maker;

const chipOf = (
  modelName: string | undefined,
  coreKinds: CpuInfo['coreKinds'],
  maker: string | undefined,
): Reported<string> => {
  const name = modelName?.replaceAll(/\s+/g, ' ').slice(0, NAME_LENGTH_MAX);
  if (name) return name;
  const cores = coreList(coreKinds);
  if (cores === '') return unknown('/proc/cpuinfo has no model name');
  return maker === undefined ? cores : `${ultraOf(maker, coreKinds)} (${cores})`;
};

const RISCV_MAKERS: ReadonlyMap<string, string> = new Map([
  ['0x31e', 'Andes'],
  ['0x489', 'SiFive'],
  ['0x5b7', 'T-Head'],
  ['0x70a', 'UltraRISC'],
  ['0x710', 'SpacemiT'],
]);
/** M1 Max and M2 Max have eight performance cores. */
const MAX_CORES_OF_ONE_KIND = 8;
const NAME_LENGTH_MAX = 200;
const KINDS_MAX = 8;
