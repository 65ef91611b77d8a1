// Which drawing a machine gets, from its identity. Only a guess about the case: nothing depends on it, and unknown
// machines are drawn as the dashed box of a virtual machine.

import type { GpuDevice } from '../../../src/core/node/gpu.ts';
import type { NodeIdentity } from '../../../src/core/node/identity.ts';
import { knownOr } from '../../../src/core/unknown.ts';

export type MachineKind = 'studio' | 'mini' | 'macbook' | 'spark' | 'tower' | 'rack' | 'board' | 'vm';

export const machineKind = (
  identity: NodeIdentity | undefined,
  gpus: readonly Pick<GpuDevice, 'memoryIsUnified'>[],
): MachineKind => {
  if (identity === undefined) return 'vm';
  const model = knownOr(identity.model, '');
  const chip = knownOr(identity.chip, '');
  const named = BY_NAME.find(([pattern]) => pattern.test(model) || pattern.test(chip));
  if (named !== undefined) return named[1];
  const ownMemoryCount = gpus.filter(gpu => !gpu.memoryIsUnified).length;
  if (ownMemoryCount > 1) return 'rack';
  const virtualisation = knownOr(identity.virtualisation, 'none');
  if (virtualisation !== 'none') return ownMemoryCount === 1 ? 'rack' : 'vm';
  if (SERVER.test(model)) return 'rack';
  if (ownMemoryCount === 1 || model !== '') return 'tower';
  return 'vm';
};

export const MACHINE_LABELS: Readonly<Record<MachineKind, string>> = {
  studio: 'Mac Studio',
  mini: 'Mac mini',
  macbook: 'notebook',
  spark: 'DGX Spark',
  tower: 'tower',
  rack: 'rack server',
  board: 'single board',
  vm: 'virtual machine or unknown housing',
};

const BY_NAME: readonly (readonly [RegExp, MachineKind])[] = [
  [/mac ?studio/i, 'studio'],
  [/mac ?mini/i, 'mini'],
  [/macbook|thinkpad|laptop|notebook/i, 'macbook'],
  [/mac ?pro/i, 'tower'],
  [/dgx spark|\bgb10\b|\bgx10\b/i, 'spark'],
  [/jetson|raspberry|orange pi|rock ?(pi|5)|odroid/i, 'board'],
];

const SERVER = /supermicro|super server|poweredge|proliant|thinksystem|\bdgx\b|\bhgx\b|\b(as|sys)-\d/i;
