// Recordings that no daemon wrote: a foreign file must not keep the dashboard from being served, nor make it report
// what no schema of the API allows.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { encodeBlock, type RecordingLine } from '../../src/recording/recording-line.ts';
import { readRecording } from '../../src/recording/recording-reader.ts';
import { servedReplay } from '../support/served-replay.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { recordWorld } from './recorded-world.ts';

type Change = (line: RecordingLine) => unknown;

const LONG_MS = 1e308;

test.each<{ readonly what: string; readonly change: Change }>([
  { what: 'has no state', change: line => (line.kind === 'begin' ? undefined : line) },
  {
    what: 'has no state, and goes on in an eternity',
    change: line =>
      line.kind === 'begin' ? undefined : line.kind === 'batch' ? { ...line, atMs: 1e15 } : line,
  },
  { what: 'begins in an eternity', change: line => (line.kind === 'begin' ? { ...line, atMs: 1e15 } : line) },
  {
    what: 'holds an age without bound',
    change: line =>
      'events' in line
        ? { ...line, events: line.events.map(event => ({ ...event, ageMs: LONG_MS, waitedMs: LONG_MS })) }
        : line,
  },
  {
    what: 'was heard before all times',
    change: line => (line.kind === 'origin' ? { ...line, lastSeenMs: LONG_MS } : line),
  },
])('a recording that $what is served, and contains no invalid age', async ({ change }) => {
  using folder = temporaryDirectory();
  const path = await changedRecording(folder.path, change);
  const stop = new AbortController();
  await using replay = await servedReplay(path, stop.signal);
  const nodes = await fetch(new URL('/api/nodes', replay.dashboardUrl));
  expect(await nodes.text()).not.toContain('"ageMs":null');
  stop.abort();
});

/** A recording of the simulated world with some of its lines changed, or left out. */
const changedRecording = async (folder: string, change: Change): Promise<string> => {
  const recorded = join(folder, 'recorded');
  await recordWorld(recorded, { seconds: 1 });
  const lines: unknown[] = [];
  for await (const part of readRecording(recorded)) if (part.kind === 'line') lines.push(change(part.line));
  const path = join(folder, 'changed');
  const text = lines.flatMap(line => (line === undefined ? [] : [JSON.stringify(line)])).join('\n');
  writeFileSync(path, encodeBlock(`${text}\n`));
  return path;
};
