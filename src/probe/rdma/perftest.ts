// linux-rdma/perftest: ib_write_bw and ib_send_lat. Their JSON differs between versions and is invalid in some, so the
// human-readable table is parsed. With -U every round trip is printed in order, which jitter needs.

import { unknown } from '../../core/unknown.ts';
import { roundTripFigures } from '../socket/round-trip-figures.ts';
import {
  isHalfRoundTrip,
  type RdmaTest,
  type RdmaTool,
  roundTripNs,
  type ToolCall,
  type ToolCommand,
  type ToolFigures,
} from './rdma-tool.ts';

export const perftest: RdmaTool = {
  name: 'perftest',
  programs: ['ib_write_bw', 'ib_send_lat'],
  warmUpMessages: 0,
  command: call => commandOf(call),
  lastLine: /^\s*\d+\s+\d+\s+\S/,
  isComplete: ({ kind }, stdout) =>
    rowUnder(stdout, kind === 'latency' ? 't_min[usec]' : 'BW average') !== undefined,
  read: (test, stdout) => (test.kind === 'latency' ? readLatency(stdout) : readBandwidth(test, stdout)),
};

const commandOf = ({ test, role, endpoint, rendezvousPort }: ToolCall): ToolCommand => ({
  command: test.kind === 'latency' ? 'ib_send_lat' : 'ib_write_bw',
  args: [
    ...['-d', endpoint.device, '-i', String(endpoint.port), '-p', String(rendezvousPort)],
    ...(endpoint.gidIndex === undefined ? [] : ['-x', String(endpoint.gidIndex)]),
    // -F: continue although the processor's clock varies.
    '-F',
    ...(test.kind === 'latency'
      ? ['-s', String(LATENCY_BYTES), '-n', String(test.roundTrips), ...(role === 'dials' ? ['-U'] : [])]
      : ['-s', String(test.messageBytes), '-n', String(test.messages), '--report_gbits']),
    ...(role === 'dials' ? ['127.0.0.1'] : []),
  ],
  env: {},
  files: [],
});

const readLatency = (stdout: string): ToolFigures => {
  const roundTripsNs = singleRoundTripsNs(stdout);
  if (roundTripsNs.length > 0) return { kind: 'latency', ...roundTripFigures(roundTripsNs) };
  const row = rowUnder(stdout, 't_min[usec]');
  if (row === undefined) return unreadable('ib_send_lat printed no figures');
  // bytes, iterations, min, max, typical (the median), mean, deviation, 99%, 99.9%
  const [, iterations = 0, min = 0, , typical = 0, , , p99 = 0] = row;
  if (!isHalfRoundTrip(typical)) return unreadable(`ib_send_lat printed a round trip of ${2 * typical} µs`);
  return {
    kind: 'latency',
    roundTripNsMin: isHalfRoundTrip(min) ? roundTripNs(min) : NOT_REPORTED,
    roundTripNsP50: roundTripNs(typical),
    roundTripNsP99: isHalfRoundTrip(p99) ? roundTripNs(p99) : NOT_REPORTED,
    jitterNs: unknown('this ib_send_lat prints no single round trips'),
    roundTripCount: Number.isSafeInteger(iterations) && iterations > 0 ? iterations : NOT_REPORTED,
  };
};

/** After "#, usec": "1, 0.985" and so on, half a round trip each. None where one of them is no time. */
const singleRoundTripsNs = (stdout: string): readonly number[] => {
  const [, list] = stdout.split(/^#, usec$/m);
  if (list === undefined) return [];
  const roundTripsNs: number[] = [];
  for (const line of list.split('\n').slice(1)) {
    const half = /^\d+, (\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/i.exec(line.trim())?.[1];
    if (half === undefined) break;
    if (!isHalfRoundTrip(Number(half))) return [];
    roundTripsNs.push(roundTripNs(Number(half)));
  }
  return roundTripsNs;
};

const readBandwidth = (test: RdmaTest & { readonly kind: 'bandwidth' }, stdout: string): ToolFigures => {
  const row = rowUnder(stdout, 'BW average');
  const unit = /BW average\[([^\]]+)\]/.exec(stdout)?.[1];
  const bitsInUnit = unit === undefined ? undefined : BITS_OF_UNIT.get(unit);
  if (row === undefined || bitsInUnit === undefined) return unreadable('ib_write_bw printed no figures');
  const [bytes = 0, , , average = 0] = row;
  if (bytes !== test.messageBytes) return unreadable(`ib_write_bw measured messages of ${bytes} bytes`);
  // It overflows on long runs and then prints a negative rate.
  const bitsPerSecond = Math.round(average * bitsInUnit);
  if (!(average > 0 && Number.isFinite(bitsPerSecond)))
    return unreadable(`ib_write_bw printed a rate of ${average} ${unit}`);
  return { kind: 'bandwidth', bitsPerSecond };
};

/** The first row of figures under the header; warnings may stand between. Columns are separated by any white space. */
const rowUnder = (stdout: string, header: string): readonly number[] | undefined => {
  const lines = stdout.split('\n');
  const at = lines.findIndex(line => line.includes(header) && line.includes('#bytes'));
  if (at < 0) return undefined;
  return lines
    .slice(at + 1)
    .map(line => line.trim().split(/\s+/).map(Number))
    .find(cells => cells.length >= COLUMNS_MIN && cells.every(Number.isFinite));
};

const unreadable = (reason: string): ToolFigures => ({ kind: 'unreadable', reason });

const NOT_REPORTED = unknown('ib_send_lat did not report it');
/** "MB/sec" was always 2²⁰ bytes; since 24.07 the output states that. Gigabits are 10⁹. */
const BITS_OF_UNIT: ReadonlyMap<string, number> = new Map([
  ['Gb/sec', 1e9],
  ['MB/sec', 2 ** 20 * 8],
  ['MiB/sec', 2 ** 20 * 8],
]);
const COLUMNS_MIN = 4;
const LATENCY_BYTES = 8;
