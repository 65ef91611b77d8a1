// The link probe against iperf3 on loopback, one stream from one process to another, each way.

import {
  endServer,
  freePort,
  LOOPBACK,
  outputOf,
  printAgainst,
  probeLoopback,
  startServer,
} from './probe-against.ts';

const TURNS = 7;
const SECONDS = 2;

const port = String(await freePort());
const server = await startServer('iperf3', ['-s', '-B', LOOPBACK, '-p', port, '--forceflush'], /listening/);
const ours: Record<Way, number[]> = { upload: [], download: [] };
const theirs: Record<Way, number[]> = { upload: [], download: [] };
try {
  for (let turn = 0; turn < TURNS; turn += 1) {
    theirs.upload.push(await iperf3());
    theirs.download.push(await iperf3('-R'));
    const budget = { bytesMax: 64e9, durationMsMax: 20_000, measuresExtras: true };
    const { uploadBitsPerSecond: up, downloadBitsPerSecond: down } = await probeLoopback({
      budget,
      streamsMax: 1,
    });
    ours.upload.push(Number(up) / 1e9);
    ours.download.push(Number(down) / 1e9);
  }
} finally {
  await endServer(server);
}
for (const way of ['upload', 'download'] as const) {
  printAgainst({
    what: `loopback, one pair, ${way}`,
    tool: 'iperf3',
    unit: 'Gb/s',
    ours: ours[way],
    theirs: theirs[way],
    reach: { kind: 'at-least', value: 1 },
  });
}

type Way = 'upload' | 'download';

async function iperf3(...direction: readonly string[]): Promise<number> {
  const args = ['-c', LOOPBACK, '-p', port, '-t', String(SECONDS), '-O', '1', '-J', ...direction];
  const reported: { end: { sum_received: { bits_per_second: number } } } = JSON.parse(
    await outputOf('iperf3', args),
  );
  return reported.end.sum_received.bits_per_second / 1e9;
}
