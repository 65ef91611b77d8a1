import { describe, expect, test } from 'vitest';
import { nodeId } from '../../../src/core/ids.ts';
import type { ConnectionFacts } from '../../../src/core/link/link-facts.ts';
import { trafficFrom } from '../../../src/core/link/link-traffic.ts';
import { type CountedPort, type PortTraffic, withRates } from '../../../src/core/node/traffic.ts';
import { EMPTY_STATE, type State } from '../../../src/core/state.ts';
import { isKnown, unknown } from '../../../src/core/unknown.ts';
import { connectionOf, ETHERNET } from '../../e2e/links.ts';

const [ATLAS, JUNO] = [nodeId('atlas'.padEnd(26, 'x')), nodeId('juno'.padEnd(26, 'x'))];

describe('what a link carries now', () => {
  test('is at most what its sender sends and its receiver gets, each by its own port', () => {
    const state = clusterOf(
      port('en0', { sent: 1_000, received: 50 }),
      port('eth0', { sent: 60, received: 700 }),
    );
    expect(trafficFrom(state, FACTS, ATLAS, 0)).toEqual({
      from: ATLAS,
      to: JUNO,
      sentBitsPerSecond: 8_000,
      receivedBitsPerSecond: 5_600,
      mostBitsPerSecond: 5_600,
    });
    expect(trafficFrom(state, FACTS, JUNO, 0).mostBitsPerSecond).toBe(400);
  });

  test('is what one end reports if the other has no such port, and unknown if neither has', () => {
    const state = clusterOf(
      port('en0', { sent: 1_000, received: 50 }),
      port('eth9', { sent: 60, received: 700 }),
    );
    const way = trafficFrom(state, FACTS, ATLAS, 0);
    expect(way.receivedBitsPerSecond).toEqual(unknown('no counters of eth0'));
    expect(way.mostBitsPerSecond).toBe(8_000);
    const none = trafficFrom(
      clusterOf(port('a', { sent: 1, received: 1 }), port('b', { sent: 1, received: 1 })),
      FACTS,
      ATLAS,
      0,
    );
    expect(none.mostBitsPerSecond).toEqual(unknown('no counters of eth0'));
  });

  test('is unknown once the reading is stale: an old rate is none', () => {
    const state = clusterOf(
      port('en0', { sent: 1_000, received: 50 }),
      port('eth0', { sent: 60, received: 700 }),
    );
    expect(isKnown(trafficFrom(state, FACTS, ATLAS, 20_000).mostBitsPerSecond)).toBe(false);
  });
});

const end = (interfaceName: string) =>
  ({ interfaceName, type: 'ethernet', negotiatedBitsPerSecond: 1e9 }) as const;
const FACTS: Pick<ConnectionFacts, 'source' | 'sink' | 'carrier' | 'connection'> = {
  source: ATLAS,
  sink: JUNO,
  connection: connectionOf(JUNO, ETHERNET),
  carrier: {
    type: 'ethernet',
    negotiatedBitsPerSecond: 1e9,
    ends: { source: end('en0'), sink: end('eth0') },
  },
};

const port = (name: string, grown: { readonly sent: number; readonly received: number }): PortTraffic => {
  const counted = (sent: number, received: number): CountedPort => ({
    name,
    kind: 'interface',
    received: { bytes: received, packets: 1, errors: 0, drops: 0 },
    sent: { bytes: sent, packets: 1, errors: 0, drops: 0 },
  });
  return withRates(counted(grown.sent, grown.received), counted(0, 0), 1);
};

const clusterOf = (atlas: PortTraffic, juno: PortTraffic): State => {
  const entry = (reported: PortTraffic) => ({
    value: { ports: [reported] },
    epoch: 1,
    seq: 1,
    ageMs: 0,
    receivedAtMs: 0,
    source: 'procfs',
    intervalMs: 1_000,
  });
  return { ...EMPTY_STATE, nodeTraffics: { [ATLAS]: entry(atlas), [JUNO]: entry(juno) } };
};
