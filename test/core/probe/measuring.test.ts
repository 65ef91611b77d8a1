import { describe, expect, it } from 'vitest';
import { applyAll } from '../../../src/core/apply.ts';
import type { Event } from '../../../src/core/event.ts';
import { type NodeId, nodeId } from '../../../src/core/ids.ts';
import { isMeasuring } from '../../../src/core/probe/measuring.ts';
import { type ProbeStatus, probeKey } from '../../../src/core/probe/probe-status.ts';
import { EMPTY_STATE } from '../../../src/core/state.ts';
import { unknown } from '../../../src/core/unknown.ts';

const ATLAS = nodeId('a'.repeat(26));
const JUNO = nodeId('b'.repeat(26));
const VESTA = nodeId('c'.repeat(26));
const LINK = { kind: 'link', sink: JUNO, connectionKey: 'socket 10.0.0.2' } as const;
const RUNNING = { kind: 'running', expectedMs: 8_000, isByHand: false } as const;

const reported = (origin: NodeId, payload: ProbeStatus): Event => ({
  kind: 'probe.reported',
  origin,
  epoch: 1,
  class: 'live',
  seq: 1,
  key: probeKey(payload.subject),
  ageMs: 0,
  receivedAtMs: 1_000,
  payload,
});

describe('a measurement of bandwidth', () => {
  const state = applyAll(EMPTY_STATE, [reported(ATLAS, { subject: LINK, stage: RUNNING })]);

  it('is at both of its ends, for as long as it announced', () => {
    expect(isMeasuring(state, [ATLAS], 2_000)).toBe(true);
    expect(isMeasuring(state, [VESTA, JUNO], 8_900)).toBe(true);
    expect(isMeasuring(state, [VESTA], 2_000)).toBe(false);
    expect(isMeasuring(state, [ATLAS, JUNO], 9_001)).toBe(false);
  });

  it('is none while it waits, nor where a GPU is measured', () => {
    const waiting = {
      kind: 'waiting',
      reason: 'a runner is active',
      nextInMs: unknown('not reported'),
    } as const;
    const gpu = { kind: 'gpu', deviceId: '0' } as const;
    const others = applyAll(EMPTY_STATE, [
      reported(ATLAS, { subject: LINK, stage: waiting }),
      reported(ATLAS, { subject: gpu, stage: RUNNING }),
    ]);
    expect(isMeasuring(others, [ATLAS, JUNO], 2_000)).toBe(false);
  });
});
