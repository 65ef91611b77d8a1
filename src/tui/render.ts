// From state to lines of a terminal. Pure: the same state at the same moment gives the same lines.

import type { NodeId } from '../core/ids.ts';
import { nodeView } from '../core/node/node-view.ts';
import { knownValue } from '../core/node/reading-view.ts';
import type { State } from '../core/state.ts';
import { isKnown } from '../core/unknown.ts';
import { layoutRows } from './layout.ts';
import { type Line, type PaintOptions, paint, part } from './part.ts';
import { readingFacts } from './reading-rows.ts';

export interface RenderOptions extends PaintOptions {
  readonly columns: number;
  /** The node whose daemon reports all of it; marked. */
  readonly self?: NodeId;
}

/**
 * One machine on one screen, every reading with its age or the reason why it is missing.
 * `hasGpuTable`: its GPUs have a table below, so only their faults are listed here.
 */
export const renderSummary = (
  state: State,
  nodeId: NodeId,
  nowMs: number,
  options: RenderOptions & { readonly hasGpuTable?: boolean },
): readonly string[] => {
  const view = nodeView(state, nodeId, nowMs);
  const identity = knownValue(view.identity);
  const title: Line = [
    part(view.name, 'strong'),
    ...(identity !== undefined && isKnown(identity.model) ? [part(` · ${identity.model}`)] : []),
    ...(identity?.isSimulated === true ? [part(' · simulated', 'caution')] : []),
  ];
  return [title, ...layoutRows(readingFacts(view, options.hasGpuTable === true), options.columns)].map(line =>
    paint(line, options),
  );
};
