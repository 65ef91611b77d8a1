// The requested part of a trace in the order of time, from a bounded window: a file of any size is read once, and
// rows that are slightly out of order are sorted.

import { EarliestFirst } from '../../../core/earliest-first.ts';
import { wrongFile } from '../dataset-chunks.ts';
import type { TracePart } from './read-trace.ts';
import type { TraceEntry, TraceFormat, TraceRequest } from './trace.ts';

interface TimedRequest {
  /** ms in the trace's own time. */
  readonly atMs: number;
  readonly line: number;
  readonly request: TraceRequest;
}

/** @throws BenchError `input` for a row too far from its position, or without a time */
export async function* timedPart(
  entries: AsyncIterable<TraceEntry>,
  {
    part,
    shownPath,
    format,
  }: { readonly part: Omit<TracePart, 'startAt'>; readonly shownPath: string; readonly format?: TraceFormat },
): AsyncGenerator<TimedRequest, void, void> {
  const rowsMax = format === 'capture' ? CAPTURED_ROWS_MAX : WINDOW_ROWS_MAX;
  const window = new EarliestFirst<TimedRequest>(({ atMs }) => atMs);
  let blocks = 0;
  let zeroMs: number | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  const taken = (): TimedRequest | undefined => {
    const first = window.take();
    if (first === undefined) return undefined;
    blocks -= first.request.blocks.length;
    const { atMs, line } = first;
    if (atMs < lastMs)
      throw wrongFile(
        `${shownPath}:${line}: this request came ${lastMs - atMs} ms before one that stands more than ${rowsMax} rows above it`,
        'Sort the file by its times.',
      );
    lastMs = atMs;
    zeroMs ??= atMs;
    const fromZeroMs = atMs - zeroMs;
    const isWanted =
      fromZeroMs >= (part.fromMs ?? Number.NEGATIVE_INFINITY) &&
      fromZeroMs < (part.untilMs ?? Number.POSITIVE_INFINITY);
    return isWanted ? first : undefined;
  };
  for await (const { startMs, line, requests } of entries) {
    if (startMs === undefined)
      throw wrongFile(
        `${shownPath}:${line}: this conversation has no timestamp`,
        'Is it a trace of one kind?',
      );
    for (const request of requests) {
      window.add({ atMs: startMs + request.atMs, line, request });
      blocks += request.blocks.length;
    }
    while (window.size > rowsMax || (blocks > WINDOW_BLOCKS_MAX && window.size > 1)) {
      const wanted = taken();
      if (wanted !== undefined) yield wanted;
    }
  }
  while (window.size > 0) {
    const wanted = taken();
    if (wanted !== undefined) yield wanted;
  }
}

/** How far a row may be from its position. */
const WINDOW_ROWS_MAX = 1_024;
/** Lines of a capture are in the order in which requests ended: one that took minutes is far behind its time. */
const CAPTURED_ROWS_MAX = 65_536;
/** Limit of the blocks of all prompts in the window, 8 bytes each: fewer rows of very long prompts. */
const WINDOW_BLOCKS_MAX = 2_097_152;
