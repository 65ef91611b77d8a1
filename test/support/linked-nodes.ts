// Two nodes as events on one clock: what they have opened, lost and measured between them, for tests of links.

import { applyAll } from '../../src/core/apply.ts';
import type { Event } from '../../src/core/event.ts';
import { eventClass, type Fact, factKey, factOf } from '../../src/core/event-kinds.ts';
import { type NodeId, nodeId } from '../../src/core/ids.ts';
import { type Connection, connectionKey, type LossCode } from '../../src/core/link/connection.ts';
import { type LinkView, linkViews } from '../../src/core/link/link-view.ts';
import type { NetworkInterface } from '../../src/core/node/network.ts';
import { EMPTY_STATE, type State } from '../../src/core/state.ts';
import { unknown } from '../../src/core/unknown.ts';
import { LINK_FIGURES } from './link-figures.ts';
import { memoryFact } from './mesh-node.ts';

export const A: NodeId = nodeId('a'.repeat(26));
export const B: NodeId = nodeId('b'.repeat(26));
export const NOW_MS = 10_000_000;

export const socket = (
  sink: NodeId,
  address: string,
  interfaces: readonly [string, string],
): Extract<Connection, { kind: 'socket' }> => ({
  kind: 'socket',
  sink,
  sinkAddress: address,
  sourceInterface: interfaces[0],
  sinkInterface: interfaces[1],
  type: 'ethernet',
  negotiatedBitsPerSecond: 1e9,
});

export const port = (name: string, more: Partial<NetworkInterface> = {}): NetworkInterface => ({
  name,
  type: 'ethernet',
  typeEvidence: 'test',
  macAddress: unknown('test'),
  isUp: true,
  speedBitsPerSecond: 1e9,
  mtuBytes: 1_500,
  driver: unknown('test'),
  addresses: [],
  members: [],
  ...more,
});

export const network = (...interfaces: readonly NetworkInterface[]): Fact =>
  factOf('network.gathered', { source: 'test', intervalMs: 10_000, value: { interfaces } });

export const here: Fact = factOf('endpoints.reported', { meshPort: 1, reachabilityPort: 1 });
export const memory: Fact = memoryFact(1);

export const lost = (
  { sink, ...connection }: Connection,
  { code = 'no-answer' }: { readonly code?: LossCode } = {},
): Fact => {
  const whole = { ...connection, sink };
  return factOf('connection.lost', {
    sink,
    connectionKey: connectionKey(whole),
    connection: whole,
    code,
    reason: 'no answer',
    lostAgeMs: 0,
  });
};

/** Events of two nodes on one clock. */
export class Cluster {
  state: State = EMPTY_STATE;
  readonly #seqs = new Map<string, number>();

  record(origin: NodeId, atMs: number, ...facts: readonly Fact[]): this {
    const events = facts.map((fact): Event => {
      const slot = origin + eventClass(fact.kind);
      const seq = (this.#seqs.get(slot) ?? 0) + 1;
      this.#seqs.set(slot, seq);
      const head = { origin, epoch: 1, class: eventClass(fact.kind), seq, key: factKey(fact), ageMs: 0 };
      return { ...head, receivedAtMs: atMs, ...fact };
    });
    this.state = applyAll(this.state, events);
    return this;
  }

  /** Both are present at the moment that a test asks about. */
  present(atMs = NOW_MS): this {
    return this.record(A, atMs, here, memory).record(B, atMs, here, memory);
  }

  link(nowMs = NOW_MS): LinkView {
    const [link] = linkViews(this.state, nowMs);
    if (link === undefined) throw new Error('there is no link');
    return link;
  }
}

export const profile = (
  source: NodeId,
  connection: Connection,
  bits: readonly [number, number],
  ageMs = 0,
): Fact =>
  factOf('link.profiled', {
    ...LINK_FIGURES,
    sink: connection.sink,
    connectionKey: connectionKey(connection),
    uploadBitsPerSecond: bits[0],
    downloadBitsPerSecond: bits[1],
    roundTripNsP50: bits[0] + (source === A ? 1 : 2),
    measuredAgeMs: ageMs,
  });
