// Builds and starts the truth server (truth-server.c), whose own lateness is microseconds. Needs Linux and a C
// compiler; without them it prints so, and nothing is judged by it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { buildCProgram, type ProgramBuild } from '../c-program.ts';

export interface TruthOptions {
  readonly ttftUs?: number;
  readonly gapUs?: number;
  /** Of each stream. 0: every request gets a small whole reply at once. */
  readonly events?: number;
  readonly eventBytes?: number;
  /** Where it stores the stamps of each stream at its end: read by `truthLog`. */
  readonly log?: string;
  /** Real-time priority, if the system grants it. Starves anything else on its processor. */
  readonly isFifo?: boolean;
  /** "taskset -c 1" and the like. */
  readonly wrapper?: readonly string[];
}

/** Its own account, over its whole life. */
interface TruthAccount {
  readonly requests: number;
  readonly streams: number;
  readonly events: number;
  readonly clientsGone: number;
  readonly shortWrites: number;
  readonly latenessUs: {
    readonly p50: number;
    readonly p99: number;
    readonly p999: number;
    readonly max: number;
  };
  readonly cpuSeconds: number;
  readonly seconds: number;
  readonly fifo: boolean;
}

export interface TruthServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Ends it; its account comes last. Idempotent. */
  stop(): Promise<TruthAccount>;
}

export const buildTruthServer = (): ProgramBuild =>
  buildCProgram(new URL('./truth-server.c', import.meta.url));

/** @throws Error when it does not start. */
export const startTruthServer = async (path: string, options: TruthOptions = {}): Promise<TruthServer> => {
  const { ttftUs, gapUs, events, eventBytes, log, isFifo, wrapper = [] } = options;
  const numbers = {
    '--ttft-us': ttftUs,
    '--gap-us': gapUs,
    '--events': events,
    '--event-bytes': eventBytes,
    '--log': log,
  };
  const args = Object.entries(numbers).flatMap(([name, value]) =>
    value === undefined ? [] : [name, String(value)],
  );
  const [command = path, ...rest] = [...wrapper, path, ...args, ...(isFifo === true ? ['--fifo'] : [])];
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done === true) {
    await ended;
    throw new Error(`the truth server ended with ${child.exitCode ?? child.signalCode}`);
  }
  const { port }: { readonly port: number } = JSON.parse(first.value);
  const account = async (): Promise<TruthAccount> => {
    child.kill('SIGTERM');
    const last = await lines.next();
    await ended;
    if (last.done === true) throw new Error('the truth server gave no account');
    return JSON.parse(last.value);
  };
  let reported: Promise<TruthAccount> | undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    pid: child.pid ?? 0,
    stop: () => {
      reported ??= account();
      return reported;
    },
  };
};

export interface TruthStream {
  /** CLOCK_MONOTONIC, ns: when its request was read. */
  readonly readNs: number;
  /** … and when each event was written. */
  readonly writeNs: readonly number[];
}

/** Of each sample by its number, on a clock that begins at `zeroNs`. */
export const truthLog = (path: string, zeroNs: bigint): ReadonlyMap<number, TruthStream> => {
  const bytes = readFileSync(path);
  const streams = new Map<number, TruthStream>();
  for (let at = 0; at + 16 <= bytes.length; ) {
    const [sample, count] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
    const stampAt = (offset: number): number => Number(bytes.readBigInt64LE(offset) - zeroNs);
    const [readNs, from] = [stampAt(at + 8), at + 16];
    streams.set(sample, {
      readNs,
      writeNs: Array.from({ length: count }, (_, event) => stampAt(from + 8 * event)),
    });
    at = from + 8 * count;
  }
  return streams;
};
