// Discovery on a virtual clock, over wires that are made up: what it sends when, and what it does about trouble.

import type { NetworkInterfaceInfo } from 'node:os';
import { expect, test } from 'vitest';
import { checkBeacon, encodeBeacon } from '../../../src/mesh/discovery/beacon-channel.ts';
import {
  type BeaconEndpoint,
  beaconEndpoints,
  type InterfaceList,
} from '../../../src/mesh/discovery/beacon-endpoints.ts';
import type { BeaconSocketEvents, OpenBeaconSocket } from '../../../src/mesh/discovery/beacon-socket.ts';
import {
  type BeaconChannelStatus,
  type BeaconTrouble,
  beaconFailed,
  beaconProblems,
} from '../../../src/mesh/discovery/discovery-status.ts';
import {
  type Discovery,
  type DiscoveryOptions,
  startDiscovery,
} from '../../../src/mesh/discovery/start-discovery.ts';
import type { MeshCandidate } from '../../../src/mesh/mesh.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const KEY = new Uint8Array(32).fill(1);

const linkLocal = (address: string, scopeid: number): NetworkInterfaceInfo => ({
  family: 'IPv6',
  address,
  netmask: 'ffff:ffff:ffff:ffff::',
  mac: '02:00:00:00:00:01',
  internal: false,
  cidr: `${address}/64`,
  scopeid,
});

const ipv4 = (address: string, { internal = false } = {}): NetworkInterfaceInfo => ({
  family: 'IPv4',
  address,
  netmask: '255.255.0.0',
  mac: '02:00:00:00:00:01',
  internal,
  cidr: `${address}/16`,
});

/** Sockets that record what is sent; a test receives on them and breaks them. */
class Wires {
  readonly sent: { at: number; on: string; bytes: Uint8Array }[] = [];
  readonly open = new Map<string, BeaconSocketEvents>();
  readonly sendErrors = new Map<string, string>();
  readonly openErrors = new Map<string, string>();
  readonly clock: VirtualClock;

  constructor(clock: VirtualClock) {
    this.clock = clock;
  }

  readonly openSocket: OpenBeaconSocket = async (endpoint, _options, events) => {
    const on = `${endpoint.interfaceName} ${endpoint.family}`;
    failWith(this.openErrors.get(on));
    this.open.set(on, events);
    return {
      send: async bytes => {
        failWith(this.sendErrors.get(on));
        this.sent.push({ at: this.clock.nowMs(), on, bytes });
      },
      [Symbol.asyncDispose]: async () => void this.open.delete(on),
    };
  };

  timesOn(on: string): readonly number[] {
    return this.sent.filter(one => one.on === on).map(({ at }) => at);
  }
}

const failWith = (code: string | undefined): void => {
  if (code !== undefined) throw Object.assign(new Error(code), { code });
};

interface Setting {
  readonly clock: VirtualClock;
  readonly wires: Wires;
  readonly candidates: MeshCandidate[];
  readonly troubles: BeaconTrouble[];
  readonly discovery: Discovery;
}

const setting = (listInterfaces: () => InterfaceList, more: Partial<DiscoveryOptions> = {}): Setting => {
  const clock = new VirtualClock();
  const wires = new Wires(clock);
  const candidates: MeshCandidate[] = [];
  const troubles: BeaconTrouble[] = [];
  const discovery = startDiscovery({
    clock,
    signal: new AbortController().signal,
    tagKeys: [KEY],
    listenPort: 4181,
    settings: { way: { kind: 'every-interface' }, staticPeers: [] },
    random: () => 0.5,
    onCandidate: candidate => candidates.push(candidate),
    onTrouble: trouble => troubles.push(trouble),
    listInterfaces,
    openSocket: wires.openSocket,
    ...more,
  });
  return { clock, wires, candidates, troubles, discovery };
};

const beaconOf = (port: number, fill: number): Uint8Array =>
  encodeBeacon({ version: 1, port, nonce: new Uint8Array(16).fill(fill) }, KEY);

test('beacons go out at once, each second for a while, then at their pace, each with a nonce of its own', async () => {
  const { clock, wires, discovery } = setting(() => ({ en5: [linkLocal('fe80::1', 5)] }));
  await clock.advance(25_000);
  expect(wires.timesOn('en5 IPv6')).toEqual([0, 1_000, 2_000, 3_000, 4_000, 11_500, 19_000]);
  expect(new Set(wires.sent.map(({ bytes }) => Buffer.from(bytes).toString('hex'))).size).toBe(7);
  await discovery[Symbol.asyncDispose]();
  expect(wires.open.size).toBe(0);
});

test('an interface that appears is used within 3 s, with a start of its own; one that goes is left', async () => {
  let list: InterfaceList = {};
  const { clock, wires, discovery } = setting(() => list);
  await clock.advance(1_000);
  list = { en5: [linkLocal('fe80::1', 5)] };
  await clock.advance(3_500);
  expect(wires.timesOn('en5 IPv6')).toEqual([3_000, 4_000]);
  list = { en5: [linkLocal('fe80::1', 9)] };
  await clock.advance(2_000);
  expect(wires.timesOn('en5 IPv6')).toEqual([3_000, 4_000, 5_000, 6_000]);
  list = {};
  await clock.advance(20_000);
  expect([wires.open.size, wires.sent.length]).toEqual([0, 6]);
  await discovery[Symbol.asyncDispose]();
});

