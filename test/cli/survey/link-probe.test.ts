import { describe, expect, test } from 'vitest';
import { routesBetween, surveyedRate } from '../../../src/cli/survey/link-probe.ts';
import { nodeId } from '../../../src/core/ids.ts';
import type { NetworkInterface } from '../../../src/core/node/network.ts';
import { EMPTY_STATE, type State } from '../../../src/core/state.ts';
import { unknown } from '../../../src/core/unknown.ts';

const ATLAS = nodeId('atlas'.padEnd(26, 'a'));
const JUNO = nodeId('juno'.padEnd(26, 'j'));

describe('the addresses by which a survey probes a link', () => {
  test('are those of one subnet first, the fastest before others, and no more than three', () => {
    const state = withPorts(
      [port('en0', 1e9, '10.0.0.1'), port('en1', 100e9, '10.1.0.1'), port('en2', 25e9, '10.2.0.1')],
      [
        port('a', 1e9, '10.0.0.2'),
        port('b', 100e9, '10.1.0.2'),
        port('c', 25e9, '10.2.0.2'),
        port('d', 1e9, '10.9.0.2'),
      ],
    );
    expect(routesBetween(state, ATLAS, JUNO)).toEqual([
      { address: '10.1.0.2', sourceInterface: 'en1', sinkInterface: 'b' },
      { address: '10.2.0.2', sourceInterface: 'en2', sinkInterface: 'c' },
      { address: '10.0.0.2', sourceInterface: 'en0', sinkInterface: 'a' },
    ]);
  });

  test('are routed ones where no subnet is shared, and never one that the source has itself', () => {
    const state = withPorts(
      [port('en0', 1e9, '10.0.0.1'), port('docker0', 1e9, '172.17.0.1')],
      [
        port('eth0', 1e9, '10.5.0.2'),
        port('docker0', 1e9, '172.17.0.1'),
        { ...port('down', 1e9, '10.0.0.9'), isUp: false },
      ],
    );
    expect(routesBetween(state, ATLAS, JUNO)).toEqual([
      { address: '10.5.0.2', sourceInterface: unknown('a router is between them'), sinkInterface: 'eth0' },
    ]);
    expect(routesBetween(EMPTY_STATE, ATLAS, JUNO)).toEqual([]);
  });
});

describe('the rate of a surveyed link', () => {
  const counted = (bitsPerSecond: number) => ({ bytes: bitsPerSecond / 8, seconds: 1 });
  const cable = (negotiatedBitsPerSecond: number) => ({ type: 'ethernet', negotiatedBitsPerSecond }) as const;

  test('is what arrived, also of a slow cable', () => {
    expect(surveyedRate(counted(9.4e9), cable(10e9))).toBe(9.4e9);
    expect(surveyedRate(counted(94e6), cable(1e9))).toBe(94e6);
    expect(surveyedRate(counted(30e9), { type: 'thunderbolt', negotiatedBitsPerSecond: 80e9 })).toBe(30e9);
    const nothing = { type: unknown('virtual'), negotiatedBitsPerSecond: unknown('virtual') };
    expect(surveyedRate(counted(12e9), nothing)).toBe(12e9);
  });

  test('is unknown where the interpreter may have been the limit', () => {
    expect(surveyedRate(counted(12.3e9), cable(100e9))).toMatchObject({
      reason: expect.stringContaining('carried 12.3\u00a0Gb/s, and may have been the limit'),
    });
    expect(surveyedRate(undefined, cable(1e9))).toMatchObject({ kind: 'unknown' });
    expect(surveyedRate({ bytes: 9, seconds: 0 }, cable(1e9))).toMatchObject({ kind: 'unknown' });
  });
});

const port = (name: string, speedBitsPerSecond: number, address: string): NetworkInterface => ({
  name,
  type: 'ethernet',
  typeEvidence: 'made up',
  macAddress: unknown('not reported'),
  isUp: true,
  speedBitsPerSecond,
  mtuBytes: 1_500,
  driver: unknown('not reported'),
  addresses: [
    { address, family: 'ipv4', prefixLength: 24, scope: 'global' },
    { address: 'fe80::1', family: 'ipv6', prefixLength: 64, scope: 'link' },
  ],
  members: [],
});

const withPorts = (atlas: readonly NetworkInterface[], juno: readonly NetworkInterface[]): State => ({
  ...EMPTY_STATE,
  nodeNetworks: { [ATLAS]: networkOf(atlas), [JUNO]: networkOf(juno) },
});

const networkOf = (interfaces: readonly NetworkInterface[]) => ({
  value: { interfaces },
  source: 'made up',
  intervalMs: 10_000,
  epoch: 1,
  seq: 1,
  ageMs: 0,
  receivedAtMs: 0,
});
