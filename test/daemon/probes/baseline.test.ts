import { expect, test } from 'vitest';
import { apply } from '../../../src/core/apply.ts';
import type { Event } from '../../../src/core/event.ts';
import { eventClass, type Fact, factKey } from '../../../src/core/event-kinds.ts';
import { nodeId } from '../../../src/core/ids.ts';
import type { LinkProfile } from '../../../src/core/link/link-profile.ts';
import { unusualLinkFigures, unusualText, usualLinkFigure } from '../../../src/core/probe/unusual-figures.ts';
import { EMPTY_STATE, type State } from '../../../src/core/state.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { generateNodeKey } from '../../../src/daemon/node-key.ts';
import { BaselineReporting } from '../../../src/daemon/probes/baseline-reporting.ts';
import { createMemoryJournal } from '../../../src/journal/memory-journal.ts';
import { encodeRecordBody } from '../../../src/wire/durable-record.ts';
import { measured } from '../../support/made-up-engine.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const PEER = nodeId('peer'.padEnd(26, 'b'));
const KEY = 'socket 10.0.0.2';
const SUBJECT = { kind: 'link', sink: PEER, connectionKey: KEY } as const;
const HOUR_MS = 3_600_000;

const profile = (bitsPerSecond: number, change: Partial<LinkProfile> = {}): Fact => {
  const outcome = measured(bitsPerSecond);
  if (outcome.kind !== 'measured') throw new Error('it is measured');
  return {
    kind: 'link.profiled',
    payload: {
      ...outcome.measurement,
      sink: PEER,
      connectionKey: KEY,
      extrasAgeMs: 0,
      measuredAgeMs: 0,
      intervalMs: 300_000,
      failure: 'none',
      ...change,
    },
  };
};

/** A node that writes profiles and reports what is usual, on a journal and a clock of its own. */
const notifier = () => {
  const clock = new VirtualClock();
  const key = generateNodeKey();
  const journal = createMemoryJournal({ ownNode: key.nodeId, clock });
  const reported: Fact[] = [];
  let state: State = EMPTY_STATE;
  const seqs = { durable: 0, live: 0 };
  const record = (fact: Fact): void => {
    const kind = eventClass(fact.kind);
    const isLive = kind === 'live';
    if (isLive) reported.push(fact);
    seqs[kind] += 1;
    const head = {
      origin: key.nodeId,
      epoch: isLive ? journal.startNumber : journal.ownEpoch,
      seq: seqs[kind],
    };
    const named = { ...head, key: factKey(fact) };
    if (!isLive) {
      const body = encodeRecordBody(head, fact);
      journal.append([{ ...named, kind: fact.kind, body, signature: key.sign(body), ageMs: 0 }]);
    }
    const event: Event = {
      ...fact,
      ...named,
      class: kind,
      ageMs: 0,
      receivedAtMs: clock.nowMs(),
    };
    state = apply(state, event);
  };
  const reporting = new BaselineReporting({
    nodeId: key.nodeId,
    clock,
    state: () => state,
    record,
    history: query => journal.history(query),
  });
  return {
    clock,
    journal,
    record,
    reporting,
    reported,
    usual: () => usualLinkFigure(state, key.nodeId, SUBJECT, 'uploadBitsPerSecond'),
    unusual: () =>
      unusualLinkFigures(state, key.nodeId, SUBJECT).map(figure => [figure.figure, unusualText(figure)]),
  };
};

test('a link that carries less than it did all week reports how much less, and one that does not reports nothing', async () => {
  const { clock, record, reporting, usual, unusual } = notifier();
  for (let hour = 0; hour < 26; hour += 1) {
    record(profile(1e9 + hour * 1e6));
    await clock.advance(HOUR_MS);
    reporting.look();
  }
  expect(unusual()).toEqual([]);
  expect(usual()).toBeGreaterThan(1e9);
  record(profile(6.06e8));
  reporting.look();
  expect(unusual()).toEqual([
    ['uploadBitsPerSecond', '40% below its median of the last week'],
    ['downloadBitsPerSecond', '40% below its median of the last week'],
  ]);
  record(profile(1e9, { roundTripNsP50: 80_000 }));
  expect(unusual()).toEqual([['roundTripNsP50', '4.0 times its median of the last week']]);
});

test('failed attempts neither count nor are called unusual, and few measurements are no habit', async () => {
  const { clock, record, reporting, reported, unusual } = notifier();
  for (let probe = 0; probe < 4; probe += 1) {
    record(profile(1e9));
    record(profile(1e9, { failure: unknown('silence'), measuredAgeMs: 5_000 }));
    await clock.advance(7 * HOUR_MS);
  }
  record(profile(1e8));
  reporting.look();
  expect(reported.at(-1)).toMatchObject({ payload: { count: 5, medians: { uploadBitsPerSecond: 1e9 } } });
  expect(unusual().length).toBe(2);
  record(profile(1e8, { failure: unknown('silence') }));
  expect(unusual()).toEqual([]);
});

test('what five probes of one afternoon found is no habit', async () => {
  const { clock, record, reporting, usual, unusual } = notifier();
  for (let probe = 0; probe < 20; probe += 1) {
    record(profile(1e9));
    await clock.advance(HOUR_MS / 4);
  }
  record(profile(1e8));
  reporting.look();
  expect([usual(), unusual()]).toEqual([undefined, []]);
});

test('a week that is past is forgotten, and hours that were summed up count as what they stand for', async () => {
  const { clock, journal, record, reporting, reported } = notifier();
  for (let probe = 0; probe < 12; probe += 1) {
    record(profile(4e9));
    await clock.advance(300_000);
  }
  await clock.advance(5 * 24 * HOUR_MS);
  journal.compact();
  record(profile(1e9));
  record(profile(1e9));
  reporting.look();
  expect(reported.at(-1)).toMatchObject({ payload: { count: 14, medians: { uploadBitsPerSecond: 4e9 } } });
  await clock.advance(3 * 24 * HOUR_MS);
  record(profile(1e9));
  reporting.look();
  expect(reported.at(-1)).toMatchObject({ payload: { count: 3, medians: { uploadBitsPerSecond: 1e9 } } });
});

test('the journal is asked again when there is news, and once an hour where a habit is known', async () => {
  const { clock, record, reporting, reported } = notifier();
  for (let probe = 0; probe < 25; probe += 1) {
    record(profile(1e9));
    reporting.look();
    reporting.look();
    await clock.advance(300_000);
  }
  // Twenty of the first measurements, and then after an hour.
  expect(reported.length).toBe(20);
  await clock.advance(HOUR_MS);
  reporting.look();
  expect(reported.length).toBe(21);
});
