import { expect, test } from 'vitest';
import { runViews } from '../../src/core/run/run-selectors.ts';
import { earlierLine, sweepViews } from '../../src/core/sweep/sweep-selectors.ts';
import { isKnown } from '../../src/core/unknown.ts';
import { pastLineDocument } from '../../src/simulate/past-lines.ts';
import { SimulatedWorld, stateOf } from './simulated-world.ts';

test('load lines of the days before are there at once, each with the runs of its stages, the older one underneath', async () => {
  await using world = new SimulatedWorld(8);
  await world.clock.advance(100);
  const [state, nowMs] = [stateOf(world), world.clock.nowMs()];
  const [newer, older] = sweepViews(state, nowMs);
  if (newer === undefined || older === undefined) throw new Error('there are two');
  expect(newer).toMatchObject({ state: 'complete', isLive: false, line: { kind: 'bracket' } });
  expect(newer.sweep.targetNode).toBe(world.nodeNamed('spark-1'));
  expect(earlierLine([newer, older], newer.sweep)).toBe(older);
  for (const view of [newer, older]) {
    const runs = runViews(state, nowMs).filter(
      ({ run }) => isKnown(run.sweep) && run.sweep.sweepId === view.sweep.sweepId,
    );
    expect(runs.map(({ run }) => run.runId).sort()).toEqual(view.stages.map(({ runId }) => runId).sort());
    expect(pastLineDocument(view.sweep, '0')?.stages).toHaveLength(view.stages.length);
  }
});
