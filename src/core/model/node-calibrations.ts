// Measurements of engines on a node, from any node.

import { ageMsOf } from '../entry-maps.ts';
import type { NodeId } from '../ids.ts';
import type { State } from '../state.ts';
import { isUnknown, type Reported } from '../unknown.ts';
import type { StoredCalibration } from './engine-calibration.ts';
import type { Engine } from './engine-constants.ts';

export const nodeCalibrations = (state: State, node: NodeId, nowMs: number): readonly StoredCalibration[] =>
  Object.values(state.engineCalibrations).flatMap(of =>
    Object.values(of)
      .filter(({ value }) => value.targetNode === node)
      .map(entry => ({ calibration: entry.value, ageMs: ageMsOf(entry, nowMs) })),
  );

/**
 * Measurements of the version that runs now; if there are none, all of them, with the note that they are of
 * another version.
 */
export const ofVersion = (
  all: readonly StoredCalibration[],
  engine: Engine,
  version: Reported<string>,
): { readonly calibrations: readonly StoredCalibration[]; readonly note: string } => {
  const own = all.filter(({ calibration }) => calibration.engine === engine);
  if (isUnknown(version) || own.length === 0) return { calibrations: own, note: '' };
  const same = own.filter(({ calibration }) => calibration.version === version);
  return same.length > 0
    ? { calibrations: same, note: '' }
    : {
        calibrations: own,
        note: `the server is ${version} now, which was never measured here: the constants are of another version`,
      };
};
