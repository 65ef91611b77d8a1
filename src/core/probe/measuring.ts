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
      // A status that has outlived what it announced is still believed for a while elsewhere; here it excuses nothing.
      return stage?.kind === 'running' && stage.leftMs > 0;
    }),
  );
