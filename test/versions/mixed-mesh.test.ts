// A mesh of the pinned version and this one. Nothing is lost, no link is closed, and what one version does not know it passes
// on to those that may.

import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock/system-clock.ts';
import type { NodeId } from '../../src/core/ids.ts';
import type { State } from '../../src/core/state.ts';
import { JOURNAL_LIMITS } from '../../src/journal/journal.ts';
import { openSqliteJournal } from '../../src/journal/sqlite-journal.ts';
import { REPLICATION_LIMITS } from '../../src/mesh/replication/limits.ts';
import { isLongRun } from '../support/counts.ts';
import type { FutureNode } from '../support/future-node.ts';
import { announceSweepTo, madeUpLine } from '../support/made-up-line.ts';
import { memoryFact, openedConnection } from '../support/mesh-node.ts';
import { MixedMesh, type MixedNode, type Which } from '../support/mixed-mesh.ts';
import { copyPinnedHome, PINNED_NODE, PINNED_VERSION } from '../support/pinned-version.ts';
import { textOf } from '../support/repository.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const { version: HEAD_VERSION }: { readonly version: string } = JSON.parse(textOf('package.json'));
const TIMEOUT_MS = 120_000;
/** More than close a link where they are faults. */
const MANY = 3 * REPLICATION_LIMITS.faultsMax;

test.each<{ readonly ends: Which; readonly middle: Which }>([
  { ends: 'head', middle: 'pinned' },
  { ends: 'pinned', middle: 'head' },
])(
  'two nodes of the $ends version meet over one of the $middle version, which dials one and is dialled by the other',
  { timeout: TIMEOUT_MS },
  async ({ ends, middle }) => {
    await using mesh = new MixedMesh();
    const left = await mesh.start(ends, 'left');
    const relay = await mesh.start(middle, 'relay', [left]);
    const right = await mesh.start(ends, 'right', [relay]);
    const all = [left, relay, right];
    for (const node of all) await node.when(state => all.every(({ id }) => isWhole(state, id)));

    await using future = await mesh.future(left);
    sayWhatNobodyKnows(future, left);
    for (const node of all) {
      const state = await node.when(held => hasPassed(held, future));
      expect(state.nodeMemories[future.id]?.value.availableBytes).toBe(MANY);
      expect(Object.keys(state.unknownKinds[future.id] ?? {}).sort()).toEqual(['tide.turned', 'wind.felt']);
    }
    if (ends === 'head') {
      const state = await right.when(held => hasPassed(held, future));
      expect(state.nodeMemories[future.id]?.value).toMatchObject({ tide: { metres: MANY } });
      expect(state.connections[future.id]?.[left.id]?.['socket 192.0.2.7']?.value).toMatchObject({
        colour: 'blue',
      });
    }
    expect(future.closes).toEqual([]);
    expect((await left.status()).linkCount).toBe(2);
    expect((await relay.status()).linkCount).toBe(2);
    expect((await right.status()).linkCount).toBe(1);
    for (const node of all) expect(await node.status()).toMatchObject({ refusals: {}, replication: CLEAN });

    sayWhatNobodyCanRead(future);
    for (const node of all) await node.when(state => state.nodeSystems[future.id] !== undefined);
    expect(future.closes).toEqual([]);
    for (const [node, linkCount] of [
      [left, 2],
      [relay, 2],
      [right, 1],
    ] as const) {
      const { replication, ...status } = await node.status();
      expect(status).toMatchObject({ linkCount, refusals: {} });
      expect(replication).toMatchObject({ ...CLEAN, unreadable: expect.any(Number) });
      expect(replication['unreadable']).toBeGreaterThan(0);
    }
  },
);

test('a load line reaches a node over one of the pinned version, which knows nothing of lines and keeps them', {
  timeout: TIMEOUT_MS,
}, async () => {
  await using mesh = new MixedMesh();
  const left = await mesh.start('head', 'left');
  const relay = await mesh.start('pinned', 'relay', [left]);
  const right = await mesh.start('head', 'right', [relay]);
  const directory = join(left.home, 'runs', 'line-1');
  const searching = await announceSweepTo(left.home, madeUpLine(370), { directory });
  const live = await right.when(state => state.sweepProgress[left.id]?.['line-1'] !== undefined);
  expect(live.sweepProgress[left.id]?.['line-1']?.value.line).toEqual(madeUpLine(370).line);
  await searching.end(madeUpLine());
  const ended = await right.when(state => state.sweeps[left.id]?.['line-1']?.value.state === 'complete');
  expect(ended.sweeps[left.id]?.['line-1']?.value.stages).toHaveLength(madeUpLine().stages.length);
  const kept = await relay.when(state => state.unknownKinds[left.id]?.['sweep.ended'] !== undefined);
  expect(Object.keys(kept.unknownKinds[left.id] ?? {})).toEqual(
    expect.arrayContaining(['sweep.started', 'stages.reported', 'sweep.ended']),
  );
  for (const node of [left, relay, right])
    expect(await node.status()).toMatchObject({ refusals: {}, replication: CLEAN });
  await searching[Symbol.asyncDispose]();
});

