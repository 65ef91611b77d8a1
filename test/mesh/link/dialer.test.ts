// When which address is tried, on a virtual clock, over a connector that only writes down what it is asked.

import { expect, test } from 'vitest';
import { generateNodeKey } from '../../../src/daemon/node-key.ts';
import { LinkedTransport } from '../../../src/mesh/link/linked-transport.ts';
import type { Connector } from '../../../src/mesh/link/pipe.ts';
import { MESH_LIMITS, type MeshCandidate, type MeshLimits } from '../../../src/mesh/mesh.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const dialling = async (answer: 'refuse' | 'hang', limits: Partial<MeshLimits> = {}, random = () => 1) => {
  const clock = new VirtualClock();
  const dials: { readonly atMs: number; readonly address: string }[] = [];
  let open = 0;
  let openMax = 0;
  const connector: Connector = {
    listensOn: undefined,
    listen: async () => undefined,
    accept: () => undefined,
    dial: async (candidate, signal) => {
      const { address, port } = candidate;
      dials.push({ atMs: clock.nowMs(), address });
      open += 1;
      openMax = Math.max(openMax, open);
      try {
        if (answer === 'hang') await clock.sleep(1e9, signal);
      } finally {
        open -= 1;
      }
      const refusal = { direction: 'dialled', reason: 'unreachable', detail: 'nobody there' } as const;
      return { kind: 'refused', refusal: { ...refusal, address: { host: address, port } } };
    },
    acceptsKey: () => true,
    close: async () => undefined,
  };
  const transport = new LinkedTransport({
    localId: generateNodeKey().nodeId,
    instance: 'this one',
    clock,
    limits: { ...MESH_LIMITS, ...limits },
    random,
    connector,
  });
  await transport.start(new AbortController().signal);
  return { clock, transport, dials, timesMs: () => dials.map(({ atMs }) => atMs), openMax: () => openMax };
};

const candidate = (address: string, source: MeshCandidate['source'] = 'static'): MeshCandidate => ({
  address,
  port: 4_181,
  source,
});

test('a static address is tried for ever, with pauses from 0.5 s to 15 s', async () => {
  const { clock, transport, timesMs } = await dialling('refuse');
  transport.addCandidate(candidate('10.0.0.1'));
  await clock.advance(60_000);
  expect(timesMs()).toEqual([0, 500, 1_500, 3_500, 7_500, 15_500, 30_500, 45_500]);
  await clock.advance(3_600_000);
  expect(timesMs().length).toBe(8 + 240);
  await transport[Symbol.asyncDispose]();
  expect(clock.sleeperCount).toBe(0);
});

test('jitter halves a pause at most', async () => {
  const { clock, transport, timesMs } = await dialling('refuse', {}, () => 0);
  transport.addCandidate(candidate('10.0.0.1'));
  await clock.advance(3_750);
  expect(timesMs()).toEqual([0, 250, 750, 1_750, 3_750]);
  await transport[Symbol.asyncDispose]();
});

test('an address that was only received is forgotten after eight failures, and tried again when it is received again', async () => {
  const { clock, transport, dials } = await dialling('refuse');
  transport.addCandidate(candidate('10.0.0.1', 'beacon'));
  await clock.advance(600_000);
  expect(dials.length).toBe(8);
  transport.addCandidate(candidate('10.0.0.1', 'beacon'));
  await clock.advance(0);
  expect(dials.length).toBe(9);
  await transport[Symbol.asyncDispose]();
});

test('an address that is received again is tried at once, but not in a row', async () => {
  const { clock, transport, timesMs } = await dialling('refuse');
  transport.addCandidate(candidate('10.0.0.1', 'beacon'));
  await clock.advance(8_000);
  transport.addCandidate(candidate('10.0.0.1', 'beacon'));
  await clock.advance(0);
  expect(timesMs().at(-1)).toBe(7_500);
  await clock.advance(4_000);
  transport.addCandidate(candidate('10.0.0.1', 'beacon'));
  await clock.advance(0);
  expect(timesMs().at(-1)).toBe(12_000);
  await transport[Symbol.asyncDispose]();
});

test('a dial without a response ends after 4 s and is reported', async () => {
  const { clock, transport } = await dialling('hang');
  const details: string[] = [];
  transport.onRefused(({ reason, detail }) => details.push(`${reason}: ${detail}`));
  transport.addCandidate(candidate('10.0.0.1'));
  await clock.advance(3_999);
  expect(details).toEqual([]);
  await clock.advance(1);
  expect(details).toEqual(['unreachable: no answer within 4 s']);
  await transport[Symbol.asyncDispose]();
  expect(clock.sleeperCount).toBe(0);
});

test('at most eight dials are under way, and every address gets its turn', async () => {
  const { clock, transport, dials, openMax } = await dialling('hang');
  for (let number = 0; number < 100; number += 1) transport.addCandidate(candidate(`10.0.0.${number}`));
  await clock.advance(60_000);
  expect(openMax()).toBe(8);
  expect(new Set(dials.map(({ address }) => address)).size).toBe(100);
  await transport[Symbol.asyncDispose]();
});

test('the greater id leaves the first dial to a peer whose id it has', async () => {
  const { clock, transport, timesMs } = await dialling('refuse');
  const peers = Array.from({ length: 64 }, () => generateNodeKey().nodeId);
  const smaller = peers.find(peerId => peerId < transport.localId);
  if (smaller === undefined) return; // this node has the smallest id of all
  transport.addCandidate({ ...candidate('10.0.0.1', 'peer'), peerId: smaller });
  await clock.advance(4_000);
  expect(timesMs()).toEqual([4_000]);
  await transport[Symbol.asyncDispose]();
});

test('what no address can be is not held, and addresses are bounded but for static ones', async () => {
  const { clock, transport, dials } = await dialling('hang', { candidatesMax: 3, dialsMax: 50 });
  for (const address of ['', 'a b', 'a\0b', 'x'.repeat(300), 'a\nb', '[::1]'])
    transport.addCandidate(candidate(address));
  for (const port of [0, -1, 65_536, 1.5, Number.NaN, 1e12])
    transport.addCandidate({ ...candidate('10.0.0.1'), port });
  for (const address of ['10.0.0.1', '::1', 'fe80::1%en0', 'atlas.local', '10.0.0.5'])
    transport.addCandidate(candidate(address, 'peer'));
  transport.addCandidate(candidate('10.0.0.9'));
  await clock.advance(0);
  expect(dials.map(({ address }) => address)).toEqual(['10.0.0.1', '::1', 'fe80::1%en0', '10.0.0.9']);
  await transport[Symbol.asyncDispose]();
});
