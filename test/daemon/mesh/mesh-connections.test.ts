import { createSocket } from 'node:dgram';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock/system-clock.ts';
import type { HostPort } from '../../../src/core/address/host-port.ts';
import { type NodeId, nodeId } from '../../../src/core/ids.ts';
import { EMPTY_STATE, type State } from '../../../src/core/state.ts';
import { unknown } from '../../../src/core/unknown.ts';
import {
  endpointsFact,
  followKnownAddresses,
  openMeshConnections,
} from '../../../src/daemon/mesh/mesh-connections.ts';
import { Notices } from '../../../src/daemon/notices.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const ATLAS = nodeId('a'.repeat(26));
const JUNO = nodeId('b'.repeat(26));
const VESTA = nodeId('c'.repeat(26));
const KEY = new Uint8Array(32).fill(1);

const opened = (listensOn: HostPort | undefined, notices = new Notices(() => undefined)) =>
  openMeshConnections({
    nodeId: ATLAS,
    clock: systemClock,
    state: () => EMPTY_STATE,
    record: () => undefined,
    notices,
    keys: [KEY],
    ignoredInterfaces: [],
    isChosen: () => true,
    listensOn,
  });

describe('the UDP port of a daemon', () => {
  it('has the number of the mesh port where that is free, else another', async () => {
    const taken = createSocket('udp4');
    const { promise, resolve } = Promise.withResolvers<void>();
    taken.bind(0, '127.0.0.1', resolve);
    await promise;
    const { port } = taken.address();
    {
      await using other = await opened({ host: '127.0.0.1', port });
      expect(other?.port).not.toBe(port);
      expect(other?.port).toBeGreaterThan(0);
    }
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    taken.close(close);
    await closed;
    await using same = await opened({ host: '127.0.0.1', port });
    expect(same?.port).toBe(port);
  });

  it('is announced with the mesh port; if only loopback is listened on, neither is', async () => {
    await using connections = await opened({ host: '127.0.0.1', port: 0 });
    expect(endpointsFact({ host: '::', port: 4_181 }, connections)).toEqual({
      kind: 'endpoints.reported',
      payload: { meshPort: 4_181, reachabilityPort: connections?.port },
    });
    expect(await opened(undefined)).toBeUndefined();
    const nowhere = unknown('the mesh listens on loopback only');
    expect(endpointsFact(undefined, undefined).payload).toEqual({
      meshPort: nowhere,
      reachabilityPort: nowhere,
    });
  });

  it('that cannot be had is reported, and does not keep the daemon from starting', async () => {
    const notices = new Notices(() => undefined);
    expect(await opened({ host: '192.0.2.77', port: 4_181 }, notices)).toBeUndefined();
    expect(notices.all).toMatchObject([{ code: 'no-reachability', host: '192.0.2.77' }]);
    expect(endpointsFact({ host: '192.0.2.77', port: 4_181 }, undefined).payload).toMatchObject({
      reachabilityPort: unknown('no UDP port could be opened'),
    });
  });
});

describe('addresses that are known of other nodes', () => {
  const target = (node: NodeId, address: string) => ({ node, address, port: 4_999 });
  const reported = (meshPort: number): State['nodeEndpoints'][NodeId] => ({
    value: { meshPort, reachabilityPort: 4_999 },
    epoch: 1,
    seq: 1,
    ageMs: 0,
    receivedAtMs: 0,
  });

  it('are handed on with the mesh port, for nodes without a link, again as long as they have none', async () => {
    const clock = new VirtualClock();
    const learned: string[] = [];
    const stop = new AbortController();
    const following = followKnownAddresses(
      {
        clock,
        state: () => ({
          ...EMPTY_STATE,
          nodeEndpoints: { [JUNO]: reported(5_001), [VESTA]: reported(5_002) },
        }),
        connections: {
          targets: [
            target(JUNO, '10.0.0.2'),
            target(JUNO, 'fe80::2%en0'),
            target(VESTA, '10.0.0.3'),
            target(ATLAS, '10.0.0.9'),
          ],
        },
        isMet: (node: NodeId) => node === VESTA,
        isChosen: () => true,
        linkCount: () => 0,
        discovery: {
          learnOf: (node, addresses) =>
            learned.push(
              `${node.slice(0, 1)} ${addresses.map(({ host, port }) => `${host}>${port}`).join(' ')}`,
            ),
        },
      },
      stop.signal,
    );
    await clock.advance(1);
    expect(learned).toEqual(['b 10.0.0.2>5001 fe80::2%en0>5001']);
    await clock.advance(60_000);
    expect(learned.length).toBeGreaterThan(5);
    stop.abort();
    await following;
  });
});
