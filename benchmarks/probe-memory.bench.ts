// The memory probe against established tools: its copy against mbw's MEMCPY, one mbw on each processor and counted as
// mbw counts (bytes copied, once), its read against a reading loop in C by the machine's own compiler. Runs are
// interleaved, and a run's figure is the median of its rounds, so that a busy moment affects all equally.

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { MemoryBandwidth } from '../src/probe/memory-bandwidth/memory-bandwidth.ts';
import { probeMemory } from '../src/probe/memory-bandwidth/probe-memory.ts';
import { median, printRow, spread } from './bench-row.ts';
import { buildStreamRead } from './stream-read/stream-read.ts';

const TURNS = 5;
const ROUNDS = 5;
const ROUND_MS = 300;
const MiB = 1024 ** 2;

const threads = availableParallelism();
const folder = await mkdtemp(join(tmpdir(), 'plimsoll-bench-'));
const copies: Pair = { ours: [], theirs: [] };
const reads: Pair = { ours: [], theirs: [] };

try {
  const streamRead = buildStreamRead(folder);
  for (let turn = 0; turn < TURNS; turn += 1) {
    const probed = await probe();
    copies.ours.push(median(probed.copyRounds) / 2);
    reads.ours.push(median(probed.readRounds));
    const mebibytes = Math.round(probed.bytesPerThread / MiB);
    const read = { threads, mebibytesPerThread: mebibytes, rounds: ROUNDS, durationMs: ROUND_MS };
    reads.theirs.push(median(await streamRead(read)));
    copies.theirs.push(await mbw(Math.round(mebibytes / 2)));
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

print('copy', 'mbw MEMCPY on every processor, bytes copied', copies);
print('read', 'a reading loop in C (-O3 -march=native), huge pages', reads);

interface Pair {
  readonly ours: number[];
  readonly theirs: number[];
}

async function probe(): Promise<MemoryBandwidth> {
  const outcome = await probeMemory({
    env: process.env,
    nodePath: process.execPath,
    signal: new AbortController().signal,
    request: { rounds: ROUNDS, durationMs: ROUND_MS, bytesMax: undefined },
  });
  if (outcome.kind === 'failed') throw new Error(outcome.reason);
  return outcome.bandwidth;
}

/** Bytes a second, all processors together: "AVG Method: MEMCPY Elapsed: 0.08 MiB: 512.00 Copy: 6022.254 MiB/s". */
async function mbw(mebibytes: number): Promise<number> {
  const rates = await Promise.all(
    Array.from({ length: threads }, async () => {
      // About as long as our rounds take.
      const { stdout } = await promisify(execFile)('mbw', ['-q', '-t0', '-n', '20', String(mebibytes)]);
      const [, rate] = /^AVG\s+Method: MEMCPY.*Copy: ([\d.]+) MiB\/s/m.exec(stdout) ?? [];
      if (rate === undefined) throw new Error(`mbw printed no average: ${stdout.slice(-200)}`);
      return Number(rate) * MiB;
    }),
  );
  return rates.reduce((sum, rate) => sum + rate, 0);
}

function print(what: string, against: string, { ours, theirs }: Pair): void {
  const gigabytes = (values: readonly number[]): readonly number[] => values.map(value => value / 1e9);
  for (const [name, values] of [
    ['Plimsoll', ours],
    [against, theirs],
  ] as const) {
    printRow({
      what: `memory ${what}: ${name}`,
      figure: median(gigabytes(values)),
      unit: 'GB/s',
      reach: { kind: 'none' },
      method: `${threads} threads, ${spread(gigabytes(values), 1)}, interleaved`,
    });
  }
  const ratios = ours.map((value, turn) => value / (theirs[turn] ?? Number.NaN));
  printRow({
    what: `memory ${what}: Plimsoll by ${against.split(/[ ,]/).slice(0, 2).join(' ')}`,
    figure: median(ours) / median(theirs),
    unit: 'of it',
    reach: { kind: 'at-least', value: 0.97 },
    method: `ratio of medians; turn by turn ${spread(ratios, 2)}`,
  });
}
