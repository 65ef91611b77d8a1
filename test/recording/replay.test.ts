import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { applyAll } from '../../src/core/apply.ts';
import { mapEntries } from '../../src/core/entry-maps.ts';
import type { Event } from '../../src/core/event.ts';
import { nodeName } from '../../src/core/node/node-view.ts';
import { nodeIds, presence } from '../../src/core/node/presence-view.ts';
import type { State } from '../../src/core/state.ts';
import { eventsBefore, replay } from '../../src/recording/replay.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { recordWorld } from './recorded-world.ts';

/** What came out, with when; ends the replay when it is disposed of. */
const played = (path: string, speed = 1) => {
  const clock = new VirtualClock({ nowMs: 1_000_000 });
  const stop = new AbortController();
  const states: { readonly atMs: number; readonly state: State }[] = [];
  const batches: { readonly atMs: number; readonly events: readonly Event[] }[] = [];
  const broken: string[] = [];
  const playing = replay(
    {
      path,
      clock,
      speed,
      onState: state => void states.push({ atMs: clock.nowMs() - 1_000_000, state }),
      onEvents: events => void batches.push({ atMs: clock.nowMs() - 1_000_000, events }),
      onBroken: reason => void broken.push(reason),
    },
    stop.signal,
  );
  return {
    clock,
    states,
    batches,
    broken,
    /** Reading a file takes real time: until nothing waits but the clock. */
    until: async (isSo: () => boolean): Promise<void> => {
      for (let turn = 0; turn < 100_000 && !isSo(); turn += 1) {
        await new Promise(resolve => setImmediate(resolve));
        if (clock.sleeperCount > 0) await clock.advance(100);
      }
      expect(isSo()).toBe(true);
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      stop.abort();
      await playing;
    },
  };
};

test('a replay begins with the state that was, and ends with the state that came of it', async () => {
  using folder = temporaryDirectory();
  const path = join(folder.path, 'recording');
  const { first, last, nowMs } = await recordWorld(path);
  await using replayed = played(path);
  await replayed.until(() => replayed.batches.length >= 20);
  const [begun] = replayed.states;
  if (begun === undefined) throw new Error('no state');
  expect(valuesOf(begun.state)).toEqual(valuesOf(first));
  const end = applyAll(
    begun.state,
    replayed.batches.slice(0, 20).flatMap(({ events }) => events),
  );
  expect(valuesOf(end)).toEqual(valuesOf(last));
  expect(agesOf(end, replayed.clock.nowMs())).toEqual(
    agesOf(last, nowMs + replayed.clock.nowMs() - 1_020_000),
  );
});

test('events come when they came, or so many times as fast', async () => {
  using folder = temporaryDirectory();
  const path = join(folder.path, 'recording');
  await recordWorld(path);
  for (const speed of [1, 4]) {
    await using replayed = played(path, speed);
    await replayed.until(() => replayed.batches.length >= 20);
    const times = replayed.batches.slice(0, 20).map(({ atMs }) => atMs);
    expect(times).toEqual(Array.from({ length: 20 }, (_, index) => ((index + 1) * 1_000) / speed));
  }
});

test('at its end it begins again, with nobody gone in between, and with who was gone before', async () => {
  using folder = temporaryDirectory();
  const path = join(folder.path, 'recording');
  await recordWorld(path);
  await using replayed = played(path);
  await replayed.until(() => replayed.states.length === 3);
  const third = replayed.states[2];
  if (third === undefined) throw new Error('no third round');
  const presences = nodeIds(third.state).map(node => [
    nodeName(third.state, node),
    presence(third.state, node, replayed.clock.nowMs()),
  ]);
  expect(presences.filter(([, is]) => is !== 'live')).toEqual([['juno', 'offline']]);
});

test('what is damaged is played up to there, reported, and played again', async () => {
  using folder = temporaryDirectory();
  const path = join(folder.path, 'recording');
  await recordWorld(path);
  const bytes = readFileSync(path);
  const cut = join(folder.path, 'cut');
  writeFileSync(cut, bytes.subarray(0, bytes.length - 40));
  await using replayed = played(cut);
  await replayed.until(() => replayed.states.length === 2);
  expect(replayed.broken[0]).toMatch(/cut off at byte \d+/);
  expect(replayed.batches.length).toBeGreaterThan(5);
});

test('the time before a replay has what the recording ends with, as old as it would be', async () => {
  using folder = temporaryDirectory();
  const path = join(folder.path, 'recording');
  await recordWorld(path);
  const ages: number[] = [];
  for await (const event of eventsBefore(path, new VirtualClock()))
    if (event.kind === 'memory.gathered') ages.push(Math.round(event.ageMs / 1_000));
  // Eight nodes, of which one is asleep.
  expect(ages.length).toBe(7 * 20);
  expect([Math.max(...ages), Math.min(...ages)]).toEqual([19, 0]);
});

/** State without receipts and ages, which move with the clock. */
const valuesOf = (state: State): unknown =>
  mapEntries(state, entry => ({ ...entry, receivedAtMs: 0, ...('ageMs' in entry ? { ageMs: 0 } : {}) }));

/** Ascending: the order of maps is that in which nodes were met. */
const agesOf = (state: State, nowMs: number): readonly number[] => {
  const ages: number[] = [];
  mapEntries(state, entry => {
    if ('ageMs' in entry && typeof entry.ageMs === 'number')
      ages.push(Math.round(entry.ageMs + nowMs - entry.receivedAtMs));
    return entry;
  });
  return ages.sort((a, b) => a - b);
};
