import { describe, expect, test } from 'vitest';
import { nodeSums } from '../../../dashboard/src/node/node-sums.ts';
import { profileText } from '../../../dashboard/src/node/profile-text.ts';
import { runnerText } from '../../../dashboard/src/node/runner-text.ts';
import type { Fact } from '../../../src/core/event-kinds.ts';
import type { NodeView } from '../../../src/core/node/node-view.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { idOf, measuredGpu } from '../../e2e/links.ts';
import { rack, studio } from '../../e2e/machines.ts';
import { AT_WORK, stateOf, viewsOf } from '../cluster/cluster-state.ts';

const NOW_MS = 0;

const reported = (...facts: readonly Fact[]): NodeView => {
  const [view] = viewsOf(
    stateOf({ machine: rack, facts: [...rack.durable, ...rack.live(AT_WORK), ...facts] }),
  );
  if (view === undefined) throw new Error('no node');
  return view;
};

const gpu = (view: NodeView) => {
  const [device] = view.gpus.flatMap(({ devices }) => devices);
  if (device === undefined) throw new Error('no GPU');
  return device;
};

describe('the foot of a card', () => {
  test('has figures, engine and age', () => {
    const view = reported(
      measuredGpu('GPU-00000000', 165e12, 921e9, { engine: 'cuda', measuredAgeMs: 1_560_000 }),
    );
    expect(profileText(gpu(view), NOW_MS)).toMatchObject({
      figures: ['165\u00a0TFLOPS', '921\u00a0GB/s'],
      engine: 'cuda',
      age: '26\u00a0min ago',
      isLowerBound: false,
      failure: '',
    });
  });

  test('names FP32 where there is no FP16', () => {
    const view = reported(
      measuredGpu('GPU-00000000', 0, 921e9, {
        fp16FlopsPerSecond: unknown('the device has no FP16'),
        fp32FlopsPerSecond: 41.2e12,
      }),
    );
    expect(profileText(gpu(view), NOW_MS).figures).toEqual(['41.2\u00a0TFLOPS FP32', '921\u00a0GB/s']);
    expect(nodeSums(view)[0]).toMatchObject({ remark: 'the device has no FP16' });
  });

  test('keeps the last good figures next to a failure, and shows the next try', () => {
    const view = reported(measuredGpu('GPU-00000000', 165e12, 921e9, { failure: unknown('out of memory') }), {
      kind: 'probe.reported',
      payload: {
        subject: { kind: 'gpu', deviceId: 'GPU-00000000' },
        stage: { kind: 'idle', nextInMs: 60_000 },
      },
    });
    expect(profileText(gpu(view), NOW_MS)).toMatchObject({
      figures: ['165\u00a0TFLOPS', '921\u00a0GB/s'],
      isStale: true,
      failure: 'failed: out of memory, next try in 1\u00a0min',
    });
  });
});

describe('the sums of a node', () => {
  test('report of how many GPUs they are, and what is a lower bound', () => {
    const view = reported(measuredGpu('GPU-00000000', 165e12, 921e9, { isLowerBound: true }));
    expect(nodeSums(view)).toMatchObject([
      { value: { figure: '165' }, remark: '1 of 2 GPUs, lower bound' },
      { value: { figure: '921' }, remark: '1 of 2 GPUs, lower bound' },
    ]);
  });

  test('without a figure report why: what goes on now before what failed', () => {
    expect(nodeSums(reported())[0]).toMatchObject({ value: { figure: '–' }, remark: 'not measured yet' });
    const view = reported({
      kind: 'probe.reported',
      payload: {
        subject: { kind: 'gpu', deviceId: 'GPU-00000001' },
        stage: { kind: 'running', expectedMs: 8_000, isByHand: true },
      },
    });
    expect(nodeSums(view)[0]).toMatchObject({ remark: 'measuring, 8\u00a0s left' });
  });
});

describe('who works on a node', () => {
  const state = (requestsInFlight: number, source: 'run' | 'endpoint', runnerKey: string) =>
    stateOf({
      machine: studio,
      facts: [
        ...studio.durable,
        { kind: 'runner.reported', payload: { runnerKey, source, targetNode: idOf(rack), requestsInFlight } },
      ],
    });

  test('is a run by its id, or a server with requests in flight', () => {
    expect(runnerText(state(3, 'run', 'run 0412'), idOf(rack), NOW_MS)).toEqual({
      chip: 'runner active: run 0412',
      runId: '0412',
    });
    expect(runnerText(state(1, 'endpoint', 'endpoint x'), idOf(rack), NOW_MS)?.chip).toBe(
      'runner active: 1 request in flight',
    );
  });

  test('is nobody where the server rests, the lease has run out, or another node is meant', () => {
    expect(runnerText(state(0, 'endpoint', 'endpoint x'), idOf(rack), NOW_MS)).toBeUndefined();
    expect(runnerText(state(3, 'run', 'run 0412'), idOf(rack), NOW_MS + 11_000)).toBeUndefined();
    expect(runnerText(state(3, 'run', 'run 0412'), idOf(studio), NOW_MS)).toBeUndefined();
  });
});
