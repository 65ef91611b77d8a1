// What is requested of the nodes of an accepted cluster: few requests, because a node takes few of another one in an hour.

import { expect, test } from 'vitest';
import { probeTargets } from '../../../src/cli/accept/probe-round.ts';
import type { Measurable } from '../../../src/core/acceptance/accept-cluster.ts';
import type { ProbeSubject } from '../../../src/core/probe/probe-status.ts';
import { A, B } from '../../support/linked-nodes.ts';

const measurable = (subject: ProbeSubject, at: number): Measurable => ({
  key: String(at),
  node: A,
  subject,
  isFresh: false,
  triedAtMs: 0,
});

const ALL: readonly Measurable[] = [
  ...['gpu-0', 'gpu-1', 'gpu-2'].map((deviceId): ProbeSubject => ({ kind: 'gpu', deviceId })),
  ...['en0', 'en1'].map((connectionKey): ProbeSubject => ({ kind: 'link', sink: B, connectionKey })),
].map(measurable);

test('all devices of a node, and all connections of two, are one request each', () => {
  expect(probeTargets(ALL, ALL)).toEqual([
    { kind: 'gpu', nodeId: A },
    { kind: 'link', source: A, sink: B },
  ]);
});

test('of those that are partly fresh, each of the others is requested alone', () => {
  const due = ALL.filter(({ key }) => key !== '1' && key !== '3');
  expect(probeTargets(due, ALL)).toEqual([
    { kind: 'gpu', nodeId: A, deviceId: 'gpu-0' },
    { kind: 'gpu', nodeId: A, deviceId: 'gpu-2' },
    { kind: 'link', source: A, sink: B, connectionKey: 'en1' },
  ]);
});
