// Bugs planted on purpose, one at a time: what a simulation must find before anybody believes that it finds others. Each wraps
// one part of a node and leaves everything else as it is.

import type { Clock } from '../../src/clock/clock.ts';
import type { State } from '../../src/core/state.ts';
import type { Journal } from '../../src/journal/journal.ts';
import type { ReplicaStore } from '../../src/mesh/replication/replica-store.ts';
import type { PortLocks } from '../../src/probe/schedule/port-locks.ts';

export interface Mutation {
  readonly what: string;
  readonly journal: (journal: Journal) => Journal;
  readonly store: (store: ReplicaStore, nowMs: () => number) => ReplicaStore;
  readonly clock: (clock: Clock) => Clock;
  readonly locks: (locks: PortLocks) => PortLocks;
  /** What probing sees of the state. */
  readonly probedState: (state: State) => State;
}

const same = <T>(value: T): T => value;

export const NO_MUTATION: Mutation = {
  what: 'nothing',
  journal: same,
  store: same,
  clock: same,
  locks: same,
  probedState: same,
};

/** One call in `each` is done by the second function. */
const now = (each: number): (() => boolean) => {
  let count = 0;
  return () => {
    count += 1;
    return count % each === 0;
  };
};

const mutation = (what: string, parts: Partial<Mutation>): Mutation => ({ ...NO_MUTATION, ...parts, what });

export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'acknowledged-not-written': mutation(
    'the journal acknowledges a record of its own that it does not write',
    {
      journal: journal => {
        const isNow = now(20);
        const append = journal.append.bind(journal);
        journal.append = records => append(isNow() ? records.slice(0, -1) : records);
        return journal;
      },
    },
  ),
  'peer-record-dropped': mutation('a record of a peer is said to be stored and is left out', {
    store: store => {
      const isNow = now(10);
      return {
        ...store,
        storeRecords: received => {
          if (!isNow()) return store.storeRecords(received);
          const records = received.records.slice(0, -1);
          const events = received.events.filter(({ seq }) => records.some(record => record.seq === seq));
          return store.storeRecords({ ...received, records, events });
        },
      };
    },
  }),
  'stored-in-memory-only': mutation('records of peers reach the state and not the disk', {
    journal: journal => {
      const isNow = now(6);
      const appendCatchUp = journal.appendCatchUp.bind(journal);
      journal.appendCatchUp = (position, records) => appendCatchUp(position, isNow() ? [] : records);
      return journal;
    },
  }),
  'never-a-new-epoch': mutation('a home that was restored from a copy goes on with the numbers that it had', {
    store: store => ({ ...store, startNewEpoch: () => undefined }),
  }),
  'epoch-forgets': mutation('a new epoch is started and what is current is not written again', {
    journal: journal => {
      const startNewEpoch = journal.startNewEpoch.bind(journal);
      const append = journal.append.bind(journal);
      let swallowed = 0;
      journal.startNewEpoch = floor => {
        swallowed = 2;
        return startNewEpoch(floor);
      };
      journal.append = records => {
        swallowed -= 1;
        append(records.slice(0, swallowed > 0 ? 0 : undefined));
      };
      return journal;
    },
  }),
  'ages-start-again': mutation('a live value of a peer is as old as its last relay and not as itself', {
    store: (store, nowMs) => ({
      ...store,
      applyLive: events =>
        store.applyLive(events.map(event => ({ ...event, ageMs: 0, receivedAtMs: nowMs() }))),
    }),
  }),
  'live-of-the-past': mutation('an old live value comes a second time and counts as new', {
    store: store => {
      const isNow = now(40);
      let kept: Parameters<ReplicaStore['applyLive']>[0] = [];
      return {
        ...store,
        applyLive: events => {
          store.applyLive(events);
          if (isNow()) {
            const [first] = events;
            store.applyLive(
              kept.map(event =>
                first?.origin === event.origin && first.kind === event.kind
                  ? {
                      ...event,
                      epoch: first.epoch,
                      seq: first.seq + 1,
                      ageMs: 0,
                      receivedAtMs: first.receivedAtMs,
                    }
                  : event,
              ),
            );
            kept = events;
          }
        },
      };
    },
  }),
  'two-on-one-interface': mutation('the lock of an interface is given to everybody', {
    locks: locks => {
      locks.blocker = () => undefined;
      return locks;
    },
  }),
  'blind-for-runs': mutation('probing does not look for benchmarks', {
    probedState: state => ({ ...state, runners: {} }),
  }),
  'wall-for-monotonic': mutation('durations are measured with the wall clock, which jumps', {
    clock: clock => ({
      nowMs: () => clock.wallMs(),
      wallMs: () => clock.wallMs(),
      sleep: (ms, signal) => clock.sleep(ms, signal),
    }),
  }),
  'lost-when-compacted': mutation('compaction drops a record that nothing has replaced', {
    journal: journal => {
      const compact = journal.compact.bind(journal);
      journal.compact = () => {
        for (const { origin, epoch, through } of journal.origins())
          if (journal.currentRecords(origin).length > 1) {
            journal.forget(origin);
            journal.appendCatchUp({ origin, epoch, through }, []);
          }
        return compact();
      };
      return journal;
    },
  }),
  'starts-not-counted': mutation('each life of a daemon counts as its first', {
    journal: journal => Object.defineProperty(journal, 'startNumber', { value: 1 }),
  }),
};
