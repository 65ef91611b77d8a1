// A stage whose load comes from agents: what is to be known is known while it goes on, as from one machine.

import { expect, test } from 'vitest';
import { runStage } from '../../../src/bench/sweep/run-stage.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { startMock } from '../../../src/mock/mock-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { partsHere } from '../run-here.ts';
import { rateOrder, stageParts } from '../sweep/stage-setting.ts';
import { FleetHere } from './agents-here.ts';

test('a stage from two agents ends when its purpose is reached, and every request is reported once', async () => {
  using folder = temporaryDirectory();
  await using mock = await startMock({ ttftMs: 5, gapMs: 1, outputTokens: 3 });
  const fleet = new FleetHere(folder.path, ['atlas', 'boreas'], { targets: [new URL(mock.url).origin] });
  const parts = stageParts({ url: mock.url, directory: folder.path });
  const { settings } = partsHere(folder.path);
  const { stage, report } = await runStage(
    rateOrder(100, { durationMs: 20_000, goal: { kind: 'count', ended: 40 } }),
    { ...parts, bench: { ...parts.bench, settings }, run: (request, bench) => fleet.run(request, bench) },
  );
  expect(report).toMatchObject({ complete: true, interrupted: false, run: { from: ['atlas', 'boreas'] } });
  if (isUnknown(stage.figures)) throw new Error(stage.figures.reason);
  const { elapsedNs, issued, completed, littlesLawRatio } = stage.figures;
  expect(elapsedNs).toBeLessThan(10e9);
  expect({ issued, completed }).toEqual({ issued: report.counts.issued, completed: report.counts.completed });
  expect(completed).toBeGreaterThanOrEqual(40);
  expect(littlesLawRatio).toBeCloseTo(1, 2);
  // Its agents did not cut it short: there is no notice about the plan.
  expect(report.agents?.map(({ planned }) => planned)).toEqual([
    { kind: 'unknown', reason: 'the load was ended before its time' },
    { kind: 'unknown', reason: 'the load was ended before its time' },
  ]);
});
