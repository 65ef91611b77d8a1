import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { FairInbox } from '../../../src/mesh/replication/fair-inbox.ts';

const inboxOf = (costMs: number) => {
  let nowMs = 0;
  const taken: string[] = [];
  const paused: string[] = [];
  const resumed: string[] = [];
  let refused = 0;
  const inbox = new FairInbox<string, string>({
    nowMs: () => nowMs,
    owner: peer => peer,
    take: peer => {
      nowMs += costMs;
      taken.push(peer);
    },
    pause: peer => paused.push(peer),
    resume: peer => resumed.push(peer),
    refused: () => {
      refused += 1;
    },
  });
  return { inbox, taken, paused, resumed, refused: () => refused };
};
const FRAME = new Uint8Array(1_000);

it('a flood of one peer leaves every turn of the loop to others, and other peers come in between', async () => {
  const { inbox, taken } = inboxOf(1);
  for (let count = 0; count < 100; count += 1) inbox.put('flood', FRAME);
  expect(taken.length, 'in the turn in which it came').toBe(10);
  for (let count = 0; count < 3; count += 1) inbox.put('honest', FRAME);
  await nextTurn();
  expect(taken.length).toBe(20);
  expect(taken.filter(peer => peer === 'honest').length).toBe(3);
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  expect(taken.length).toBe(103);
});

it('what costs nothing is taken at once, in order', () => {
  const { inbox, taken } = inboxOf(0);
  for (let count = 0; count < 100; count += 1) inbox.put('a', FRAME);
  expect(taken.length).toBe(100);
});

it('what waits is bounded for each peer, and forgotten with it', async () => {
  const { inbox, taken, refused } = inboxOf(20);
  for (let count = 0; count < 10; count += 1) inbox.put('flood', new Uint8Array(999_000));
  expect(refused()).toBe(1);
  inbox.put('honest', FRAME);
  inbox.forget('flood');
  await nextTurn();
  expect(taken).toEqual(['flood', 'honest']);
});

it('frames without content cost as well: a peer that sends nothing but those is not read any further', () => {
  const { inbox, paused } = inboxOf(20);
  for (let count = 0; count < 1_100; count += 1) inbox.put('empty', new Uint8Array(0));
  expect(paused).toEqual(['empty']);
});

it('a peer of which much waits is not read any further until most of it is taken', async () => {
  const { inbox, taken, paused, resumed } = inboxOf(5);
  for (let count = 0; count < 150; count += 1) inbox.put('busy', FRAME);
  inbox.put('quiet', FRAME);
  expect(paused).toEqual(['busy']);
  while (resumed.length === 0) await nextTurn();
  expect(taken.length, 'taken before it is read again').toBeGreaterThan(80);
  while (taken.length < 151) await nextTurn();
  expect([paused, resumed]).toEqual([['busy'], ['busy']]);
});
