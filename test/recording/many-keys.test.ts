import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock/system-clock.ts';
import type { Event } from '../../src/core/event.ts';
import { EVENT_KINDS } from '../../src/core/event-kinds.ts';
import { nodeId } from '../../src/core/ids.ts';
import { Cluster } from '../../src/daemon/cluster.ts';
import {
  encodeBlock,
  RECORDING_FORMAT,
  RECORDING_VERSION,
  type RecordedEvent,
  type RecordingLine,
} from '../../src/recording/recording-line.ts';
import { replay } from '../../src/recording/replay.ts';
import { deviceProfiles, numberedFrom } from '../support/many-keys.ts';
import { servedReplay } from '../support/served-replay.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const liar = nodeId('l'.repeat(26));
const KEYS = 20_000;
const REPORTED = 2_000;
const { entriesMax } = EVENT_KINDS['gpu.profiled'];

test('a small recording with twenty thousand devices of one node is served at once', async () => {
  using folder = temporaryDirectory();
  const path = join(folder.path, 'hostile.plimsoll');
  const events = numberedFrom({ origin: liar }, deviceProfiles(KEYS)).map(recorded);
  const origin = { kind: 'origin', origin: liar, epoch: 1, through: KEYS, lastSeenMs: 0, events } as const;
  write(path, [{ kind: 'begin', atMs: 0 }, origin, { kind: 'ready' }]);
  expect(statSync(path).size).toBeLessThan(300_000);
  const stop = new AbortController();
  await using served = await servedReplay(path, stop.signal);
  const answer = await fetch(new URL('/api/state', served.dashboardUrl));
  const state: ReturnType<typeof JSON.parse> = await answer.json();
  expect(Object.keys(state.nodeGpuProfiles[liar])).toHaveLength(entriesMax);
  expect(state.refusedKinds[liar]['gpu.profiled'].count).toBe(KEYS - entriesMax);
});

test('a recording that contains them one by one copies no map for each', async () => {
  using folder = temporaryDirectory();
  const path = join(folder.path, 'hostile.plimsoll');
  const events = numberedFrom({ origin: liar }, deviceProfiles(REPORTED)).map(recorded);
  write(path, [
    { kind: 'begin', atMs: 0 },
    { kind: 'ready' },
    ...events.map(event => ({ kind: 'batch', atMs: 0, events: [event] }) as const),
  ]);
  const cluster = new Cluster();
  const stop = new AbortController();
  let reported = 0;
  const onEvents = (some: readonly Event[]): void => {
    cluster.dispatch(some);
    reported += some.length;
    if (reported === REPORTED) stop.abort();
  };
  const onState = (): void => undefined;
  await replay({ path, clock: systemClock, speed: 1, onState, onEvents, onBroken: onState }, stop.signal);
  expect(cluster.progress(liar)?.seq).toBe(REPORTED);
  expect(cluster.copies).toBeLessThan(10);
});

const recorded = (event: Event): RecordedEvent => {
  if (event.kind === 'unknown') throw new Error('all are known');
  const { origin, epoch, seq, kind, key, payload, ageMs } = event;
  return { origin, epoch, seq, kind, key, payload, ageMs, waitedMs: 0 };
};

const write = (path: string, lines: readonly RecordingLine[]): void => {
  const header: RecordingLine = {
    kind: 'header',
    format: RECORDING_FORMAT,
    version: RECORDING_VERSION,
    plimsollVersion: '0.0.0',
    nodeId: liar,
    areNamesKept: true,
  };
  const text = [header, ...lines, { kind: 'end', atMs: 1_000 }]
    .map(line => `${JSON.stringify(line)}\n`)
    .join('');
  writeFileSync(path, encodeBlock(text));
  expect(readFileSync(path).length).toBeGreaterThan(0);
};
