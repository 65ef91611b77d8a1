import { describe, expect, it } from 'vitest';
import type { Event } from '../../src/core/event.ts';
import type { Fact } from '../../src/core/event-kinds.ts';
import { Cluster } from '../../src/daemon/cluster.ts';
import { EventRecorder, JOURNAL_RETRY_MS, WAITING_FACTS_MAX } from '../../src/daemon/event-recorder.ts';
import { generateNodeKey } from '../../src/daemon/node-key.ts';
import { Notices } from '../../src/daemon/notices.ts';
import { type Journal, JournalError } from '../../src/journal/journal.ts';
import { createMemoryJournal } from '../../src/journal/memory-journal.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

describe('the event recorder', () => {
  it('has a durable fact in the journal before anybody sees it', () => {
    const { recorder, journal, cluster, key } = setup();
    const seen: { readonly event: Event; readonly stored: number }[] = [];
    cluster.subscribe(events => {
      for (const event of events) {
        seen.push({ event, stored: [...journal.recordsAfter(key.nodeId, 0)].length });
      }
    });
    recorder.record(closed('first'));
    recorder.record(closed('second'));
    expect(seen.map(({ event, stored }) => [event.seq, stored])).toEqual([
      [1, 1],
      [2, 2],
    ]);
  });

  it('never journals a live fact and counts it apart', () => {
    const { recorder, journal, cluster, key } = setup();
    recorder.record(confirmed);
    recorder.record(closed('one'));
    expect([...journal.recordsAfter(key.nodeId, 0)]).toHaveLength(1);
    expect(cluster.state.readingStatuses[key.nodeId]?.['memory']).toMatchObject({
      seq: 1,
      epoch: journal.startNumber,
    });
    expect(cluster.state.origins[key.nodeId]).toMatchObject({ seq: 1, epoch: journal.ownEpoch });
  });

  it('keeps what a full disk refused, the newest of each key, and stores it in order when there is room', async () => {
    const disk = { isFull: false };
    const { recorder, clock, cluster, key, notices } = setup({ disk });
    disk.isFull = true;
    expect(recorder.record(closed('first'))).toBe('waiting');
    recorder.record(closed('first', 'no answer'));
    recorder.record(closed('second'));
    expect(recorder.record(confirmed)).toBe('reported');
    expect(cluster.state.origins[key.nodeId]).toBeUndefined();
    expect(notices.all).toMatchObject([{ code: 'journal-write', waitingCount: 2, lostCount: 0 }]);
    disk.isFull = false;
    recorder.retry();
    expect(cluster.state.origins[key.nodeId], 'the disk is left alone for a while').toBeUndefined();
    await clock.advance(JOURNAL_RETRY_MS);
    recorder.retry();
    expect(cluster.state.origins[key.nodeId]).toMatchObject({ seq: 2 });
    expect(notices.all).toEqual([]);
    expect(recorder.record(closed('third'))).toBe('reported');
  });

  it('reports the age of a fact that waited', async () => {
    const disk = { isFull: true };
    const { recorder, clock, cluster } = setup({ disk });
    const ages: number[] = [];
    cluster.subscribe(events => ages.push(...events.map(event => event.ageMs)));
    recorder.record(closed('first'));
    disk.isFull = false;
    await clock.advance(JOURNAL_RETRY_MS);
    recorder.retry();
    expect(ages).toEqual([JOURNAL_RETRY_MS]);
  });

  it('holds a bounded number of facts for the disk and reports how many were lost', async () => {
    const disk = { isFull: true };
    const { recorder, clock, cluster, key, notices } = setup({ disk });
    for (let index = 0; index < WAITING_FACTS_MAX + 5; index += 1) recorder.record(closed(`k${index}`));
    await clock.advance(JOURNAL_RETRY_MS);
    recorder.retry();
    expect(notices.all).toMatchObject([
      { lostCount: 5, advice: expect.stringContaining('5 older events were lost') },
    ]);
    disk.isFull = false;
    await clock.advance(JOURNAL_RETRY_MS);
    recorder.retry();
    expect(cluster.state.origins[key.nodeId]).toMatchObject({ seq: WAITING_FACTS_MAX });
  });
});

const setup = ({ disk = { isFull: false } }: { readonly disk?: { isFull: boolean } } = {}) => {
  const clock = new VirtualClock();
  const key = generateNodeKey();
  const journal = withDisk(createMemoryJournal({ ownNode: key.nodeId, clock }), disk);
  const cluster = new Cluster();
  const notices = new Notices(() => undefined);
  return {
    clock,
    key,
    journal,
    cluster,
    notices,
    recorder: new EventRecorder({ key, clock, journal, cluster, notices }),
  };
};

/** The journal on a disk that can be filled up. */
const withDisk = (journal: Journal, disk: { readonly isFull: boolean }): Journal => ({
  notices: journal.notices,
  lost: journal.lost,
  ownEpoch: journal.ownEpoch,
  startNumber: journal.startNumber,
  passedOver: journal.passedOver,
  append: records => {
    if (disk.isFull) throw new JournalError({ code: 'full', problem: 'The disk is full.', advice: '' });
    journal.append(records);
  },
  appendCatchUp: (position, records) => journal.appendCatchUp(position, records),
  startNewEpoch: floor => journal.startNewEpoch(floor),
  raiseStart: start => journal.raiseStart(start),
  forget: origin => journal.forget(origin),
  currentRecords: origin => journal.currentRecords(origin),
  origins: () => journal.origins(),
  origin: origin => journal.origin(origin),
  recordsAfter: (origin, after) => journal.recordsAfter(origin, after),
  history: query => journal.history(query),
  past: query => journal.past(query),
  compact: () => journal.compact(),
  sizeBytes: () => journal.sizeBytes(),
  [Symbol.dispose]: () => journal[Symbol.dispose](),
});

const closed = (connectionKey: string, reason = 'gone'): Fact => ({
  kind: 'connection.closed',
  payload: { sink: generateNodeKeyOnce.nodeId, connectionKey, reason },
});

const generateNodeKeyOnce = generateNodeKey();

const confirmed: Fact = {
  kind: 'reading.confirmed',
  payload: { reading: 'memory', vendor: 'none', source: 'procfs', intervalMs: 500 },
};
