// The round trips of the link probe against sockperf's ping-pong: TCP on loopback, 64 bytes, the median of each turn.

import {
  endServer,
  freePort,
  LOOPBACK,
  outputOf,
  printAgainst,
  probeLoopback,
  startServer,
} from './probe-against.ts';

const TURNS = 9;
const SECONDS = 2;
/** More than the 200 of a probe, so that both see the same machine: it wakes up in 6 or in 60 µs, by what else runs. */
const ROUND_TRIPS = 5_000;

const at = ['--tcp', '-i', LOOPBACK, '-p', String(await freePort())];
const server = await startServer('sockperf', ['server', ...at], /using recvfrom/);
const ours: Record<Figure, number[]> = { p50: [], min: [] };
const theirs: Record<Figure, number[]> = { p50: [], min: [] };
try {
  for (let turn = 0; turn < TURNS; turn += 1) {
    // Without --full-rtt it prints half.
    const args = ['ping-pong', ...at, '-t', String(SECONDS), '-m', '64', '--full-rtt'];
    const reported = await outputOf('sockperf', args);
    theirs.p50.push(figureIn(reported, /percentile 50\.000 = +([\d.]+)/));
    theirs.min.push(figureIn(reported, /<MIN> observation = +([\d.]+)/));
    // No budget for bandwidth: round trips alone.
    const budget = { bytesMax: 1, durationMsMax: 10_000, measuresExtras: true };
    const probed = await probeLoopback({ budget, roundTrips: ROUND_TRIPS });
    ours.p50.push(Number(probed.roundTripNsP50) / 1e3);
    ours.min.push(Number(probed.roundTripNsMin) / 1e3);
  }
} finally {
  await endServer(server);
}
for (const [figure, reach] of [
  ['p50', 1.1],
  ['min', 1.5],
] as const) {
  printAgainst({
    what: `TCP round trip on loopback, ${figure}`,
    tool: 'sockperf',
    unit: 'µs',
    ours: ours[figure],
    theirs: theirs[figure],
    reach: { kind: 'at-most', value: reach },
  });
}

type Figure = 'p50' | 'min';

function figureIn(reported: string, pattern: RegExp): number {
  const figure = Number(pattern.exec(reported)?.[1]);
  if (!(figure > 0)) throw new Error(`sockperf printed no figure: ${reported.slice(-300)}`);
  return figure;
}
