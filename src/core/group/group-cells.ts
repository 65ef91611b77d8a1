// A node as a cell of its group: how full its memory is, how busy its GPUs are, whether it is up, its worst
// level. Only what is drawn, so that a page can contain a thousand.

import { gpusOf, modelMemoryUse, usedShare } from '../node/memory-use.ts';
import { freshGpuUse, type NodeView, presenceWord } from '../node/node-view.ts';
import type { Group, GroupLevel } from './group-view.ts';

export interface GroupCell {
  readonly nodeId: NodeView['nodeId'];
  readonly name: string;
  readonly presence: ReturnType<typeof presenceWord>;
  readonly level: GroupLevel;
  /** Shares 0..1; undefined until reported. Memory that models are stored in; mean of the GPUs. */
  readonly memoryUse: number | undefined;
  readonly gpuUse: number | undefined;
}

export const groupCells = ({ members, warningList }: Group): readonly GroupCell[] => {
  const levels = new Map<string, GroupLevel>();
  // The list has the worst first, and the first one set is kept.
  for (const { level, nodes } of warningList)
    for (const node of nodes) if (!levels.has(node)) levels.set(node, level);
  return members.map(view => {
    const uses = gpusOf(view)
      .map(freshGpuUse)
      .filter(use => use !== undefined);
    return {
      nodeId: view.nodeId,
      name: view.name,
      presence: presenceWord(view),
      level: levels.get(view.nodeId) ?? 'none',
      memoryUse: usedShare(modelMemoryUse(view)),
      gpuUse: uses.length === 0 ? undefined : uses.reduce((sum, use) => sum + use, 0) / uses.length,
    };
  });
};
