// How often two finished runs of one and the same server are judged to differ, from the directories of runs.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compareFinished, type FinishedOptions } from '../../../src/core/comparison/compare-finished.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { finishedSide } from '../../../src/metrics/finished-side.ts';
import { isLongRun } from '../../support/counts.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { writeTimedRun } from '../../support/timed-runs.ts';

const OPTIONS: FinishedOptions = {
  id: 'alarms',
  version: '0.0.0-test',
  startedAt: '2026-11-01T00:00:00.000Z',
  command: '',
  environment: { node: '24', os: 'made up', cpu: 'made up', cores: 2 },
  name: unknown('not given'),
  tags: {},
  primary: 'ttft.p50',
  margins: {},
  isAnyway: false,
  isSameModel: false,
};
const PAIRS = 400;
const REAL = 10;

describe('two finished runs of one server', () => {
  test.for([
    { phi: 0, name: 'independent of each other' },
    { phi: 0.6, name: 'like those before them' },
  ])(
    `whose requests are $name differ in at most 8 % of ${PAIRS}, at a level of 5 %`,
    { timeout: 900_000 },
    async ({ phi }, { skip }) => {
      if (!isLongRun) skip('800 runs each take minutes: npm run test:long');
      let alarms = 0;
      for (let pair = 0; pair < PAIRS + REAL; pair += 1) {
        using home = temporaryDirectory();
        const [a, b] = ['a', 'b'].map(name => join(home.path, name));
        if (a === undefined || b === undefined) throw new Error('no folder');
        const common = { requests: 400, stepNs: 1e9, outputTokens: 2, phi } as const;
        writeTimedRun(a, { ...common, seed: 2 * pair, run: { id: 'a' } });
        // A few that do differ, or a test that never finds a difference would pass.
        const factor = pair < PAIRS ? 1 : 1.4;
        writeTimedRun(b, { ...common, factor, seed: 2 * pair + 1, run: { id: 'b' } });
        const document = compareFinished(await finishedSide([a]), await finishedSide([b]), OPTIONS);
        expect(document.refusals).toEqual([]);
        const isDifferent = document.verdict.kind === 'different';
        if (pair >= PAIRS) expect(isDifferent).toBe(true);
        else if (isDifferent) alarms += 1;
      }
      expect(alarms).toBeLessThanOrEqual(0.08 * PAIRS);
    },
  );
});