test('a failure to open or send is reported once, retried every 3 s, still receives meanwhile, and silences no other', async () => {
  let list: InterfaceList = {};
  const { clock, wires, troubles, candidates, discovery } = setting(() => list);
  wires.sendErrors.set('en1 IPv6', 'EHOSTUNREACH');
  wires.openErrors.set('en2 IPv6', 'EADDRNOTAVAIL');
  list = {
    en1: [linkLocal('fe80::1', 1)],
    en2: [linkLocal('fe80::2', 2)],
    en3: [linkLocal('fe80::3', 3)],
  };
  await clock.advance(30_000);
  expect(troubles.map(beaconFailed)).toMatchObject([
    { interfaceName: 'en1', problem: 'cannot send on en1 (IPv6): EHOSTUNREACH' },
    { interfaceName: 'en2', problem: 'cannot open a beacon on en2 (IPv6): EADDRNOTAVAIL' },
  ]);
  expect(wires.timesOn('en3 IPv6')).toHaveLength(8);
  wires.open.get('en1 IPv6')?.datagram(beaconOf(4181, 3), 'fe80::9%en1');
  expect(candidates).toHaveLength(1);
  expect(beaconProblems(discovery.status)).toContainEqual(
    expect.objectContaining({ code: 'beacon-not-heard', interfaceName: 'en3' }),
  );
  wires.sendErrors.clear();
  wires.openErrors.clear();
  await clock.advance(3_000);
  expect(discovery.status.channels.map(({ failure }) => failure)).toEqual([undefined, undefined, undefined]);
  await discovery[Symbol.asyncDispose]();
});

test('a socket that breaks is opened again', async () => {
  const { clock, wires, troubles, discovery } = setting(() => ({ en1: [linkLocal('fe80::1', 1)] }));
  await clock.advance(500);
  wires.open.get('en1 IPv6')?.failed(Object.assign(new Error('gone'), { code: 'ENETDOWN' }));
  await clock.advance(100);
  expect(wires.open.size).toBe(0);
  await clock.advance(3_000);
  expect([wires.open.size, troubles.length]).toEqual([1, 1]);
  await discovery[Symbol.asyncDispose]();
});

test('replays, garbage, its own voice and beacons of another key lead nowhere and are counted', async () => {
  const { clock, wires, candidates, discovery } = setting(() => ({ en1: [linkLocal('fe80::1', 1)] }));
  await clock.advance(1_500);
  const receive = (bytes: Uint8Array, address = 'fe80::9%en1'): void =>
    wires.open.get('en1 IPv6')?.datagram(bytes, address);
  for (const { bytes } of wires.sent) receive(bytes);
  receive(beaconOf(4181, 3));
  receive(beaconOf(4181, 3), 'fe80::bad%en1');
  receive(new Uint8Array(56));
  receive(encodeBeacon({ version: 1, port: 1, nonce: new Uint8Array(16) }, new Uint8Array(32).fill(2)));
  expect(candidates).toEqual([
    { address: 'fe80::9%en1', port: 4181, source: 'beacon', interfaceName: 'en1' },
  ]);
  expect(discovery.status.channels[0]).toMatchObject({ receivedCount: 1, otherKeyCount: 1, droppedCount: 2 });
  for (let one = 0; one < 5_000; one += 1) receive(new Uint8Array(56));
  await discovery[Symbol.asyncDispose]();
});

test('while keys change, beacons go out and are accepted under both; a removed key counts no more', async () => {
  const other = new Uint8Array(32).fill(2);
  const { clock, wires, candidates, discovery } = setting(() => ({ en1: [linkLocal('fe80::1', 1)] }), {
    tagKeys: [other, KEY],
  });
  await clock.advance(0);
  expect(wires.sent.map(({ bytes }) => checkBeacon(bytes, [KEY]).kind)).toEqual(['other-key', 'beacon']);
  discovery.setTagKeys([other]);
  wires.open.get('en1 IPv6')?.datagram(beaconOf(4181, 3), 'fe80::9%en1');
  expect(candidates).toEqual([]);
  await discovery[Symbol.asyncDispose]();
});

test('an IPv4 address that two cables could lead to names neither of them', async () => {
  const { clock, wires, candidates, discovery } = setting(() => ({
    en1: [ipv4('169.254.1.1')],
    en2: [ipv4('169.254.2.1')],
    en3: [ipv4('10.0.0.1')],
  }));
  await clock.advance(0);
  wires.open.get('en1 IPv4')?.datagram(beaconOf(4181, 3), '169.254.3.3');
  wires.open.get('en3 IPv4')?.datagram(beaconOf(4181, 4), '10.0.0.2');
  expect(candidates).toEqual([
    { address: '169.254.3.3', port: 4181, source: 'beacon' },
    { address: '10.0.0.2', port: 4181, source: 'beacon', interfaceName: 'en3' },
  ]);
  await discovery[Symbol.asyncDispose]();
});

