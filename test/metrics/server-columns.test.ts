import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recordOf } from '../../src/core/record-of.ts';
import { NO_FIGURE } from '../../src/core/run/event-record.ts';
import { SERVER_FIGURE_KEYS, type ServerReading } from '../../src/core/run/server-reading.ts';
import { RunTimeSeries } from '../../src/metrics/run-time-series.ts';
import { withServerColumns } from '../../src/metrics/server-columns.ts';
import {
  decodeServerLines,
  encodeMissedLine,
  encodeServerLine,
  SERVER_HEADER,
} from '../../src/wire/server-line.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const reading = (seconds: number, figures: Partial<ServerReading>): ServerReading => ({
  atNs: seconds * 1e9,
  moment: 'load',
  inFlight: 3,
  ...recordOf(SERVER_FIGURE_KEYS, () => NO_FIGURE),
  ...figures,
});

const PICTURE = { ...new RunTimeSeries(true).series(), stepMs: 1_000, inFlight: [1, 1, 1, 1, 1, 1, 1] };

test('what a server reported is in the steps of a run as long as it is new, and nothing if it is old', async () => {
  using folder = temporaryDirectory();
  const path = join(folder.path, 'server.csv');
  const lines = [
    reading(0.5, { running: 2, waiting: 0, kvUsage: 0.25 }),
    reading(1.5, { running: 4, waiting: 7 }),
  ].map(encodeServerLine);
  writeFileSync(path, `${SERVER_HEADER}${lines.join('')}half a li`);
  const { server } = await withServerColumns(path, PICTURE);
  expect(server?.running).toEqual([2, 4, 4, 4, 4, null, null]);
  expect(server?.waiting).toEqual([0, 7, 7, 7, 7, null, null]);
  expect(server?.kvUsage.slice(0, 2)).toEqual([0.25, null]);
});

test('a step in which no reading succeeded has nothing, not what the server reported before', async () => {
  using folder = temporaryDirectory();
  const path = join(folder.path, 'server.csv');
  const lines = [
    encodeServerLine(reading(0.5, { running: 2 })),
    encodeMissedLine(1.5e9),
    encodeMissedLine(2.5e9),
    encodeServerLine(reading(3.5, { running: 1 })),
  ];
  writeFileSync(path, `${SERVER_HEADER}${lines.join('')}`);
  const { server } = await withServerColumns(path, PICTURE);
  expect(server?.running).toEqual([2, null, null, 1, 1, 1, 1]);
});

test('a request has the mean wait in the queue of those that the server counted while it ran', async () => {
  using folder = temporaryDirectory();
  const path = join(folder.path, 'server.csv');
  const lines = [
    encodeServerLine(reading(0, { queueSeconds: 100, queueCount: 50 })),
    encodeMissedLine(1e9),
    encodeServerLine(reading(2, { queueSeconds: 101, queueCount: 54 })),
    encodeServerLine(reading(3, { queueSeconds: 101, queueCount: 54 })),
  ];
  writeFileSync(path, `${SERVER_HEADER}${lines.join('')}`);
  const requests = {
    dueMs: [100, 200, 2_100, 2_900],
    sentMs: [100, 200, 2_100, 2_900],
    firstContentMs: [null, null, null, null],
    promptMs: [null, null, null, null],
    endMs: [900, 2_500, 2_200, 3_100],
    outcome: ['completed', 'completed', 'completed', 'completed'] as const,
    more: 0,
  };
  // The third: it counted none. The last: there is no reading after it.
  const { requests: queued } = await withServerColumns(path, { ...PICTURE, requests });
  expect(queued?.queueMs).toEqual([250, 250, null, null]);
});

test('a run whose server reported nothing has a chart without it', async () => {
  using folder = temporaryDirectory();
  expect(await withServerColumns(join(folder.path, 'server.csv'), PICTURE)).toEqual(PICTURE);
});

test('columns are found by their names, in any order of another version', () => {
  const [line] = decodeServerLines('new,waiting,seconds,running\n9,5,1.250,3\n');
  expect([line?.seconds, line?.figures.get('waiting'), line?.figures.get('running')]).toEqual([1.25, 5, 3]);
});
