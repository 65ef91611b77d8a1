// The server's own metrics in the steps of a run's charts. The file is small: one line a second at most.

import { errorCode } from '../core/problem.ts';
import { recordOf } from '../core/record-of.ts';
import { ENERGY_SCOPES } from '../core/run/energy.ts';
import { powerColumn } from '../core/run/live-energy.ts';
import type { RequestColumns } from '../core/run/request-lanes.ts';
import { openInputFile } from '../process/input-file.ts';
import {
  type PowerColumns,
  SERVER_COLUMN_KEYS,
  type ServerColumns,
  type TimeSeries,
} from '../wire/api/run-answers.ts';
import { decodePowerLines } from '../wire/power-line.ts';
import { decodeServerLines, type ServerLine } from '../wire/server-line.ts';

/** Adds the server's columns, if there is such a file with any values. */
export const withServerColumns = async (path: string, series: TimeSeries): Promise<TimeSeries> => {
  const lines = decodeServerLines(await startOfFile(path));
  const server = columnsOf(lines, { stepMs: series.stepMs, points: series.inFlight.length });
  const { requests } = series;
  return {
    ...series,
    ...(server === undefined ? {} : { server }),
    ...(requests === undefined ? {} : { requests: withQueue(requests, lines) }),
  };
};

/**
 * From the last reading before each was sent to the first one after its end: some servers count a request as it leaves the queue,
 * others when it has ended.
 */
const withQueue = (requests: RequestColumns, lines: readonly ServerLine[]): RequestColumns => {
  const readings = lines.flatMap(({ seconds, figures }) => {
    const [sum, count] = [figures.get('queueSeconds'), figures.get('queueCount')];
    return sum === undefined || count === undefined ? [] : [{ ms: seconds * 1_000, sum, count }];
  });
  if (readings.length < 2) return requests;
  const queueMs = requests.sentMs.map((ms, index) => {
    const before = readings[readings.findIndex(reading => reading.ms > ms) - 1];
    const after = readings.find(reading => reading.ms >= (requests.endMs[index] ?? ms));
    if (before === undefined || after === undefined) return null;
    const [sum, count] = [after.sum - before.sum, after.count - before.count];
    return sum >= 0 && count > 0 ? Math.round((sum / count) * 1e6) / 1e3 : null;
  });
  return { ...requests, queueMs };
};

/** For each step the newest reading by its end, if it is not older than a reading takes; none if it failed. */
const columnsOf = (
  lines: readonly ServerLine[],
  { stepMs, points }: { readonly stepMs: number; readonly points: number },
): ServerColumns | undefined => {
  if (!SERVER_COLUMN_KEYS.some(key => lines.some(({ figures }) => figures.has(key)))) return undefined;
  const newest: (ServerLine | undefined)[] = [];
  let at = -1;
  for (let point = 0; point < points; point += 1) {
    const endSeconds = ((point + 1) * stepMs) / 1_000;
    while ((lines[at + 1]?.seconds ?? Number.POSITIVE_INFINITY) <= endSeconds) at += 1;
    const line = lines[at];
    newest.push(
      line !== undefined && endSeconds - line.seconds <= OLD_SECONDS + stepMs / 1_000 ? line : undefined,
    );
  }
  return recordOf(SERVER_COLUMN_KEYS, key => newest.map(line => line?.figures.get(key) ?? null));
};

/** '' if there is none. */
export const startOfFile = async (path: string): Promise<string> => {
  try {
    await using file = await openInputFile(path, 'runLines');
    const { size } = await file.stat();
    const length = Math.min(size, BYTES_MAX);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return '';
  }
};

/** Two readings at their usual pace. */
const OLD_SECONDS = 2.5;
/** A day of readings has some 8 MB. */
const BYTES_MAX: number = 16 * 1024 * 1024;

// The power of a server's node in the steps of a run's charts: the mean of the readings in each step.

/** Adds the power of the node, if there is such a file. */
export const withPowerColumns = async (path: string, series: TimeSeries): Promise<TimeSeries> => {
  const lines = decodePowerLines(await startOfFile(path));
  if (lines.every(({ watts }) => watts.size === 0)) return series;
  const steps = { points: series.inFlight.length, stepMs: series.stepMs };
  const power: PowerColumns = recordOf(ENERGY_SCOPES, scope => powerColumn(lines, scope, steps));
  return { ...series, power };
};
