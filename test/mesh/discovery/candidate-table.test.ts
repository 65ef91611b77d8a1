// What is remembered of addresses, and how often they are passed on.

import { expect, test } from 'vitest';
import { DISCOVERY_LIMITS } from '../../../src/mesh/discovery/limits.ts';
import { dialableFromElsewhere, parsePeer } from '../../../src/mesh/discovery/peer-address.ts';
import { CandidateTable } from '../../../src/mesh/discovery/start-discovery.ts';
import type { MeshCandidate } from '../../../src/mesh/mesh.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const setting = (): { clock: VirtualClock; passed: MeshCandidate[]; table: CandidateTable } => {
  const clock = new VirtualClock();
  const passed: MeshCandidate[] = [];
  return { clock, passed, table: new CandidateTable(clock, candidate => passed.push(candidate)) };
};

const received = (address: string): MeshCandidate => ({ address, port: 4181, source: 'beacon' });
const reported = (address: string): MeshCandidate => ({ address, port: 4181, source: 'peer' });

test('an address received again is passed on again, but not more often than every 4 s', async () => {
  const { clock, passed, table } = setting();
  for (let second = 0; second < 9; second += 1) {
    table.offer(received('10.0.0.1'));
    await clock.advance(1_000);
  }
  expect(passed).toHaveLength(3);
});

test('what a peer sent once is repeated every minute until it is 10 minutes old', async () => {
  const { clock, passed, table } = setting();
  table.offer(reported('10.0.0.1'), 'atlas');
  for (let minute = 0; minute < 20; minute += 1) {
    await clock.advance(60_000);
    table.sweep();
  }
  expect(passed).toHaveLength(10);
  expect(table.size).toBe(0);
});

test('one peer fills only its share of the table, and gets it back when its addresses are forgotten', async () => {
  const { clock, table } = setting();
  const share = DISCOVERY_LIMITS.addressesPerPeerMax;
  for (let at = 0; at < share + 5; at += 1) table.offer(reported(`10.0.0.${at}`), 'atlas');
  expect([table.size, table.refusedCount]).toEqual([share, 5]);
  table.offer(reported('10.0.1.1'), 'borg');
  expect(table.size).toBe(share + 1);
  await clock.advance(DISCOVERY_LIMITS.candidateAgeMsMax);
  table.sweep();
  table.offer(reported('10.0.2.1'), 'atlas');
  expect(table.size).toBe(1);
});

test('beacons replayed from made-up addresses are taken slowly, and up to the bound', async () => {
  const { clock, table } = setting();
  for (let at = 0; at < 5_000; at += 1) table.offer(received(`fe80::${at.toString(16)}%l1`));
  expect(table.size).toBe(DISCOVERY_LIMITS.newBurst);
  await clock.advance(60_000);
  for (let at = 0; at < 100; at += 1) {
    for (let one = 0; one < 50; one += 1) table.offer(received(`fe80::1:${(at * 50 + one).toString(16)}%l1`));
    await clock.advance(1_000);
  }
  expect(table.size).toBe(DISCOVERY_LIMITS.candidatesMax);
});

test.each([
  ['atlas.local', 'atlas.local', 4181],
  ['atlas:5000', 'atlas', 5000],
  ['10.0.0.2', '10.0.0.2', 4181],
  ['10.0.0.2:5000', '10.0.0.2', 5000],
  ['fd00::2', 'fd00::2', 4181],
  ['fe80::2%en5', 'fe80::2%en5', 4181],
  ['[fe80::2%en5]', 'fe80::2%en5', 4181],
  ['[fe80::2%en5]:5000', 'fe80::2%en5', 5000],
])('a peer may be written as %s', (text, host, port) => {
  expect(parsePeer(text)).toEqual({ kind: 'peer', host, port });
});

test.each([
  '',
  ' ',
  ':4181',
  'atlas:0',
  'atlas:99999',
  '[::1',
  '[zz::1]:4181',
  'a b',
  '10.0.0.300:1',
  'x'.repeat(999),
])('a peer cannot be written as %j', text => {
  expect(parsePeer(text).kind).toBe('wrong');
});

test('of addresses that peers send, only those count that another machine can dial', () => {
  const useless = [
    'atlas',
    '',
    '0.0.0.0',
    '127.0.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'ff02::1',
  ];
  const scoped = ['fe80::1', 'fe80::1%en5', '::ffff:127.0.0.1', '10.0.0.1%x', '1.2.3'];
  expect([...useless, ...scoped].filter(address => dialableFromElsewhere(address) !== undefined)).toEqual([]);
  expect(['10.0.0.1', '169.254.3.4', '::ffff:10.0.0.1', 'FD00:0::1'].map(dialableFromElsewhere)).toEqual([
    '10.0.0.1',
    '169.254.3.4',
    '10.0.0.1',
    'fd00::1',
  ]);
});
