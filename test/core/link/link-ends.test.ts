import { describe, expect, test } from 'vitest';
import { type NodeId, nodeId } from '../../../src/core/ids.ts';
import { type Connection, connectionKey } from '../../../src/core/link/connection.ts';
import { endsText } from '../../../src/core/link/link-text.ts';
import { type LinkView, LinkWatch, linkViews } from '../../../src/core/link/link-view.ts';
import type { NetworkInterface } from '../../../src/core/node/network.ts';
import { nodeView } from '../../../src/core/node/node-view.ts';
import { nodeIds } from '../../../src/core/node/presence-view.ts';
import { EMPTY_STATE, type State } from '../../../src/core/state.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { clusterWarnings } from '../../../src/core/warnings/cluster-warnings.ts';
import type { Warning } from '../../../src/core/warnings/warning.ts';
import { profileOf } from '../../e2e/links.ts';

describe('a link is what both of its ends make of it', () => {
  test('carries what its slower end can: a sound cable to a port of 100 Mb/s is no bad cable', () => {
    const state = clusterOf(
      port('en0', { speedBitsPerSecond: 1e9 }),
      port('eth0', { speedBitsPerSecond: 100e6 }),
    );
    expect(warnedOf(state)).toEqual([]);
    expect(linkOf(state).best.carrier.negotiatedBitsPerSecond).toBe(100e6);
  });

  test('falls short where it carries less than its slower end, and both ends are named', () => {
    const state = clusterOf(
      port('en0', { speedBitsPerSecond: 10e9 }),
      port('eth0', { speedBitsPerSecond: 1e9 }),
    );
    expect(warnedOf(state)).toMatchObject([
      { why: expect.stringMatching(/1\u00a0Gb\/s.*atlas en0 10\u00a0Gb\/s, juno eth0 1\u00a0Gb\/s/) },
    ]);
  });

  test('is Wi-Fi where one end is, at the rate of the radio', () => {
    const radio = port('wlan0', { type: 'wifi', speedBitsPerSecond: 866e6 });
    const { medium, best } = linkOf(clusterOf(port('en0', { speedBitsPerSecond: 10e9 }), radio));
    expect(medium).toBe('wifi');
    expect(best.carrier).toMatchObject({ type: 'wifi', negotiatedBitsPerSecond: 866e6 });
  });

  test('has an unknown rate if an end does not report its own, and names that end', () => {
    const state = clusterOf(
      port('en0', { speedBitsPerSecond: 1e9 }),
      port('ens3', { speedBitsPerSecond: unknown('a virtual function reports none') }),
    );
    const { best } = linkOf(state);
    expect(best.carrier.negotiatedBitsPerSecond).toEqual(unknown('a virtual function reports none'));
    expect(endsText(best, nameOf)).toBe('atlas en0 1\u00a0Gb/s, juno ens3 unknown rate');
    expect(warnedOf(state)).toEqual([]);
  });

  test('is what the source reports while the other end has a translated address', () => {
    const { best } = linkOf(
      clusterOf(port('en0', { speedBitsPerSecond: 1e9 }), port('eth0', { addresses: [] })),
    );
    expect(best.carrier.negotiatedBitsPerSecond).toBe(1e9);
    expect(best.carrier.ends.sink.type).toEqual(
      unknown('no interface of the other end reports the address 192.0.2.9'),
    );
  });

  test('follows the reading of the other end', () => {
    const watch = new LinkWatch();
    const before = clusterOf(
      port('en0', { speedBitsPerSecond: 1e9 }),
      port('eth0', { speedBitsPerSecond: 100e6 }),
    );
    const after: State = {
      ...before,
      nodeNetworks: { ...before.nodeNetworks, [JUNO]: networkOf(port('eth0', { speedBitsPerSecond: 1e9 })) },
    };
    expect(watch.read(before, NOW)[0]?.best.carrier.negotiatedBitsPerSecond).toBe(100e6);
    expect(watch.read(after, NOW)[0]?.best.carrier.negotiatedBitsPerSecond).toBe(1e9);
  });
});

const NOW = 200_000;
const ATLAS: NodeId = nodeId('atlas'.padEnd(26, '0'));
const JUNO: NodeId = nodeId('juno'.padEnd(26, '0'));
const WAY = '192.0.2.9';
const nameOf = (id: NodeId): string => (id === ATLAS ? 'atlas' : 'juno');

const port = (name: string, more: Partial<NetworkInterface>): NetworkInterface => ({
  name,
  type: 'ethernet',
  typeEvidence: 'made up',
  macAddress: unknown('not reported'),
  isUp: true,
  speedBitsPerSecond: unknown('not reported'),
  mtuBytes: 1_500,
  driver: unknown('not reported'),
  addresses: [{ address: WAY, family: 'ipv4', prefixLength: 24, scope: 'global' }],
  members: [],
  ...more,
});

const entry = <T>(value: T) => ({
  value,
  epoch: 1,
  seq: 1,
  ageMs: 0,
  receivedAtMs: NOW,
  source: 'made up',
  intervalMs: 10_000,
});
const networkOf = (own: NetworkInterface) => entry({ interfaces: [own] });

/** atlas measures 93.7 Mb/s to juno. */
const clusterOf = (source: NetworkInterface, sink: NetworkInterface): State => {
  const connection: Connection = {
    kind: 'socket',
    sink: JUNO,
    sinkAddress: WAY,
    sourceInterface: source.name,
    sinkInterface: unknown('not looked up'),
    type: 'ethernet',
    negotiatedBitsPerSecond: source.speedBitsPerSecond,
  };
  const wire = {
    type: 'ethernet' as const,
    negotiatedBitsPerSecond: 0,
    up: 93.7e6,
    down: 93.6e6,
    roundTripNs: 2e5,
  };
  const profile = { ...profileOf(JUNO, wire), connectionKey: connectionKey(connection) };
  const identity = (name: string) =>
    entry({
      friendlyName: name,
      hostName: name,
      model: unknown('not reported'),
      chip: unknown('not reported'),
      architecture: 'arm64' as const,
      cpuCount: 8,
      operatingSystem: { platform: 'linux' as const, name: 'Linux', version: '6', build: unknown('none') },
      memoryIsUnified: false,
      virtualisation: 'none' as const,
      plimsollVersion: '0.0.0',
      isSimulated: false,
    });
  const reported = { [connectionKey(connection)]: entry(connection) };
  return {
    ...EMPTY_STATE,
    origins: Object.fromEntries([ATLAS, JUNO].map(id => [id, { epoch: 1, seq: 1, receivedAtMs: NOW }])),
    nodeIdentities: { [ATLAS]: identity('atlas'), [JUNO]: identity('juno') },
    nodeNetworks: { [ATLAS]: networkOf({ ...source, addresses: [] }), [JUNO]: networkOf(sink) },
    connections: { [ATLAS]: { [JUNO]: reported } },
    linkProfiles: { [ATLAS]: { [JUNO]: { [connectionKey(connection)]: entry(profile) } } },
  };
};

const linkOf = (state: State): LinkView => {
  const [link] = linkViews(state, NOW);
  if (link === undefined) throw new Error('no link');
  return link;
};

const warnedOf = (state: State): readonly Warning[] =>
  clusterWarnings({ state, views: nodeIds(state).map(id => nodeView(state, id, NOW)), nowMs: NOW });