test.each<{ readonly starts: readonly Which[] }>([
  { starts: ['head', 'pinned', 'head'] },
  ...(isLongRun ? [{ starts: ['pinned', 'head', 'pinned'] } as const] : []),
])(
  'a home that one version after the other starts on, $starts, loses nothing',
  { timeout: TIMEOUT_MS },
  async ({ starts }) => {
    await using mesh = new MixedMesh();
    const stays = await mesh.start('head', 'stays');
    await using future = await mesh.future(stays);
    sayWhatNobodyKnows(future, stays);
    // What the pinned version wrote of every kind, and a kind of another version to come.
    copyPinnedHome(mesh.homeOf('moves'));
    let before = recordsIn(mesh.homeOf('moves'));
    expect(before.size).toBeGreaterThan(10);
    for (const which of starts) {
      const node = await mesh.start(which, 'moves', [stays]);
      const state = await node.when(
        held => isWhole(held, stays.id) && isWhole(held, node.id) && hasPassed(held, future),
      );
      expect(state.runs[node.id]?.['fixture-1']?.value.figures).toMatchObject({ windowNs: 30_000_000_000 });
      expect(Object.values(state.unknownKinds).flatMap(kinds => Object.keys(kinds))).toContain('tide.turned');
      await stays.when(
        held =>
          held.nodeIdentities[node.id]?.value.plimsollVersion === versionOf(which) && isWhole(held, node.id),
      );
      for (const command of ['head', 'pinned'] as const) {
        const printed = await mesh.print(command, ['status', '--json', '--home', node.home]);
        expect(printed).toContain('"stays"');
        expect(printed).toContain('"moves"');
      }
      await node.stop();
      expect(node.output()).not.toMatch(/journal|cannot|moved aside/i);
      const after = recordsIn(mesh.homeOf('moves'));
      for (const [place, record] of before) expect(after.get(place), place).toBe(record);
      expect(after.size).toBeGreaterThan(before.size);
      before = after;
    }
    expect(future.closes).toEqual([]);
    expect(await stays.status()).toMatchObject({ refusals: {}, replication: CLEAN });
  },
);

/** By origin, epoch and number: the bytes and the signature. Read from a copy, so that reading it is no start. */
const recordsIn = (home: string): ReadonlyMap<string, string> => {
  using copy = temporaryDirectory();
  const path = join(copy.path, 'journal.sqlite');
  for (const suffix of ['', '-wal'])
    if (existsSync(join(home, `journal.sqlite${suffix}`)))
      copyFileSync(join(home, `journal.sqlite${suffix}`), `${path}${suffix}`);
  using journal = openSqliteJournal({
    path,
    ownNode: PINNED_NODE,
    clock: systemClock,
    limits: JOURNAL_LIMITS,
  });
  expect(journal.notices).toEqual([]);
  return new Map(
    journal
      .origins()
      .flatMap(({ origin }) => [...journal.recordsAfter(origin, 0)])
      .map(({ origin, epoch, seq, body, signature }) => [
        `${origin} ${epoch} ${seq}`,
        Buffer.concat([body, signature]).toString('latin1'),
      ]),
  );
};

const versionOf = (which: Which): string => (which === 'pinned' ? PINNED_VERSION : HEAD_VERSION);

/** A version to come: new kinds, new fields of old kinds, a new frame, a new field of an old frame. */
const sayWhatNobodyKnows = (future: FutureNode, { id: sink }: MixedNode): void => {
  const opened = openedConnection(sink, '192.0.2.7');
  future.tellDurable({
    kind: opened.kind,
    key: `${sink} socket 192.0.2.7`,
    payload: { ...opened.payload, colour: 'blue' },
  });
  for (let count = 1; count <= MANY; count += 1) {
    future.tellDurable({ kind: 'tide.turned', key: `port ${count}`, payload: { metres: count } });
    future.tellLive({ kind: 'wind.felt', key: '', payload: { metresPerSecond: count } });
    const { payload } = memoryFact(count);
    future.tellLive({
      kind: 'memory.gathered',
      key: '',
      payload: { ...payload, value: { ...Object(payload).value, tide: { metres: count } } },
    });
    future.send(Uint8Array.of(1, 200, count));
  }
};

/** Old kinds in a way that breaks the rule: refused by everybody, and passed on all the same. Then something that is in order. */
const sayWhatNobodyCanRead = (future: FutureNode): void => {
  for (let count = 1; count <= MANY; count += 1) {
    future.tellLive({ kind: 'memory.gathered', key: '', payload: { availableBytes: 'plenty', count } });
    future.tellDurable({ kind: 'connection.closed', key: `port ${count}`, payload: { reason: count } });
  }
  future.tellLive({ kind: 'system.gathered', key: '', payload: SYSTEM });
};

const SYSTEM = {
  source: 'test',
  intervalMs: 1_000,
  value: {
    cpuUse: 0.5,
    cpuTemperatureCelsius: 40,
    cpuPowerWatts: 100,
    systemPowerWatts: 200,
    loadAverage1: 1,
    uptimeSeconds: 1,
    cpuClusters: [],
  },
};

const hasPassed = (state: State, { id }: FutureNode): boolean =>
  state.unknownKinds[id]?.['tide.turned']?.seq === MANY + 1 &&
  state.unknownKinds[id]?.['wind.felt'] !== undefined &&
  state.nodeMemories[id]?.value.availableBytes === MANY;

/** What a daemon tells of itself at once, durable and live. */
const isWhole = (state: State, id: NodeId): boolean =>
  state.nodeIdentities[id] !== undefined &&
  state.nodeNetworks[id] !== undefined &&
  state.nodeMemories[id] !== undefined &&
  state.nodeEndpoints[id] !== undefined;

const CLEAN = { malformedFrames: 0, forged: 0, otherVersions: 0, unreadable: 0, storeRefused: 0 };
