// What a person may call the engines of a cluster, and at which addresses another node looks for them.

import { describe, expect, test } from 'vitest';
import { clusterTargets, meantTargets } from '../../../src/core/engine/engine-targets.ts';
import { type Fact, factOf } from '../../../src/core/event-kinds.ts';
import type { NodeId } from '../../../src/core/ids.ts';
import type { NodeEngine } from '../../../src/core/node/engines.ts';
import type { NetworkInterface } from '../../../src/core/node/network.ts';
import { EMPTY_STATE } from '../../../src/core/state.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { identityFact } from '../../daemon/http/served-cluster.ts';
import { A, B, Cluster, NOW_MS, network, port, profile, socket } from '../../support/linked-nodes.ts';

const SLOW = socket(B, '10.0.0.2', ['eth0', 'eth0']);
const FAST = socket(B, '10.1.0.2', ['eth1', 'eth1']);
const SIX = socket(B, 'fd00::2', ['eth1', 'eth1']);
const SCOPED = socket(B, 'fe80::2%eth1', ['eth1', 'eth1']);

const ENGINE: NodeEngine = {
  origin: 'http://127.0.0.1:8000',
  engine: 'vLLM',
  version: '0.33.0',
  models: [{ name: 'made' }],
  requestsInFlight: 0,
  listensOn: '0.0.0.0',
  facts: unknown('test'),
};

const engines = (...changes: readonly Partial<NodeEngine>[]): Fact =>
  factOf('engines.gathered', {
    source: 'HTTP',
    intervalMs: 5_000,
    value: { engines: changes.map(change => ({ ...ENGINE, ...change })), others: [] },
  });

const withAddresses = (name: string, ...addresses: readonly string[]): NetworkInterface =>
  port(name, {
    addresses: addresses.map(address => ({
      address,
      family: address.includes(':') ? 'ipv6' : 'ipv4',
      prefixLength: 24,
      scope: 'global',
    })),
  });

/** B serves; A is this node. */
const targetsOf = (...changes: readonly Partial<NodeEngine>[]) => {
  const { state } = new Cluster()
    .record(A, 0, network(withAddresses('eth0', '10.0.0.1'), withAddresses('docker0', '172.17.0.1')))
    .record(
      B,
      0,
      network(
        withAddresses('eth0', '10.0.0.2'),
        withAddresses('eth1', '10.1.0.2', 'fd00::2'),
        withAddresses('docker0', '172.17.0.1'),
        withAddresses('eth2', '10.2.0.2'),
      ),
    )
    .record(A, 0, ...[SLOW, FAST, SIX, SCOPED].map(one => factOf('connection.opened', one)))
    .record(A, 0, profile(A, SLOW, [2e7, 2e7]), profile(A, FAST, [4e8, 1e8]))
    .present()
    .record(B, NOW_MS, engines(...changes));
  return clusterTargets(state, A, NOW_MS);
};

const only = (change: Partial<NodeEngine> = {}) => targetsOf(change).targets[0];

describe('the addresses of an engine', () => {
  test('begin with the path that was measured as fastest, and leave out those that this node has too', () => {
    expect(only()?.urls).toEqual(['http://10.1.0.2:8000', 'http://10.0.0.2:8000', 'http://10.2.0.2:8000']);
  });

  test('are IPv6, too, if it listens there, without those that need a scope', () => {
    expect(only({ listensOn: '::' })?.urls).toEqual([
      'http://10.1.0.2:8000',
      'http://[fd00::2]:8000',
      'http://10.0.0.2:8000',
      'http://10.2.0.2:8000',
    ]);
  });

  test('are the one that it listens on, or none if that is loopback', () => {
    expect(only({ listensOn: '10.0.0.2' })?.urls).toEqual(['http://10.0.0.2:8000']);
    expect(only({ listensOn: '127.0.0.1' })?.urls).toEqual([]);
    for (const text of ['key@elsewhere.example', 'elsewhere.example/', '10.0.0.2:80/?', ''])
      expect(only({ listensOn: text })?.urls, text).toEqual([]);
  });

  test('are its own on its own machine', () => {
    const { state } = new Cluster().present().record(A, NOW_MS, engines({ listensOn: '127.0.0.1' }));
    expect(clusterTargets(state, A, NOW_MS).targets[0]?.urls).toEqual(['http://127.0.0.1:8000']);
  });
});

describe('the name of a target', () => {
  const named = (name: NodeId, kind: string): string => `${name.slice(0, 8)}${kind}`;

  test('is a node, its id, a port or an engine of it, or an engine of the cluster', () => {
    const cluster = targetsOf({}, { origin: 'http://127.0.0.1:8080', engine: 'llama.cpp' });
    const meant = (text: string): readonly number[] | string => {
      const found = meantTargets(text, cluster);
      return found.kind === 'none' ? 'none' : found.targets.map(({ port: of }) => of);
    };
    expect(cluster.targets.map(({ label }) => label)).toEqual([named(B, ':8000'), named(B, ':8080')]);
    for (const { label, port: of } of cluster.targets) expect(meant(label)).toEqual([of]);
    expect(meant(named(B, ''))).toEqual([8_000, 8_080]);
    expect(meant(B)).toEqual([8_000, 8_080]);
    expect(meant(named(B, ':llama-cpp'))).toEqual([8_080]);
    expect(meant(named(B, ':9'))).toEqual([]);
    expect(meant('VLLM')).toEqual([8_000]);
    expect(meant('lm-studio')).toEqual([]);
    expect(meant(named(A, ''))).toEqual([]);
    for (const text of ['http://b:8000', 'localhost:8000', 'vllm:8000', 'elsewhere', '', ':'])
      expect(meant(text), text).toBe('none');
  });

  test('is the id of a node whose name a shell would read as something else', () => {
    const { state } = new Cluster()
      .record(A, 0, identityFact('$(reboot)'))
      .present()
      .record(A, NOW_MS, engines({}));
    expect(clusterTargets(state, A, NOW_MS).targets[0]?.label).toBe(A);
    expect(clusterTargets(EMPTY_STATE, A, NOW_MS).targets).toEqual([]);
  });
});
