// The levels of a group and its cells in whole per cent: finer changes are not visible, and a level that has
// not changed by one is not sent.

import type { Group } from '../group/group-view.ts';
import { gpusOf, modelMemoryUse, usedShare } from '../node/memory-use.ts';
import type { NodeView } from '../node/node-view.ts';
import { knownOr } from '../unknown.ts';
import type { GroupLevels } from './fleet-picture.ts';

export const groupLevels = ({ members, totals, memoryUse, gpuUse }: Group): GroupLevels => {
  const step = Math.max(1, totals.memoryTotalBytes.sum / 1_000);
  return {
    memory: members.map(view => percent(usedShare(modelMemoryUse(view)))),
    gpu: members.map(view => percent(meanGpuUse(view))),
    states: members.map(stateLetter).join(''),
    usedBytes: Math.round(Math.round(totals.memoryUsedBytes.sum / step) * step),
    ...(memoryUse === undefined ? {} : { memoryUse: hundredth(memoryUse) }),
    ...(gpuUse.knownCount === 0 ? {} : { gpuUse: hundredth(gpuUse.sum / gpuUse.knownCount) }),
  };
};

const stateLetter = (view: NodeView): string => {
  if (view.presence === 'offline') return view.stoppedMs === undefined ? 'o' : 't';
  if (view.presence === 'stale') return 's';
  return isMeasured(view) ? 'm' : 'l';
};

const isMeasured = (view: NodeView): boolean =>
  view.cpu.probe?.kind === 'running' || gpusOf(view).some(({ probe }) => probe?.kind === 'running');

const meanGpuUse = (view: NodeView): number | undefined => {
  const uses = gpusOf(view).flatMap(({ load, isLoadStale }) => {
    const use = load === undefined || isLoadStale ? undefined : knownOr(load.use, undefined);
    return use ?? [];
  });
  return uses.length === 0 ? undefined : uses.reduce((sum, use) => sum + use, 0) / uses.length;
};

const hundredth = (share: number): number => Math.round(share * 100) / 100;

const percent = (share: number | undefined): number | null =>
  share === undefined ? null : Math.round(Math.min(1, Math.max(0, share)) * 100);
