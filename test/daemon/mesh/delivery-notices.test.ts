import { expect, test } from 'vitest';
import { followDeliveries } from '../../../src/daemon/mesh/delivery-notices.ts';
import { generateNodeKey } from '../../../src/daemon/node-key.ts';
import { Notices } from '../../../src/daemon/notices.ts';
import type { Undelivered } from '../../../src/mesh/replication/catch-up-requests.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

test('a peer that claims what it does not deliver is named until it delivers', async () => {
  const clock = new VirtualClock();
  const notices = new Notices(() => undefined);
  const stop = new AbortController();
  const peer = generateNodeKey().nodeId;
  let undelivered: readonly Undelivered[] = [{ peer, count: 2, givenUp: 0 }];
  const following = followDeliveries(
    { clock, notices, nameOf: () => 'juno', undelivered: () => undelivered },
    stop.signal,
  );
  await clock.advance(20_000);
  expect(notices.all).toEqual([]);
  undelivered = [{ peer, count: 9, givenUp: 1 }];
  await clock.advance(20_000);
  expect(notices.all).toMatchObject([
    {
      code: 'records-undelivered',
      node: peer,
      problem: `juno (${peer}) claims records that it does not deliver: 9 requests had no result, and for 1 node it is asked once a day now.`,
    },
  ]);
  undelivered = [];
  await clock.advance(20_000);
  expect(notices.all).toEqual([]);
  stop.abort();
  await following;
});

test('of many such peers those that failed most are named', async () => {
  const clock = new VirtualClock();
  const notices = new Notices(() => undefined);
  const stop = new AbortController();
  const undelivered = Array.from({ length: 30 }, (_, at) => ({
    peer: generateNodeKey().nodeId,
    count: 10 + at,
    givenUp: 0,
  }));
  const following = followDeliveries(
    { clock, notices, nameOf: () => 'one', undelivered: () => undelivered },
    stop.signal,
  );
  await clock.advance(20_000);
  expect(notices.all.map(notice => notice['count'])).toEqual([39, 38, 37, 36]);
  stop.abort();
  await following;
});
