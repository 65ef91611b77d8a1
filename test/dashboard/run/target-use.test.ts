// What a run's page shows of the machine under load: current figures, measured ceilings, reasons for the rest.

import { describe, expect, test } from 'vitest';
import { movedPerSecond, targetUse } from '../../../dashboard/src/run/target-use.ts';
import type { Fact } from '../../../src/core/event-kinds.ts';
import type { State } from '../../../src/core/state.ts';
import { notebook, studio } from '../../e2e/machines.ts';
import { at, stateOf, viewsOf } from '../cluster/cluster-state.ts';

const profiled: Fact = {
  kind: 'gpu.profiled',
  payload: {
    deviceId: 'apple-0',
    deviceName: 'Apple M3 Ultra',
    deviceKind: 'gpu',
    engine: 'made up',
    fp16FlopsPerSecond: 54e12,
    fp32FlopsPerSecond: { kind: 'unknown', reason: 'not measured' },
    memoryReadBytesPerSecond: 661e9,
    memoryCopyBytesPerSecond: 600e9,
    memoryGemvBytesPerSecond: 600e9,
    int8OperationsPerSecond: { kind: 'unknown', reason: 'not measured' },
    fp8FlopsPerSecond: { kind: 'unknown', reason: 'not measured' },
    isLowerBound: false,
    method: 'made up',
    measuredAgeMs: 0,
    intervalMs: 3_600_000,
    failure: 'none',
  },
};

const useIn = (state: State, client: 'itself' | 'another', moved?: number) => {
  const [view, other] = viewsOf(state, 0);
  if (view === undefined || other === undefined) throw new Error('two machines were reported');
  return targetUse(state, view, client === 'itself' ? view.nodeId : other.nodeId, {
    nowMs: 0,
    movedPerSecond: moved,
  });
};

describe('how much of its machine a run uses', () => {
  test('is its memory under the load line and the use of its GPUs', () => {
    const { boards } = useIn(stateOf(at(studio), at(notebook)), 'itself');
    const [memory, use] = boards;
    expect(boards).toHaveLength(2);
    expect(memory).toMatchObject({ name: 'Memory', unit: 'GB' });
    expect(memory?.lines[0]?.at).toBeCloseTo((memory?.max ?? 0) * 0.85);
    expect(use).toMatchObject({ name: 'GPU use', end: 100, lines: [{ at: 100, name: 'busy' }] });
  });

  test('has a ceiling for memory traffic once that was measured, and shows that its use is not reported', () => {
    const { machine, facts } = at(studio);
    const { boards } = useIn(stateOf({ machine, facts: [...facts, profiled] }, at(notebook)), 'itself');
    expect(boards[2]).toMatchObject({
      name: 'Memory traffic',
      now: undefined,
      why: 'no source reports the current traffic',
      lines: [{ at: 661, name: 'ceiling' }],
    });
  });

  test('shows what the server counts of its memory traffic under the measured ceiling, also past it', () => {
    const { machine, facts } = at(studio);
    const state = stateOf({ machine, facts: [...facts, profiled] }, at(notebook));
    expect(useIn(state, 'itself', 500e9).boards[2]).toMatchObject({ now: 500, max: 661 });
    expect(useIn(state, 'itself', 900e9).boards[2]).toMatchObject({ now: 900, max: 900 });
  });

  test('takes the rate of the counters over the newest readings, and none of old or restarted ones', () => {
    const none = [null, null, null, null, null, null, null, null];
    const server = (readBytes: readonly (number | null)[]) => ({
      ...{ running: none, waiting: none, kvUsage: none, prefixHitShare: none, preemptions: none },
      readBytes,
      writtenBytes: readBytes.map(bytes => (bytes === null ? null : bytes / 10)),
    });
    const rate = (...bytes: (number | null)[]) => movedPerSecond({ server: server(bytes), stepMs: 500 });
    expect(rate(0, 0, 0, 1e9, 2e9, 3e9, 4e9, null)).toBeCloseTo((3e9 * 1.1) / 1.5, 0);
    expect(rate(1e9, 2e9, null, null, null, null, null, null)).toBeUndefined();
    expect(rate(9e9, 9e9, 9e9, 9e9, 9e9, 9e9, 0, 0)).toBeUndefined();
    expect(rate(...none)).toBeUndefined();
    expect(movedPerSecond({ stepMs: 500 })).toBeUndefined();
  });

  test('names the link to the client, or why there is none', () => {
    const state = stateOf(at(studio), at(notebook));
    expect(useIn(state, 'itself').linkText).toContain('cross no link');
    expect(useIn(state, 'another').linkText).toMatch(/^no link to .+ has been measured$/);
  });
});
