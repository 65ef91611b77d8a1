import { describe, expect, test } from 'vitest';
import { measuredText } from '../../../dashboard/src/node/measured-text.ts';
import { machineLoad } from '../../../dashboard/src/node/node-load.ts';
import { nodeText } from '../../../dashboard/src/node/node-text.ts';
import type { Fact } from '../../../src/core/event-kinds.ts';
import type { NodeView } from '../../../src/core/node/node-view.ts';
import type { ProbeStatus } from '../../../src/core/probe/probe-status.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { measuredGpu } from '../../e2e/links.ts';
import { type Machine, rack, studio } from '../../e2e/machines.ts';
import { AT_WORK, stateOf, viewsOf } from '../cluster/cluster-state.ts';

const reported = (machine: Machine, ...facts: readonly Fact[]): NodeView => {
  const [view] = viewsOf(
    stateOf({ machine, facts: [...machine.durable, ...machine.live(AT_WORK), ...facts] }),
  );
  if (view === undefined) throw new Error('no node');
  return view;
};

const probing = (deviceId: string, stage: ProbeStatus['stage']): Fact => ({
  kind: 'probe.reported',
  payload: { subject: { kind: 'gpu', deviceId }, stage },
});

const RUNNING = { kind: 'running', expectedMs: 8_000, isByHand: false } as const;

describe('what a node was measured at', () => {
  test('is its compute and its memory bandwidth', () => {
    expect(measuredText(reported(studio, measuredGpu('apple-0', 23.6e12, 661e9)))).toEqual({
      measured: '23.6\u00a0TFLOPS · 661\u00a0GB/s',
      compute: '23.6\u00a0TFLOPS',
      bandwidth: '661\u00a0GB/s',
      going: '',
    });
  });

  test('reports how long the probe still takes, and what it waits for', () => {
    expect(measuredText(reported(studio, probing('apple-0', RUNNING)))).toMatchObject({
      measured: 'measuring, 8\u00a0s left',
      compute: 'measuring',
    });
    const waiting = { kind: 'waiting', reason: 'a runner is active', nextInMs: 15_000 } as const;
    expect(measuredText(reported(studio, probing('apple-0', waiting)))).toMatchObject({
      measured: 'waits: a runner is active',
      compute: 'waits',
    });
  });

  test('of one card while the other is being measured names both', () => {
    const view = reported(rack, measuredGpu('GPU-00000000', 165e12, 921e9), probing('GPU-00000001', RUNNING));
    expect(nodeText(view)).toMatchObject({
      measured: 'GPU 0: 165\u00a0TFLOPS · 921\u00a0GB/s',
      vitals: 'GPU 1: measuring, 8\u00a0s left',
    });
    expect(machineLoad(view).bays.map(({ isMeasured }) => isMeasured)).toEqual([false, true]);
    expect(machineLoad(view).isMeasured).toBe(false);
  });

  test('by an engine that cannot reach the peak is at least that', () => {
    const view = reported(studio, measuredGpu('apple-0', 7e12, 300e9, { isLowerBound: true }));
    expect(measuredText(view).compute).toBe('7.00+\u00a0TFLOPS');
  });

  test('reports why the probe failed, and never calls FP32 compute FP16', () => {
    const nothing = unknown('out of memory');
    expect(
      measuredText(
        reported(
          studio,
          measuredGpu('apple-0', 0, 0, {
            fp16FlopsPerSecond: nothing,
            memoryReadBytesPerSecond: nothing,
            failure: nothing,
          }),
        ),
      ).measured,
    ).toBe('failed: out of memory');
    const single = { fp16FlopsPerSecond: unknown('no FP16'), fp32FlopsPerSecond: 2e12 };
    expect(measuredText(reported(studio, measuredGpu('apple-0', 0, 80e9, single))).compute).toBe(
      '2.00\u00a0TFLOPS FP32',
    );
  });

  test('of a machine without GPU is its processor, marked as such', () => {
    const [identity] = studio.durable;
    if (identity === undefined) throw new Error('no identity');
    const machine: Machine = { ...studio, durable: [identity], live: () => [] };
    const cpu = measuredGpu('cpu', 1.2e12, 41e9, { deviceKind: 'cpu', engine: 'cpu' });
    expect(measuredText(reported(machine, cpu))).toMatchObject({
      measured: 'CPU: 1.20\u00a0TFLOPS · 41.0\u00a0GB/s',
      compute: 'CPU 1.20\u00a0TFLOPS',
    });
  });
});
