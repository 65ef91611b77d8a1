import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyAll } from '../../../src/core/apply.ts';
import type { Event } from '../../../src/core/event.ts';
import { eventClass, type Fact, factKey } from '../../../src/core/event-kinds.ts';
import { type NodeId, nodeId } from '../../../src/core/ids.ts';
import { EMPTY_STATE, type State } from '../../../src/core/state.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { plainTarget, targetNodeOf } from '../../../src/daemon/runs/target-node.ts';

const ATLAS = nodeId('a'.repeat(26));
const JUNO = nodeId('b'.repeat(26));
const VESTA = nodeId('c'.repeat(26));
const rest = unknown('not reported');

describe('the node of a target', () => {
  const state = stateOf([
    [ATLAS, 'atlas', ['10.0.0.1', '172.17.0.1']],
    [JUNO, 'juno.lan', ['10.0.0.2', 'fd00::2', '172.17.0.1', '172.18.0.1']],
    [VESTA, 'vesta', ['10.0.0.3', '172.18.0.1']],
  ]);
  const own = new Set(['10.0.0.1', '172.17.0.1']);
  const of = (target: string): unknown =>
    targetNodeOf(target, { nodeId: ATLAS, state: () => state, isOwnAddress: address => own.has(address) });

  test('is the one that has the address, however it is written', () => {
    expect(of('http://10.0.0.2:8000/v1')).toBe(JUNO);
    expect(of('http://[fd00::2]:8000')).toBe(JUNO);
    expect(of('http://[FD00:0:0::2]:8000')).toBe(JUNO);
    expect(of('http://[::ffff:10.0.0.3]:8000')).toBe(VESTA);
    expect(of('http://167772162:8000'), '10.0.0.2 as one number').toBe(JUNO);
  });

  test('is none if several URLs were loaded, which are shown without possible secrets', () => {
    const several = 'http://10.0.0.2/v1, http://10.0.0.3:8000/v1?key=secret';
    expect(of(several)).toEqual(unknown('several URLs were loaded'));
    expect(of('unix:/run/a.sock, http://10.0.0.2')).toEqual(unknown('several URLs were loaded'));
    expect(plainTarget(several)).toBe('http://10.0.0.2/v1, http://10.0.0.3:8000/v1');
    expect(plainTarget('http://me:secret@10.0.0.2/')).toBe('http://10.0.0.2');
  });

  test('is this one for loopback and its own addresses, also where others have the same', () => {
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '10.0.0.1', '172.17.0.1'])
      expect(of(`http://${host}:8000`)).toBe(ATLAS);
  });

  test('is unknown where several others have the address', () => {
    expect(of('http://172.18.0.1:8000')).toEqual(unknown('2 nodes have the address 172.18.0.1'));
  });

  test('is the one that calls itself so, with or without its domain', () => {
    expect(of('http://juno:8000')).toBe(JUNO);
    expect(of('http://JUNO.lan.:8000')).toBe(JUNO);
    expect(of('http://juno.local:8000')).toBe(JUNO);
    expect(of('http://atlas:8000')).toBe(ATLAS);
  });

  test('is unknown for a name that no node has, and for one that two have', () => {
    for (const target of ['http://api.example.com', 'http://juno.example.com:8000', 'nonsense', ''])
      expect(of(target)).toEqual(unknown('not a known node'));
    const twins = stateOf([
      [JUNO, 'spark', []],
      [VESTA, 'spark', []],
    ]);
    const sources = { nodeId: ATLAS, state: () => twins, isOwnAddress: () => false };
    expect(targetNodeOf('http://spark:8000', sources)).toEqual(unknown('2 nodes have the name spark'));
  });

  test('is returned for any text without a throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl()), target => {
        const node = of(target);
        expect(typeof node === 'string' || typeof node === 'object').toBe(true);
      }),
    );
  });
});

function stateOf(nodes: readonly (readonly [NodeId, string, readonly string[]])[]): State {
  return applyAll(
    EMPTY_STATE,
    nodes.flatMap(([node, hostName, addresses]) =>
      factsOf(hostName, addresses).map((fact, index): Event => {
        const head = { origin: node, epoch: 1, class: eventClass(fact.kind), seq: index + 1, ageMs: 0 };
        return { ...head, ...fact, key: factKey(fact), receivedAtMs: 0 };
      }),
    ),
  );
}

function factsOf(hostName: string, addresses: readonly string[]): readonly Fact[] {
  return [
    {
      kind: 'identity.gathered',
      payload: {
        source: 'made up',
        intervalMs: 30_000,
        value: {
          friendlyName: 'made up',
          hostName,
          model: rest,
          chip: rest,
          architecture: 'arm64',
          cpuCount: rest,
          operatingSystem: { platform: 'linux', name: 'Linux', version: rest, build: rest },
          memoryIsUnified: rest,
          virtualisation: rest,
          plimsollVersion: '0.0.0',
          isSimulated: false,
        },
      },
    },
    {
      kind: 'network.gathered',
      payload: {
        source: 'made up',
        intervalMs: 10_000,
        value: {
          interfaces: [
            {
              name: 'en0',
              type: 'ethernet',
              typeEvidence: 'made up',
              macAddress: rest,
              isUp: true,
              speedBitsPerSecond: rest,
              mtuBytes: rest,
              driver: rest,
              members: [],
              addresses: addresses.map(address => ({
                address,
                family: address.includes(':') ? ('ipv6' as const) : ('ipv4' as const),
                prefixLength: 24,
                scope: 'global' as const,
              })),
            },
          ],
        },
      },
    },
  ];
}
