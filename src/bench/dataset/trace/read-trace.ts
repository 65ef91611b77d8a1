// The requested part of a trace: a time range, and where each conversation starts. In memory, bounded; the texts of
// its prompts are generated when they are needed.

import { basename } from 'node:path';
import { counted } from '../../../core/figure/figure.ts';
import type { FileDigest } from '../../../core/run/provenance.ts';
import { DatasetDigest, type DatasetLocation, wrongFile } from '../dataset-chunks.ts';
import { randomFor } from '../length-choice.ts';
import { TRACE_FORMATS, type TraceEntry, type TraceFormat, type TraceRequest } from './trace.ts';
import { missingText, traceEntries } from './trace-file.ts';

export interface TracePart {
  /** Range in the trace's own time: entries that began at or after `fromMs` and before `untilMs`. */
  readonly fromMs: number | undefined;
  readonly untilMs: number | undefined;
  /** Shares of a conversation: it starts at a request between them, drawn by the seed. */
  readonly startAt: { readonly from: number; readonly to: number } | undefined;
}

export interface TraceSession {
  readonly id: string;
  /** ms, 0 for the first; undefined: the trace does not contain it. */
  readonly startMs: number | undefined;
  readonly requests: readonly TraceRequest[];
}

export interface Trace {
  readonly format: TraceFormat;
  readonly description: string;
  readonly file: FileDigest;
  /** In the order of their starts. */
  readonly sessions: readonly TraceSession[];
}

interface TraceReadOptions {
  readonly part: TracePart;
  readonly seed: number;
  /** The first so many conversations of the trace; the others are read but not stored. */
  readonly sessionsMax?: number | undefined;
}

/** @throws BenchError `input` */
export const readTrace = async (
  location: DatasetLocation,
  format: TraceFormat,
  { part, seed, sessionsMax = Number.POSITIVE_INFINITY }: TraceReadOptions,
): Promise<Trace> => {
  const digest = new DatasetDigest();
  const counts = { leftOut: 0 };
  const buffered = new BufferedEntries(location.shownPath);
  let zeroMs: number | undefined;
  for await (const entry of traceEntries(location, format, { digest, counts })) {
    const { startMs } = entry;
    if (startMs === undefined) {
      if ((part.fromMs ?? part.untilMs) !== undefined)
        throw wrongFile(
          `${location.shownPath} has no start times of conversations`,
          'Leave out --trace-from and --trace-until.',
        );
      if (buffered.entries.length < sessionsMax) buffered.add(entry);
      continue;
    }
    zeroMs ??= startMs;
    const atMs = startMs - zeroMs;
    if (
      atMs >= (part.fromMs ?? Number.NEGATIVE_INFINITY) &&
      atMs < (part.untilMs ?? Number.POSITIVE_INFINITY)
    )
      buffered.add(entry);
  }
  if (buffered.entries.length === 0)
    throw wrongFile(
      zeroMs === undefined
        ? `${location.shownPath} has no request`
        : `${location.shownPath} has no request between --trace-from and --trace-until`,
      'plimsoll dataset show FILE prints the time that it spans.',
    );
  const sessions = playedSessions(grouped(buffered.entries), part, seed);
  const requests = sessions.reduce((sum, session) => sum + session.requests.length, 0);
  return {
    format,
    description: `${basename(location.shownPath)}: ${TRACE_FORMATS[format]}, ${counted(requests, 'request')} in ${counted(sessions.length, 'session')}${missingText(counts)}`,
    file: digest.result(),
    sessions,
  };
};

class BufferedEntries {
  readonly entries: TraceEntry[] = [];
  readonly #shownPath: string;
  #requests = 0;
  #blocks = 0;

  constructor(shownPath: string) {
    this.#shownPath = shownPath;
  }

  add(entry: TraceEntry): void {
    this.#requests += entry.requests.length;
    this.#blocks += entry.requests.reduce((sum, { blocks }) => sum + blocks.length, 0);
    const tooMany =
      this.#requests > TRACE_REQUESTS_MAX
        ? `${TRACE_REQUESTS_MAX} requests`
        : this.#blocks > TRACE_BLOCKS_MAX
          ? `${TRACE_BLOCKS_MAX} blocks of prompts`
          : undefined;
    if (tooMany !== undefined)
      throw wrongFile(
        `${this.#shownPath}:${entry.line}: at most ${tooMany} of a trace are held`,
        'Take a part of it: --trace-from and --trace-until, or a file with fewer conversations.',
      );
    this.entries.push(entry);
  }
}

/** Entries of one key are one conversation, each request after the previous one; times are kept. */
const grouped = (entries: readonly TraceEntry[]): readonly TraceEntry[] => {
  const ordered = entries.toSorted((a, b) => (a.startMs ?? 0) - (b.startMs ?? 0));
  const byKey = new Map<string, { readonly first: TraceEntry; readonly requests: TraceRequest[] }>();
  const all: TraceEntry[] = [];
  for (const entry of ordered) {
    const [request] = entry.requests;
    if (entry.key === undefined || entry.startMs === undefined || request === undefined) {
      all.push(entry);
      continue;
    }
    const known = byKey.get(entry.key);
    if (known === undefined) {
      const requests = [...entry.requests];
      byKey.set(entry.key, { first: entry, requests });
      all.push({ ...entry, requests });
      continue;
    }
    const before = known.requests.length - 1;
    const last = known.requests[before];
    const atMs = entry.startMs - (known.first.startMs ?? 0);
    known.requests.push({
      ...request,
      atMs,
      after: [before],
      delayMs: Math.max(0, atMs - (last === undefined ? 0 : last.atMs + last.tookMs)),
    });
  }
  return all;
};

const playedSessions = (
  entries: readonly TraceEntry[],
  { startAt }: TracePart,
  seed: number,
): readonly TraceSession[] => {
  const random = randomFor(seed, 'starts');
  const zeroMs = entries[0]?.startMs ?? 0;
  const ids = new Set<string>();
  return entries.map((entry): TraceSession => {
    const share = startAt === undefined ? 0 : startAt.from + random.next() * (startAt.to - startAt.from);
    const requests = laterRequests(entry.requests, share);
    const { startMs } = entry;
    const name = entry.key ?? `line ${entry.line}`;
    // Without times, conversations of the same name are two.
    const id = ids.has(name) ? `${name} #${ids.size}` : name;
    ids.add(id);
    return {
      id,
      startMs: startMs === undefined ? undefined : startMs - zeroMs,
      requests,
    };
  });
};

/**
 * From the request at that share of a conversation on; a dependency on a request that is left out becomes one on the
 * start.
 */
const laterRequests = (requests: readonly TraceRequest[], share: number): readonly TraceRequest[] => {
  const first = Math.min(requests.length - 1, Math.floor(share * requests.length));
  if (first === 0) return requests;
  const zeroMs = requests[first]?.atMs ?? 0;
  return requests.slice(first).map(request => {
    const after = request.after.filter(index => index >= first).map(index => index - first);
    const atMs = Math.max(0, request.atMs - zeroMs);
    return { ...request, atMs, after, delayMs: after.length === 0 ? atMs : request.delayMs };
  });
};

/** Limit of the part that a run replays. */
const TRACE_REQUESTS_MAX = 1_000_000;
/** Limit of the blocks of all prompts together, repeated ones included: 8 bytes each while a trace is read. */
const TRACE_BLOCKS_MAX = 33_554_432;
