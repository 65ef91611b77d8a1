// The link probe on long cables, against what the cable was made to carry and iperf3 in the same turn: a relay of packets on TUN,
// 20 and 100 ms there and back, CUBIC and BBR, a queue as large as what is in flight.

import { isKnown } from '../src/core/unknown.ts';
import {
  LongCable,
  type LongCableOptions,
  reasonAgainstIperf3,
  reasonAgainstLongCables,
} from '../test/network/long-cable.ts';
import { median, printRow, spread } from './bench-row.ts';

const TURNS = 3;
const MBIT = 100;
const CABLES = [20, 100].flatMap(roundTripMs =>
  (['cubic', 'bbr'] as const).map(congestionControl => ({ roundTripMs, congestionControl })),
);
/** One cable: `--only=100-cubic`. */
const ONLY = process.argv.find(word => word.startsWith('--only='));
/** TCP and IPv4 without options but for the timestamps, in packets of 1,500 bytes: what is left for payload. */
const PAYLOAD_SHARE = 1_448 / 1_500;

const reason = reasonAgainstLongCables() ?? reasonAgainstIperf3();
const isWanted = ({ roundTripMs, congestionControl }: (typeof CABLES)[number]): boolean =>
  ONLY === undefined || ONLY === `--only=${roundTripMs}-${congestionControl}`;
if (reason === undefined) for (const cable of CABLES.filter(isWanted)) await compare(cable);
else process.stderr.write(`  skipped: ${reason}\n`);

async function compare({
  roundTripMs,
  congestionControl,
}: Pick<LongCableOptions, 'congestionControl'> & { readonly roundTripMs: number }): Promise<void> {
  const queueBytes = (MBIT * 1e6 * roundTripMs) / 8e3;
  const way = { mbit: MBIT, delayMs: roundTripMs / 2, queueBytes };
  const figures: Record<'upload' | 'download' | 'iperf3 up' | 'iperf3 down' | 'round trip', number[]> = {
    upload: [],
    download: [],
    'iperf3 up': [],
    'iperf3 down': [],
    'round trip': [],
  };
  const late: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    await using cable = await LongCable.open({ up: way, down: way, congestionControl, seed: turn + 1 });
    const theirs = await cable.iperf3({ seconds: 6, bufferKib: 64, warmUpSeconds: 3 });
    const outcome = await cable.probe();
    if (outcome.kind === 'failed') throw new Error(outcome.reason);
    const { uploadBitsPerSecond: up, downloadBitsPerSecond: down, roundTripNsP50 } = outcome.measurement;
    if (!isKnown(up) || !isKnown(down) || !isKnown(roundTripNsP50)) throw new Error('a figure is unknown');
    figures.upload.push(up / 1e6);
    figures.download.push(down / 1e6);
    figures['iperf3 up'].push(theirs.up / 1e6);
    figures['iperf3 down'].push(theirs.down / 1e6);
    figures['round trip'].push(roundTripNsP50 / 1e6);
    for (const account of await cable.end()) late.push(account.lateUsMax / 1e3);
    process.stderr.write(`  ${outcome.measurement.method}\n`);
  }
  const name = `${MBIT} Mbit/s, ${roundTripMs} ms, ${congestionControl}`;
  const carried = MBIT * PAYLOAD_SHARE;
  for (const direction of ['upload', 'download'] as const) {
    const theirs = figures[direction === 'upload' ? 'iperf3 up' : 'iperf3 down'];
    printRow({
      what: `${name}: ${direction} of the payload it carries`,
      figure: median(figures[direction]) / carried,
      unit: 'of it',
      reach: { kind: 'at-least', value: 0.95 },
      method: `${spread(figures[direction], 1)} Mb/s; iperf3 ${spread(theirs, 1)}`,
    });
  }
  printRow({
    what: `${name}: idle round trip, longer than the cable`,
    figure: median(figures['round trip']) - roundTripMs,
    unit: 'ms',
    reach: { kind: 'at-most', value: 1 },
    method: `${spread(figures['round trip'], 2)} ms; packets late by ${Math.max(...late).toFixed(1)} ms at most`,
  });
}
