// The part of a trace that is wanted: which of it, and from where in each conversation. Held in memory, bounded; the texts of
// its prompts are made when they are asked for.

import { basename } from 'node:path';
import { counted } from '../../../core/figure/figure.ts';
import type { FileDigest } from '../../../core/run/provenance.ts';
import { DatasetDigest, type DatasetPlace, wrongFile } from '../dataset-chunks.ts';
import { randomFor } from '../length-choice.ts';
import { TRACE_FORMATS, type TraceEntry, type TraceFormat, type TraceRequest } from './trace.ts';
import { traceEntries } from './trace-file.ts';

export interface TracePart {
  /** Of the trace's own time: what began from here, and before there. */
  readonly fromMs: number | undefined;
  readonly untilMs: number | undefined;
  /** Shares of a conversation: it begins at a request between them, drawn by the seed. */
  readonly startAt: { readonly from: number; readonly to: number } | undefined;
}

export interface TraceSession {
  readonly id: string;
  /** ms, 0 for the first; undefined: the trace does not tell. */
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
  /** Of a trace of conversations the first so many; the others are read and not held. */
  readonly sessionsMax?: number | undefined;
}

/** @throws BenchError `input` */
export const readTrace = async (
  place: DatasetPlace,
  format: TraceFormat,
  { part, seed, sessionsMax = Number.POSITIVE_INFINITY }: TraceReadOptions,
): Promise<Trace> => {
  const digest = new DatasetDigest();
  const counts = { leftOut: 0 };
  const held = new BufferedEntries(place.shownPath);
  let zeroMs: number | undefined;
  for await (const entry of traceEntries(place, format, { digest, counts })) {
    const { startMs } = entry;
    if (startMs === undefined) {
      if ((part.fromMs ?? part.untilMs) !== undefined)
        throw wrongFile(
          `${place.shownPath} does not tell when its conversations began`,
          'Leave out --trace-from and --trace-until.',
        );
      if (held.entries.length < sessionsMax) held.add(entry);
      continue;
    }
    zeroMs ??= startMs;
    const atMs = startMs - zeroMs;
    if (
      atMs >= (part.fromMs ?? Number.NEGATIVE_INFINITY) &&
      atMs < (part.untilMs ?? Number.POSITIVE_INFINITY)
    )
      held.add(entry);
  }
  if (held.entries.length === 0)
    throw wrongFile(
      zeroMs === undefined
        ? `${place.shownPath} has no request`
        : `${place.shownPath} has no request between --trace-from and --trace-until`,
      'plimsoll dataset show FILE tells the time that it spans.',
    );
  const sessions = playedSessions(grouped(held.entries), part, seed);
  const requests = sessions.reduce((sum, session) => sum + session.requests.length, 0);
  const rest = counts.leftOut === 0 ? '' : `, ${counts.leftOut} left out that had no answer`;
  return {
    format,
    description: `${basename(place.shownPath)}: ${TRACE_FORMATS[format]}, ${counted(requests, 'request')} in ${counted(sessions.length, 'session')}${rest}`,
    file: digest.reported(),
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

/** Those of one key are one conversation, each request behind the one before; times are kept. */
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
    // Conversations of one name are two where nothing tells when they were.
    const id = ids.has(name) ? `${name} #${ids.size}` : name;
    ids.add(id);
    return {
      id,
      startMs: startMs === undefined ? undefined : startMs - zeroMs,
      requests,
    };
  });
};

/** From the request at that share of a conversation on; what was to wait for one that is left out waits for the start. */
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

/** Of the part that a run plays. */
const TRACE_REQUESTS_MAX = 1_000_000;
/** Of all prompts together, each counted as often as it stands in one: 8 bytes each while a trace is read. */
const TRACE_BLOCKS_MAX = 33_554_432;
