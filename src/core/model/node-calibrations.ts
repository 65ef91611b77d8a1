// What was measured of engines on a node, whoever measured it.

import { ageMsOf } from '../entry-maps.ts';
import type { NodeId } from '../ids.ts';
import type { State } from '../state.ts';
import type { HeldCalibration } from './engine-calibration.ts';

export const nodeCalibrations = (state: State, node: NodeId, nowMs: number): readonly HeldCalibration[] =>
  Object.values(state.engineCalibrations).flatMap(of =>
    Object.values(of)
      .filter(({ value }) => value.targetNode === node)
      .map(entry => ({ calibration: entry.value, ageMs: ageMsOf(entry, nowMs) })),
  );
