// What a search for a load line asks of its stages.

import { describe, expect, test } from 'vitest';
import { withFailuresCounted } from '../../../src/bench/sweep/run-line.ts';
import type { Objective } from '../../../src/core/run/objective.ts';
import { stageParts } from './stage-setting.ts';

const askedOf = (...objectives: Objective[]): readonly Objective[] =>
  withFailuresCounted(stageParts({ url: 'http://127.0.0.1:1', directory: '.', objectives }).request)
    .objectives;

const MEAN: Objective = { kind: 'mean', name: 'ttft', limitNs: 5e8 };
const P95: Objective = { kind: 'percentile', name: 'ttft', percentile: 95, limitNs: 5e8 };
const EACH: Objective = { kind: 'request', name: 'ttft', limitNs: 5e8 };

describe('a search for a load line', () => {
  test('counts failures also where no objective does, so that a load which is refused is not carried', () => {
    const few: Objective = { kind: 'error-rate', limitShare: expect.closeTo(0.05) };
    expect(askedOf()).toEqual([few]);
    expect(askedOf(MEAN)).toEqual([MEAN, few]);
  });

  test('asks nothing more where failures count as misses already', () => {
    expect(askedOf(P95)).toEqual([P95]);
    expect(askedOf(EACH, MEAN)).toEqual([EACH, MEAN]);
    expect(askedOf({ kind: 'error-rate', limitShare: 0 })).toEqual([{ kind: 'error-rate', limitShare: 0 }]);
  });
});
