import { describe, expect, it } from 'vitest';
import { applyAll } from '../../../src/core/apply.ts';
import { type NodeId, nodeId } from '../../../src/core/ids.ts';
import { EMPTY_STATE } from '../../../src/core/state.ts';
import { type MeshStatusSources, meshStatus } from '../../../src/daemon/mesh/mesh-status.ts';
import type { DialStatus } from '../../../src/mesh/link/dialer.ts';
import type { RefusalReason } from '../../../src/mesh/mesh.ts';
import { ReplicationCounts } from '../../../src/mesh/replication/replication-counts.ts';
import { decodeMeshStatus, type PeerStatus } from '../../../src/wire/mesh-status.ts';

const ATLAS = nodeId('a'.repeat(26));
const JUNO = nodeId('b'.repeat(26));
const VESTA = nodeId('c'.repeat(26));
const NOW_MS = 100_000;

const dial = (address: string, more: Partial<DialStatus> = {}): DialStatus => ({
  candidate: { address, port: 4_181, source: 'static' },
  peerId: undefined,
  failures: 0,
  refusal: undefined,
  isSelf: false,
  ...more,
});
const refused = (host: string, reason: RefusalReason, detail: string): DialStatus =>
  dial(host, {
    failures: 3,
    refusal: { direction: 'dialled', address: { host, port: 4_181 }, reason, detail },
  });
const link = (host: string) => ({ remoteAddress: { host, port: 4_181 } });
const received = (node: NodeId, atMs: number) =>
  ({
    kind: 'reading.confirmed',
    origin: node,
    epoch: 1,
    class: 'live',
    seq: 1,
    key: 'network',
    ageMs: 0,
    receivedAtMs: atMs,
    payload: { reading: 'network', vendor: 'none', source: 'made up', intervalMs: 10_000 },
  }) as const;

const peersOf = (more: Partial<MeshStatusSources>): readonly PeerStatus[] => {
  const status = meshStatus({
    self: ATLAS,
    state: EMPTY_STATE,
    nowMs: NOW_MS,
    listensOn: { host: '::', port: 4_181 },
    isLoopback: false,
    reachabilityPort: 4_181,
    links: new Map(),
    dials: [],
    refusalCounts: new Map([['wrong-key', 3]]),
    replicationCounts: new ReplicationCounts(),
    framesGivenUp: 0,
    undeliveredBy: () => 0,
    named: [],
    reach: [],
    discovery: { channels: [], leftOut: [], candidateCount: 0, refusedCount: 0 },
    ...more,
  });
  expect(decodeMeshStatus(JSON.parse(JSON.stringify(status))), 'it can be read at the other end').toEqual(
    status,
  );
  return status.kind === 'on' ? status.peers : [];
};

describe('the status of a mesh', () => {
  it('shows for a named peer that was never met the outcome for its address', () => {
    const named = [{ host: '10.0.0.2', port: 4_181 }];
    expect(peersOf({ named, dials: [refused('10.0.0.2', 'wrong-key', 'it has another key')] })).toMatchObject(
      [
        {
          name: '10.0.0.2:4181',
          standing: 'never-met',
          isNamed: true,
          tries: [{ address: '10.0.0.2:4181', reason: 'wrong-key', detail: 'it has another key' }],
        },
      ],
    );
  });

  it('finds a named link-local peer on whichever interface it was tried', () => {
    const named = [{ host: 'fe80::2', port: 4_181 }];
    const dials = [
      refused('fe80::2%en0', 'unreachable', 'nothing answers there'),
      dial('fe80::2%tb0', { peerId: JUNO }),
    ];
    const links = new Map([[JUNO, link('fe80::2%tb0')]]);
    expect(peersOf({ named, dials, links })).toMatchObject([
      { nodeId: JUNO, standing: 'linked', isNamed: true, address: '[fe80::2%tb0]:4181', tries: [] },
    ]);
  });

  it('shows a peer by another address as linked when its node has a link', () => {
    const named = [{ host: 'juno.local', port: 4_181 }];
    const links = new Map([[JUNO, link('10.0.0.2')]]);
    const peers = peersOf({ named, dials: [dial('juno.local', { peerId: JUNO })], links });
    expect(peers).toMatchObject([{ nodeId: JUNO, standing: 'linked', address: '10.0.0.2:4181' }]);
  });

  it('shows an address of this very node as such', () => {
    const named = [{ host: '10.0.0.1', port: 4_181 }];
    expect(peersOf({ named, dials: [dial('10.0.0.1', { isSelf: true })] })).toMatchObject([
      { standing: 'self' },
    ]);
  });

  it('shows known nodes without a link: relayed while events arrive, silent, then offline', () => {
    const links = new Map([[VESTA, link('10.0.0.3')]]);
    const standing = (silentMs: number, others: MeshStatusSources['links']): string | undefined => {
      const state = applyAll(EMPTY_STATE, [received(JUNO, NOW_MS - silentMs)]);
      return peersOf({ state, links: others }).find(({ nodeId: node }) => node === JUNO)?.standing;
    };
    expect(standing(500, links)).toBe('relayed');
    expect(standing(500, new Map()), 'nobody is there to pass anything on').toBe('silent');
    expect(standing(15_000, links)).toBe('silent');
    expect(standing(31_000, links)).toBe('offline');
  });

  it('counts the addresses of each node that answer from here', () => {
    const target = (node: NodeId, address: string) => ({ node, address, port: 4_181 });
    const reach = [
      { target: target(JUNO, '10.0.0.2'), state: 'open', reason: '' },
      { target: target(JUNO, 'fd00::2'), state: 'shut', reason: 'no answer' },
      { target: target(JUNO, 'fe80::2%en0'), state: 'new', reason: '' },
      { target: target(VESTA, '10.0.0.3'), state: 'open', reason: '' },
    ] as const;
    expect(peersOf({ links: new Map([[JUNO, link('10.0.0.2')]]), reach })).toMatchObject([
      { nodeId: JUNO, reach: { requested: 3, open: 1, shut: 1 } },
    ]);
  });

  it('lists no node twice and never this one', () => {
    const state = applyAll(EMPTY_STATE, [received(ATLAS, NOW_MS), received(JUNO, NOW_MS)]);
    const named = [{ host: '10.0.0.2', port: 4_181 }];
    const peers = peersOf({ state, named, dials: [dial('10.0.0.2', { peerId: JUNO })] });
    expect(peers.map(({ nodeId: node }) => node)).toEqual([JUNO]);
  });
});
