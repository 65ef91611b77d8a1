import { describe, expect, test } from 'vitest';
import { tiles } from '../../../dashboard/src/cluster/tiles.ts';
import type { Fact } from '../../../src/core/event-kinds.ts';
import { EMPTY_STATE } from '../../../src/core/state.ts';
import { measuredGpu } from '../../e2e/links.ts';
import { notebook, rack, studio } from '../../e2e/machines.ts';
import { at, stateOf, stillSpeaking, viewsOf } from './cluster-state.ts';

const tilesOf = (state = EMPTY_STATE, nowMs = 0) => tiles(viewsOf(state, nowMs));

const profiled = (deviceId: string, isLowerBound = false): Fact => ({
  kind: 'gpu.profiled',
  payload: {
    deviceId,
    deviceName: 'NVIDIA GB10',
    fp32FlopsPerSecond: { kind: 'unknown', reason: 'not measured' },
    measuredAgeMs: 0,
    intervalMs: 3_600_000,
    deviceKind: 'gpu',
    engine: 'made up',
    fp16FlopsPerSecond: 23.6e12,
    memoryReadBytesPerSecond: 661e9,
    memoryCopyBytesPerSecond: 600e9,
    memoryGemvBytesPerSecond: 600e9,
    int8OperationsPerSecond: { kind: 'unknown', reason: 'not measured' },
    fp8FlopsPerSecond: { kind: 'unknown', reason: 'not measured' },
    isLowerBound,
    method: 'made up',
    failure: 'none',
  },
});

describe('the totals', () => {
  test('before anything is known are dashes, not zeros', () => {
    expect(tilesOf().map(tile => tile.value.figure)).toEqual(['–', '–', '–']);
    expect(tilesOf().map(tile => tile.part)).toEqual([
      'GPUs not detected yet',
      'GPUs not detected yet',
      'not read yet',
    ]);
  });

  test('report how much of the cluster was measured', () => {
    const [compute, bandwidth] = tilesOf(stateOf(at(studio), at(rack)));
    expect(compute).toMatchObject({
      value: { figure: '–', unit: '' },
      part: '0 of 3 GPUs measured · 39\u202f% busy',
    });
    expect(bandwidth?.part).toBe('0 of 3 GPUs measured');
  });

  test('call nothing busy from figures that are late', () => {
    const state = stillSpeaking(at(rack), 5_000, ({ kind }) => kind !== 'gpuLoads.gathered');
    expect(tilesOf(state, 5_000)[0]).toMatchObject({
      part: '0 of 2 GPUs measured',
      segments: [{ load: undefined }],
    });
  });

  test('sum what was measured, and mark a lower bound', () => {
    const { machine, facts } = at(studio);
    const [compute, bandwidth] = tilesOf(
      stateOf({ machine, facts: [...facts, profiled('apple-0', true)] }, at(notebook)),
    );
    expect(compute?.value).toEqual({ figure: 'at least 23.6', unit: 'TFLOPS' });
    expect(bandwidth).toMatchObject({
      value: { unit: 'GB/s' },
      part: '1 of 2 GPUs measured · load not measured',
    });
  });

  test('memory counts hosts and cards, with one hold a node', () => {
    const memory = tilesOf(stateOf(at(studio), at(rack)))[2];
    expect(memory?.value).toEqual({ figure: '816', unit: 'GB' });
    expect(memory?.part).toContain(' · GPUs have 48.0\u00a0GB');
    expect(memory?.segments.map(segment => segment.share)).toEqual([512e9, 304e9]);
  });

  test('leave out a node that stopped answering', () => {
    expect(tilesOf(stateOf(at(studio)), 60_000)[2]?.value.figure).toBe('–');
  });
});

describe('processors', () => {
  test('are named next to the sum of the GPUs and never in it', () => {
    const cpu = measuredGpu('cpu', 1.2e12, 41e9, { deviceKind: 'cpu', engine: 'cpu' });
    const [identity] = rack.durable;
    if (identity === undefined) throw new Error('no identity');
    const bare = { ...rack, durable: [identity], live: () => [] };
    const both = stateOf(
      { machine: studio, facts: [...studio.durable, measuredGpu('apple-0', 23.6e12, 661e9)] },
      { machine: bare, facts: [...bare.durable, cpu] },
    );
    const [compute, bandwidth] = tilesOf(both);
    expect(compute).toMatchObject({ value: { figure: '23.6' }, part: '1 GPU · CPU apart' });
    expect(bandwidth?.part).toBe('1 GPU · load not measured · CPU apart');
    const [alone] = tilesOf(stateOf({ machine: bare, facts: [...bare.durable, cpu] }));
    expect(alone?.value.figure).toBe('–');
    expect(alone?.part).toContain('CPU apart: 1.20\u00a0TFLOPS');
  });
});
