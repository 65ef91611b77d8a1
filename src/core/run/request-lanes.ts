// Where the time of single requests went: the phases of each, and lanes for a chart, of which each shows one request at a
// time. The first requests of a run show how it fills; a chart of all of them would be neither readable nor small.

import * as v from 'valibot';
import { maximumOf } from '../extremes.ts';
import { count, type Infer, nonNegative } from '../schema.ts';

/** Requests of a run whose phases are shown. */
export const LANED_REQUESTS_MAX = 2_000;

/** The phases of a request in the order in which it passes them; an unsuccessful one ends in one of the last two. */
export const LANE_PHASES = [
  {
    phase: 'waiting',
    label: 'waiting at the client',
    meaning:
      'from the time at which it was due until it was sent: for a slot under --max-in-flight, or a connection',
  },
  {
    phase: 'queued',
    label: 'queued at the server',
    meaning:
      'until the server began with the prompt, by the time that its reply reports for it; with the network',
  },
  {
    phase: 'prefill',
    label: 'prefill',
    meaning: 'until the first token; includes the queue of a server that does not report it',
  },
  { phase: 'decode', label: 'decode', meaning: 'from the first token to the end' },
  { phase: 'cancelled', label: 'cancelled', meaning: 'the last phase of a request that was cancelled' },
  { phase: 'failed', label: 'failed', meaning: 'the last phase of a request that failed' },
] as const;

export type LanePhase = (typeof LANE_PHASES)[number]['phase'];

/** A reply without a stream has no first token. */
export const phaseLabel = (phase: LanePhase, { isStreaming }: { readonly isStreaming: boolean }): string =>
  phase === 'prefill' && !isStreaming
    ? 'waiting for the reply'
    : (LANE_PHASES.find(row => row.phase === phase)?.label ?? phase);

const moments = v.pipe(v.array(nonNegative), v.maxLength(LANED_REQUESTS_MAX));
const knownMoments = v.pipe(v.array(v.nullable(nonNegative)), v.maxLength(LANED_REQUESTS_MAX));

/** The first requests of a run by the time at which they were due; milliseconds since the run's zero, in columns of equal length. */
export const requestColumnsSchema = v.object({
  dueMs: moments,
  sentMs: moments,
  /** null if no content arrived. */
  firstContentMs: knownMoments,
  /** Duration: how long the server took for the prompt, by its reply; null if that does not report it. */
  promptMs: knownMoments,
  /**
   * Duration: the mean wait in the server's queue of the requests that its own metrics counted from the sending of this one to its
   * end; missing if they do not have it.
   */
  queueMs: v.exactOptional(knownMoments),
  endMs: moments,
  outcome: v.pipe(v.array(v.picklist(['completed', 'failed', 'cancelled'])), v.maxLength(LANED_REQUESTS_MAX)),
  /** Measured requests after these. */
  more: count,
});

export type RequestColumns = Infer<typeof requestColumnsSchema>;

interface LanePart {
  readonly phase: LanePhase;
  readonly fromMs: number;
  readonly toMs: number;
}

interface LanedRequest {
  /** From 0. */
  readonly lane: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** In order, without empty ones. */
  readonly parts: readonly LanePart[];
}

/** Milliseconds since the run's zero. */
export interface LaneSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface RequestLanes {
  readonly laneCount: number;
  /** By the time at which they were due. */
  readonly requests: readonly LanedRequest[];
}

/** The time that the requests cover; undefined if there are none, or if it is too short to be drawn. */
export const laneSpan = ({ dueMs, endMs }: RequestColumns): LaneSpan | undefined => {
  const fromMs = dueMs[0];
  if (fromMs === undefined) return undefined;
  const toMs = maximumOf(endMs);
  return toMs > fromMs ? { fromMs, toMs } : undefined;
};

/** Of the requests that overlap the span: each takes the first lane whose request has ended. */
export const requestLanes = (columns: RequestColumns, span: LaneSpan): RequestLanes => {
  const endsMs: number[] = [];
  const requests = columns.dueMs.flatMap((fromMs, index): readonly LanedRequest[] => {
    const toMs = Math.max(fromMs, columns.endMs[index] ?? fromMs);
    if (toMs < span.fromMs || fromMs > span.toMs) return [];
    const free = endsMs.findIndex(endMs => endMs <= fromMs);
    const lane = free === -1 ? endsMs.length : free;
    endsMs[lane] = toMs;
    return [{ lane, fromMs, toMs, parts: partsOf(columns, index) }];
  });
  return { laneCount: endsMs.length, requests };
};

export interface PhaseTotal {
  readonly phase: LanePhase;
  /** Requests with this phase. */
  readonly requests: number;
  readonly totalMs: number;
  readonly longestMs: number;
}

/** The time of all requests by phase, without those that none of them had. */
export const phaseTotals = (columns: RequestColumns): readonly PhaseTotal[] => {
  const parts = [...columns.dueMs.keys()].flatMap(index => partsOf(columns, index));
  return LANE_PHASES.flatMap(({ phase }) => {
    const durations = parts.filter(part => part.phase === phase).map(({ fromMs, toMs }) => toMs - fromMs);
    if (durations.length === 0) return [];
    return [
      {
        phase,
        requests: durations.length,
        totalMs: durations.reduce((sum, ms) => sum + ms, 0),
        longestMs: maximumOf(durations),
      },
    ];
  });
};

const partsOf = (columns: RequestColumns, index: number): readonly LanePart[] => {
  const dueMs = columns.dueMs[index] ?? 0;
  const sentMs = columns.sentMs[index] ?? dueMs;
  const endMs = columns.endMs[index] ?? sentMs;
  const firstMs = columns.firstContentMs[index] ?? undefined;
  const untilMs = firstMs ?? endMs;
  const promptMs = columns.promptMs[index] ?? undefined;
  const queueMs = columns.queueMs?.[index] ?? 0;
  const queuedMs = firstMs === undefined || promptMs === undefined ? sentMs + queueMs : firstMs - promptMs;
  const beginMs = Math.min(untilMs, Math.max(sentMs, queuedMs));
  const parts: readonly LanePart[] = [
    { phase: 'waiting', fromMs: dueMs, toMs: sentMs },
    { phase: 'queued', fromMs: sentMs, toMs: beginMs },
    { phase: 'prefill', fromMs: beginMs, toMs: untilMs },
    ...(firstMs === undefined ? [] : [{ phase: 'decode' as const, fromMs: firstMs, toMs: endMs }]),
  ];
  const passed = parts.filter(({ fromMs, toMs }) => toMs > fromMs);
  const outcome = columns.outcome[index] ?? 'completed';
  return outcome === 'completed'
    ? passed
    : passed.map((part, at) => (at === passed.length - 1 ? { ...part, phase: outcome } : part));
};
