// /proc/cpuinfo, whose form differs by architecture: x86 names its model, POWER its processor, Arm only numbers the
// implementer and part of each core, RISC-V gives a microarchitecture or no more than the maker and instruction set.

import { type Reported, unknown } from '../../core/unknown.ts';

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

// Names of Arm cores by the numbers in /proc/cpuinfo. The kernel has the same numbers in
// arch/arm64/include/asm/cputype.h; Arm publishes its own as MIDR_EL1 values.

/** "Cortex-X925", or "implementer 0x41 part 0xd99" for one that is not in the table. */
export const armCoreName = (implementer: string, part: string): string =>
  CORE_NAMES.get(keyOf(implementer, part)) ??
  `implementer ${implementer.slice(0, 10)} part ${part.slice(0, 10)}`;

/** "Apple M1 Max": Apple uses new core numbers for each of its chips. Undefined for other makers. */
const armChipName = (implementer: string, part: string): string | undefined =>
  APPLE_CHIPS.get(keyOf(implementer, part).replace(/^0x61 /, ''));

const keyOf = (implementer: string, part: string): string =>
  `${implementer.toLowerCase()} ${part.toLowerCase()}`;

const CORE_NAMES: ReadonlyMap<string, string> = new Map([
  ['0x41 0xd02', 'Cortex-A34'],
  ['0x41 0xd03', 'Cortex-A53'],
  ['0x41 0xd04', 'Cortex-A35'],
  ['0x41 0xd05', 'Cortex-A55'],
  ['0x41 0xd06', 'Cortex-A65'],
  ['0x41 0xd07', 'Cortex-A57'],
  ['0x41 0xd08', 'Cortex-A72'],
  ['0x41 0xd09', 'Cortex-A73'],
  ['0x41 0xd0a', 'Cortex-A75'],
  ['0x41 0xd0b', 'Cortex-A76'],
  ['0x41 0xd0c', 'Neoverse-N1'],
  ['0x41 0xd0d', 'Cortex-A77'],
  ['0x41 0xd0e', 'Cortex-A76AE'],
  ['0x41 0xd40', 'Neoverse-V1'],
  ['0x41 0xd41', 'Cortex-A78'],
  ['0x41 0xd42', 'Cortex-A78AE'],
  ['0x41 0xd43', 'Cortex-A65AE'],
  ['0x41 0xd44', 'Cortex-X1'],
  ['0x41 0xd46', 'Cortex-A510'],
  ['0x41 0xd47', 'Cortex-A710'],
  ['0x41 0xd48', 'Cortex-X2'],
  ['0x41 0xd49', 'Neoverse-N2'],
  ['0x41 0xd4a', 'Neoverse-E1'],
  ['0x41 0xd4b', 'Cortex-A78C'],
  ['0x41 0xd4c', 'Cortex-X1C'],
  ['0x41 0xd4d', 'Cortex-A715'],
  ['0x41 0xd4e', 'Cortex-X3'],
  ['0x41 0xd4f', 'Neoverse-V2'],
  ['0x41 0xd80', 'Cortex-A520'],
  ['0x41 0xd81', 'Cortex-A720'],
  ['0x41 0xd82', 'Cortex-X4'],
  ['0x41 0xd83', 'Neoverse-V3AE'],
  ['0x41 0xd84', 'Neoverse-V3'],
  ['0x41 0xd85', 'Cortex-X925'],
  ['0x41 0xd87', 'Cortex-A725'],
  ['0x41 0xd88', 'Cortex-A520AE'],
  ['0x41 0xd89', 'Cortex-A720AE'],
  ['0x41 0xd8a', 'C1-Nano'],
  ['0x41 0xd8b', 'C1-Pro'],
  ['0x41 0xd8c', 'C1-Ultra'],
  ['0x41 0xd8e', 'Neoverse-N3'],
  ['0x41 0xd8f', 'Cortex-A320'],
  ['0x41 0xd90', 'C1-Premium'],
  // Broadcom began ThunderX2 as Vulcan.
  ['0x42 0x516', 'ThunderX2'],
  ['0x43 0x0a0', 'ThunderX'],
  ['0x43 0x0a1', 'ThunderX'],
  ['0x43 0x0a2', 'ThunderX'],
  ['0x43 0x0a3', 'ThunderX'],
  ['0x43 0x0af', 'ThunderX2'],
  ['0x43 0x0b8', 'ThunderX3'],
  ['0x46 0x001', 'A64FX'],
  ['0x46 0x003', 'MONAKA'],
  ['0x48 0xd01', 'TSV110'],
  ['0x48 0xd02', 'TSV120'],
  ['0x48 0xd40', 'Cortex-A76'],
  ['0x48 0xd41', 'Cortex-A77'],
  ['0x4e 0x000', 'Denver'],
  ['0x4e 0x003', 'Denver 2'],
  ['0x4e 0x004', 'Carmel'],
  ['0x4e 0x010', 'Olympus'],
  ['0x50 0x000', 'X-Gene'],
  ['0x51 0x001', 'Oryon'],
  ['0x51 0x002', 'Oryon'],
  ['0x51 0x800', 'Kryo 2xx Gold'],
  ['0x51 0x801', 'Kryo 2xx Silver'],
  ['0x51 0x802', 'Kryo 3xx Gold'],
  ['0x51 0x803', 'Kryo 3xx Silver'],
  ['0x51 0x804', 'Kryo 4xx Gold'],
  ['0x51 0x805', 'Kryo 4xx Silver'],
  ['0x51 0xc00', 'Falkor'],
  ['0x51 0xc01', 'Saphira'],
  ['0x61 0x022', 'Icestorm'],
  ['0x61 0x023', 'Firestorm'],
  ['0x61 0x024', 'Icestorm'],
  ['0x61 0x025', 'Firestorm'],
  ['0x61 0x028', 'Icestorm'],
  ['0x61 0x029', 'Firestorm'],
  ['0x61 0x032', 'Blizzard'],
  ['0x61 0x033', 'Avalanche'],
  ['0x61 0x034', 'Blizzard'],
  ['0x61 0x035', 'Avalanche'],
  ['0x61 0x038', 'Blizzard'],
  ['0x61 0x039', 'Avalanche'],
  // Microsoft's Cobalt 100 has cores of Arm under its own implementer.
  ['0x6d 0xd49', 'Neoverse-N2'],
  ['0x70 0x303', 'FTC310'],
  ['0x70 0x660', 'FTC660'],
  ['0x70 0x661', 'FTC661'],
  ['0x70 0x662', 'FTC662'],
  ['0x70 0x663', 'FTC663'],
  ['0x70 0x664', 'FTC664'],
  ['0x70 0x862', 'FTC862'],
  ['0xc0 0xac3', 'AmpereOne'],
  ['0xc0 0xac4', 'AmpereOne-A'],
  ['0xc0 0xac5', 'AmpereOne-B'],
]);

const APPLE_CHIPS: ReadonlyMap<string, string> = new Map([
  ['0x022', 'Apple M1'],
  ['0x023', 'Apple M1'],
  ['0x024', 'Apple M1 Pro'],
  ['0x025', 'Apple M1 Pro'],
  ['0x028', 'Apple M1 Max'],
  ['0x029', 'Apple M1 Max'],
  ['0x032', 'Apple M2'],
  ['0x033', 'Apple M2'],
  ['0x034', 'Apple M2 Pro'],
  ['0x035', 'Apple M2 Pro'],
  ['0x038', 'Apple M2 Max'],
  ['0x039', 'Apple M2 Max'],
]);
