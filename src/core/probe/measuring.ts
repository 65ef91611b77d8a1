// Whether a measurement of bandwidth fills a cable of one of these nodes now.

import type { NodeId } from '../ids.ts';
import type { State } from '../state.ts';
import { stageOf } from './probe-stage.ts';

export const isMeasuring = (state: State, nodes: readonly NodeId[], nowMs: number): boolean =>
  Object.entries(state.probeStatuses).some(([prober, statuses]) =>
    Object.values(statuses).some(entry => {
      const { subject } = entry.value;
      if (subject.kind !== 'link' || entry.value.stage.kind !== 'running') return false;
      if (!nodes.some(node => node === prober || node === subject.sink)) return false;
      const stage = stageOf(entry, nowMs);
      // Elsewhere a status that has outlived its announced end is still accepted for a while; here it is not.
      return stage?.kind === 'running' && stage.leftMs > 0;
    }),
  );
