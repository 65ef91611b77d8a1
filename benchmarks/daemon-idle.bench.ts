// The cost of an idle daemon, and of one with a browser's stream open. Both are measured in turns in the same daemon,
// so a slowdown of the machine affects both.

import { setTimeout as delay } from 'node:timers/promises';
import { requireBuild } from '../test/support/build.ts';
import { runDaemon } from '../test/support/running-daemon.ts';
import { benchSeconds, printRow } from './bench-row.ts';
import { useOf } from './process-use.ts';

const SECONDS = benchSeconds(60);
const TURNS = 4;
const SETTLE_SECONDS = 5;
const CPU_SHARE_MAX = 0.01;
const RESIDENT_MB_MAX = 130;

requireBuild();
await using daemon = await runDaemon();
await delay(SETTLE_SECONDS * 1_000);

const seen: Record<'alone' | 'watched', Turn[]> = { alone: [], watched: [] };
for (let turn = 0; turn < TURNS; turn += 1) {
  seen.alone.push(await measure(SECONDS / TURNS));
  const watching = new AbortController();
  const stream = watch(watching.signal);
  await stream.opened;
  seen.watched.push(await measure(SECONDS / TURNS));
  watching.abort();
  await stream.ended;
}
print('idle', seen.alone);
print('with one stream open', seen.watched);

interface Turn {
  readonly cpuShare: number;
  readonly residentBytes: number;
  readonly processes: number;
}

async function measure(seconds: number): Promise<Turn> {
  const before = useOf(daemon.pid);
  const startedMs = performance.now();
  await delay(seconds * 1_000);
  const after = useOf(daemon.pid);
  if (before === undefined || after === undefined) throw new Error('/proc has no entry of the daemon');
  const cpuShare = (after.cpuSeconds - before.cpuSeconds) / ((performance.now() - startedMs) / 1_000);
  return { cpuShare, residentBytes: after.residentBytes, processes: after.processes };
}

/** Reads the stream as a browser does, without parsing it. */
function watch(signal: AbortSignal): { opened: Promise<void>; ended: Promise<void> } {
  const opened = fetch(`${daemon.url}/api/stream`, { signal });
  const read = async (): Promise<void> => {
    const response = await opened;
    try {
      for await (const _chunk of response.body ?? []) if (signal.aborted) return;
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };
  return { opened: opened.then(() => undefined), ended: read() };
}

function print(what: string, turns: readonly Turn[]): void {
  const mean = turns.reduce((sum, { cpuShare }) => sum + cpuShare, 0) / turns.length;
  const lowest = Math.min(...turns.map(({ cpuShare }) => cpuShare)) * 100;
  const highest = Math.max(...turns.map(({ cpuShare }) => cpuShare)) * 100;
  const isIdle = turns === seen.alone;
  printRow({
    what: `daemon, ${what}: processor`,
    figure: mean * 100,
    unit: '% of a core',
    reach: isIdle ? { kind: 'at-most', value: CPU_SHARE_MAX * 100 } : { kind: 'none' },
    method: `mean over ${SECONDS} s in ${TURNS} turns, ${lowest.toFixed(2)} to ${highest.toFixed(2)}; children counted`,
  });
  printRow({
    what: `daemon, ${what}: resident memory`,
    figure: Math.max(...turns.map(({ residentBytes }) => residentBytes)) / 1e6,
    unit: 'MB',
    reach: isIdle ? { kind: 'at-most', value: RESIDENT_MB_MAX } : { kind: 'none' },
    method: `highest at the end of a turn, VmRSS, ${Math.max(...turns.map(({ processes }) => processes))} process(es)`,
  });
}
