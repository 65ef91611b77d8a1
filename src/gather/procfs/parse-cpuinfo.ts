// /proc/cpuinfo, whose form differs by architecture: x86 names its model, Arm only numbers the implementer and part of
// each core.

import { type Reported, unknown } from '../../core/unknown.ts';
import { armCoreName } from './arm-core-name.ts';

export interface CpuInfo {
  /** "AMD EPYC 9354 32-Core Processor", "10 × Cortex-X925, 10 × Cortex-A725". */
  readonly chip: Reported<string>;
  /** Core name to processor numbers; one entry where all cores are alike, none where they are not named. */
  readonly coreKinds: ReadonlyMap<string, readonly number[]>;
  /** x86 says so when it runs under a hypervisor. */
  readonly hasHypervisorFlag: boolean;
}

export const parseCpuinfo = (text: string): CpuInfo => {
  const coreKinds = new Map<string, number[]>();
  let modelName: string | undefined;
  let hasHypervisorFlag = false;
  for (const block of text.split(/\n\s*\n/)) {
    const fields = fieldsOf(block);
    // "Hardware" and "Model" stand in a block of their own on Arm boards, "cpu model" on MIPS, "uarch" on RISC-V.
    modelName ??= fields.get('model name') ?? fields.get('cpu model') ?? fields.get('Model Name');
    hasHypervisorFlag ||= /(?:^| )hypervisor(?: |$)/.test(fields.get('flags') ?? '');
    const processor = fields.get('processor');
    const part = fields.get('CPU part');
    if (part === undefined || processor === undefined || !/^\d{1,6}$/.test(processor)) continue;
    if (coreKinds.size >= KINDS_MAX) break;
    const name = armCoreName(fields.get('CPU implementer') ?? '', part);
    coreKinds.set(name, [...(coreKinds.get(name) ?? []), Number(processor)]);
  }
  return { chip: chipOf(modelName, coreKinds), coreKinds, hasHypervisorFlag };
};

const fieldsOf = (block: string): ReadonlyMap<string, string> => {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon !== -1) fields.set(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  return fields;
};

const chipOf = (
  modelName: string | undefined,
  coreKinds: ReadonlyMap<string, readonly number[]>,
): Reported<string> => {
  const name = modelName?.replaceAll(/\s+/g, ' ').slice(0, NAME_LENGTH_MAX);
  if (name) return name;
  const kinds = [...coreKinds]
    .sort(([nameA, a], [nameB, b]) => b.length - a.length || (nameA < nameB ? 1 : -1))
    .map(([kind, cores]) => `${cores.length} × ${kind}`);
  return kinds.length === 0
    ? unknown('/proc/cpuinfo has no model name')
    : kinds.join(', ').slice(0, NAME_LENGTH_MAX);
};

const NAME_LENGTH_MAX = 200;
const KINDS_MAX = 8;
