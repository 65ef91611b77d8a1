// What a replay needs of a trace before its first request: that every row can be read, when each request is due, how
// long prompts are and what they share, and the digest of the file. It is read from beginning to end, and eight bytes
// of each request are stored; the prompts are generated while they are sent (replay/feed-worker.ts).

import { basename } from 'node:path';
import { ofCount } from '../../../core/figure/figure.ts';
import type { FileDigest } from '../../../core/run/provenance.ts';
import { DatasetDigest, type DatasetLocation, wrongFile } from '../dataset-chunks.ts';
import { QuestionDigest } from './question-digest.ts';
import type { TracePart } from './read-trace.ts';
import { type ReplayPace, ReplayTimes } from './replay-times.ts';
import { timedPart } from './timed-part.ts';
import { TRACE_FORMATS, type TraceFormat } from './trace.ts';
import { TraceFactCounter, type TraceFacts } from './trace-facts.ts';
import { missingText, type TraceCounts, traceEntries } from './trace-file.ts';

interface TimedTraceOptions {
  readonly path: string;
  readonly shownPath: string;
  readonly format: TraceFormat;
  readonly part: TracePart;
  readonly pace: ReplayPace;
  readonly limits: { readonly requestsMax: number | undefined; readonly durationMs: number | undefined };
}

/** A trace with the time of each request, as it will be replayed. */
export interface TimedTrace extends Omit<TimedTraceOptions, 'limits'> {
  /** Float64: due time of each request, ns from the first, ascending. */
  readonly timesNs: SharedArrayBuffer;
  /** As many as there are times. */
  readonly requests: number;
  readonly requestsPerSecond: number;
  /** Highest number of requests within a second. */
  readonly busiestPerSecond: number;
  readonly gapsCapped: number;
  readonly spanMs: number;
  readonly facts: TraceFacts;
  readonly description: string;
  readonly file: FileDigest;
  /** Digest of lengths and blocks of all requests, hex: equal digests mean equal prompts. */
  readonly sha256: string;
}

/**
 * @throws BenchError `input`, with the line of the first invalid row in any part of the file; the signal's reason.
 */
export const surveyTrace = async (options: TimedTraceOptions, signal: AbortSignal): Promise<TimedTrace> => {
  const { path, shownPath, format, part, pace, limits } = options;
  const location: DatasetLocation = { path, shownPath, signal, bytesMax: Number.POSITIVE_INFINITY };
  const digest = new DatasetDigest();
  const unused = new Set<string>();
  const counts: TraceCounts = { leftOut: 0, unused };
  const counter = new TraceFactCounter();
  const replay = new ReplayTimes(pace);
  const times = new GrowingTimes(shownPath);
  const questions = new QuestionDigest();
  const endNs = limits.durationMs === undefined ? Number.POSITIVE_INFINITY : limits.durationMs * 1e6;
  let isOver = false;
  let spanMs = 0;
  let gapsCapped = 0;
  for await (const { atMs, line, request } of timedPart(
    traceEntries(location, format, { digest, counts }),
    options,
  )) {
    // Rows outside the replayed part are read, too: the digest is that of the whole file.
    if (isOver || times.count >= (limits.requestsMax ?? Number.POSITIVE_INFINITY)) continue;
    const dueNs = replay.next(atMs);
    isOver = dueNs >= endNs;
    if (isOver) continue;
    times.add(dueNs, line);
    ({ spanMs, gapsCapped } = replay);
    counter.add({ line, key: undefined, startMs: atMs, requests: [request] });
    questions.add(request);
  }
  if (times.count === 0)
    throw wrongFile(
      part.fromMs === undefined && part.untilMs === undefined
        ? `${shownPath} has no request`
        : `${shownPath} has no request between --trace-from and --trace-until`,
      'plimsoll dataset show FILE prints the time that it spans.',
    );
  const timesNs = times.result();
  const seconds = Math.max(1, (new Float64Array(timesNs).at(-1) ?? 0) / 1e9);
  const rest = missingText(counts);
  return {
    ...options,
    timesNs,
    requests: times.count,
    requestsPerSecond: times.count / seconds,
    busiestPerSecond: busiestSecond(new Float64Array(timesNs)),
    gapsCapped,
    spanMs,
    facts: counter.facts(),
    description: `${basename(shownPath)}: ${TRACE_FORMATS[format]}, ${times.count} ${ofCount(times.count, 'request', 'requests')}${rest}${unused.size === 0 ? '' : `, fields not used: ${[...unused].join(', ')}`}`,
    file: digest.result(),
    sha256: questions.result(),
  };
};

const busiestSecond = (timesNs: Float64Array): number => {
  let most = 0;
  let from = 0;
  for (let to = 0; to < timesNs.length; to += 1) {
    while ((timesNs[to] ?? 0) - (timesNs[from] ?? 0) >= 1e9) from += 1;
    most = Math.max(most, to - from + 1);
  }
  return most;
};

class GrowingTimes {
  readonly #shownPath: string;
  #times: Float64Array = new Float64Array(1_024);
  count = 0;

  constructor(shownPath: string) {
    this.#shownPath = shownPath;
  }

  add(ns: number, line: number): void {
    if (this.count === REPLAYED_REQUESTS_MAX)
      throw wrongFile(
        `${this.#shownPath}:${line}: a run replays at most ${REPLAYED_REQUESTS_MAX} requests`,
        'Take a part of it: --trace-from and --trace-until, or --requests.',
      );
    if (this.count === this.#times.length) {
      const more = new Float64Array(this.#times.length * 2);
      more.set(this.#times);
      this.#times = more;
    }
    this.#times[this.count] = ns;
    this.count += 1;
  }

  result(): SharedArrayBuffer {
    const shared = new SharedArrayBuffer(this.count * Float64Array.BYTES_PER_ELEMENT);
    new Float64Array(shared).set(this.#times.subarray(0, this.count));
    return shared;
  }
}

/** 80 MB of times. */
const REPLAYED_REQUESTS_MAX = 10_000_000;