test('with discovery off no socket is opened, and static peers are still passed on', async () => {
  const { clock, wires, candidates, discovery } = setting(() => ({ en1: [linkLocal('fe80::1', 1)] }), {
    settings: {
      way: { kind: 'off' },
      staticPeers: [
        { host: 'atlas.local', port: 4181 },
        { host: 'fe80::7', port: 4181 },
      ],
    },
  });
  await clock.advance(30_000);
  expect([wires.open.size, wires.sent.length]).toEqual([0, 0]);
  expect(candidates).toEqual([
    { address: 'atlas.local', port: 4181, source: 'static' },
    { address: 'fe80::7%en1', port: 4181, interfaceName: 'en1', source: 'static' },
  ]);
  await discovery[Symbol.asyncDispose]();
});

test('a named interface that is not there is reported once, with those that are, and used when it comes', async () => {
  let list: InterfaceList = { en0: [linkLocal('fe80::1', 1)] };
  const reported: (readonly [readonly string[], readonly string[]])[] = [];
  const { clock, wires, discovery } = setting(() => list, {
    settings: { way: { kind: 'interfaces', names: ['en0', 'nope0'] }, staticPeers: [] },
    onMissing: (missing, present) => reported.push([missing, present]),
  });
  await clock.advance(20_000);
  expect(reported).toEqual([[['nope0'], ['en0']]]);
  list = { ...list, nope0: [linkLocal('fe80::2', 2)] };
  await clock.advance(3_500);
  expect(reported.slice(1)).toEqual([[[], ['en0', 'nope0']]]);
  expect(wires.timesOn('nope0 IPv6').length).toBeGreaterThan(0);
  await discovery[Symbol.asyncDispose]();
});

test('interfaces are left out by setting, by kind, and past the bound, with the reason', () => {
  const list: Record<string, NetworkInterfaceInfo[]> = {
    lo: [ipv4('127.0.0.1', { internal: true })],
    awdl0: [linkLocal('fe80::1', 1)],
    en0: [ipv4('10.0.0.1'), linkLocal('fe80::1', 2)],
    en9: [linkLocal('fe80::1', 3)],
  };
  for (let at = 0; at < 100; at += 1) list[`veth${at}`] = [linkLocal('fe80::1', 100 + at)];
  const of = (endpoints: readonly BeaconEndpoint[]): readonly string[] =>
    endpoints.map(({ family, interfaceName }) => `${interfaceName} ${family}`);
  const every = beaconEndpoints(list, {
    way: { kind: 'every-interface' },
    ignoredInterfaces: ['en9'],
    takesLoopback: false,
  });
  expect(of(every.endpoints).slice(0, 3)).toEqual(['en0 IPv6', 'en0 IPv4', 'veth0 IPv6']);
  expect(every.endpoints).toHaveLength(65);
  expect(every.leftOut.slice(0, 3)).toEqual([
    { interfaceName: 'awdl0', why: 'its-kind' },
    { interfaceName: 'en9', why: 'ignored' },
    { interfaceName: 'lo', why: 'loopback' },
  ]);
  const named = beaconEndpoints(list, {
    way: { kind: 'interfaces', names: ['en9', 'en7'] },
    ignoredInterfaces: ['en9'],
    takesLoopback: false,
  });
  expect(of(named.endpoints)).toEqual(['en9 IPv6']);
  expect(named.leftOut).toContainEqual({ interfaceName: 'en7', why: 'not-there' });
});

test('what a person should know of interfaces is reported with a code, the interface and what to do', () => {
  const channel = (interfaceName: string, more: Partial<BeaconChannelStatus> = {}): BeaconChannelStatus => ({
    interfaceName,
    family: 'IPv6',
    isOpen: true,
    failure: undefined,
    sentCount: 1,
    receivedCount: 0,
    otherKeyCount: 0,
    droppedCount: 0,
    lastSeenAtMs: undefined,
    ...more,
  });
  const problems = beaconProblems({
    channels: [
      channel('en0', { receivedCount: 3 }),
      channel('en0', { family: 'IPv4' }),
      channel('en1', { otherKeyCount: 6, failure: { action: 'send', code: 'EPERM' } }),
      channel('en2'),
    ],
    leftOut: [
      { interfaceName: 'awdl0', why: 'its-kind' },
      { interfaceName: 'lo', why: 'loopback' },
    ],
    candidateCount: 0,
    refusedCount: 0,
  });
  expect(problems.map(({ code, interfaceName }) => [code, interfaceName])).toEqual([
    ['beacon-failed', 'en1'],
    ['beacon-of-other-key', 'en1'],
    ['beacon-not-heard', 'en2'],
    ['no-beacon', 'awdl0'],
    ['no-beacon-on-loopback', 'lo'],
  ]);
  expect(problems[0]).toMatchObject({
    problem: 'cannot send on en1 (IPv6): EPERM',
    advice: 'A firewall forbids it: allow UDP 4182.',
  });
  expect(problems[1]?.advice).toContain('plimsoll key show --join');
  expect(problems[3]?.problem).toBe('no beacon on awdl0: this kind of interface does not connect machines');
});
