import { expect, test } from 'vitest';
import { applyAll } from '../../src/core/apply.ts';
import type { Event } from '../../src/core/event.ts';
import { factKey } from '../../src/core/event-kinds.ts';
import { type NodeId, nodeId } from '../../src/core/ids.ts';
import { EMPTY_STATE } from '../../src/core/state.ts';
import { renderStatus } from '../../src/tui/render-status.ts';

const ATLAS = nodeId('a'.repeat(26));
const JUNO = nodeId('b'.repeat(26));
const VESTA = nodeId('c'.repeat(26));

const opened = (origin: NodeId, seq: number, sink: NodeId, sinkAddress: string): Event => {
  const payload = {
    kind: 'socket',
    sink,
    sinkAddress,
    sourceInterface: 'en0',
    sinkInterface: 'en0',
    type: 'ethernet',
    negotiatedBitsPerSecond: 1e9,
  } as const;
  const kind = 'connection.opened';
  const key = factKey({ kind, payload });
  return { kind, origin, epoch: 1, class: 'durable', seq, key, ageMs: 0, receivedAtMs: 1_000, payload };
};
const received = (origin: NodeId, receivedAtMs: number): Event => ({
  kind: 'reading.confirmed',
  origin,
  epoch: 1,
  class: 'live',
  seq: 1,
  key: 'network',
  ageMs: 0,
  receivedAtMs,
  payload: { reading: 'network', vendor: 'none', source: 'made up', intervalMs: 10_000 },
});

test('status counts the nodes by when they were last seen, and the connections that are open', () => {
  const state = applyAll(EMPTY_STATE, [
    opened(ATLAS, 1, JUNO, '10.0.0.2'),
    opened(ATLAS, 2, JUNO, 'fe80::2%en0'),
    opened(JUNO, 1, ATLAS, '10.0.0.1'),
    opened(VESTA, 1, ATLAS, '10.0.0.1'),
    received(ATLAS, 60_000),
    received(JUNO, 60_000),
  ]);
  const text = renderStatus(state, 60_000, [], { columns: 200, color: false, isUnicode: true }).join('\n');
  expect(text).toContain('3 nodes: 2 up, 1 offline · 3 connections of 1 link');
});
