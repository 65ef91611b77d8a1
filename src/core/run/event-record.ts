// The event records of a run, sent by the load process to the aggregator and the event logger. Times are
// nanoseconds since the run's zero on the load process's monotonic clock; a number represents them exactly
// for 104 days.

import * as v from 'valibot';
import { figure, type Infer, openObject } from '../schema.ts';
import type { FailureKind, FinishReason, Outcome } from './outcome.ts';
import type { SampleNote, SampleRemark } from './sample-remark.ts';
import type { ServerReading } from './server-reading.ts';
import type { SampleTurn, SkipReason } from './session-outcome.ts';

export type EventRecord =
  | SessionRecord
  | SampleRecord
  | ErrorRecord
  | ClientRecord
  | BeatsRecord
  | MarksRecord
  | GapEdgesRecord
  | HostRecord
  | ServerRecord;

export type SessionRecord = {
  readonly kind:
    | 'session.started'
    | 'session.start_performance_tracking'
    | 'session.stop_performance_tracking'
    | 'session.stop_load'
    | 'session.ended';
  readonly atNs: number;
};

/** ns; 0 if the sample has no such stamp. */
export interface SampleLateness {
  /** Duration of passing the request to the system; it was sent during that time. */
  readonly writeNs: number;
  readonly firstByteLateNs: number;
  readonly firstContentLateNs: number;
  readonly lastContentLateNs: number;
  readonly endLateNs: number;
  /**
   * The same with the previous sleep of the thread: an upper limit, regardless of the system's behaviour.
   */
  readonly firstByteLateNsMax: number;
  readonly firstContentLateNsMax: number;
  readonly lastContentLateNsMax: number;
  readonly endLateNsMax: number;
}

export type SampleRecord =
  | LatenessRecord
  | {
      readonly kind: 'sample.issued';
      readonly sampleId: number;
      /** When the request was written. */
      readonly atNs: number;
      /** When the schedule intended to write it; equal to `atNs` in closed loop. */
      readonly intendedNs: number;
      /** Connection set-up that delayed this sample, ns; 0 on a connection that was open. */
      readonly connectNs: number;
      /** Wait for a slot under --max-in-flight, starting at `intendedNs`. */
      readonly heldBackNs: number;
      /** Sent before the measured window: to warm up, or while the load was ramped up. */
      readonly isWarmup: boolean;
    }
  | {
      readonly kind: 'sample.recv_first';
      readonly sampleId: number;
      /** First content. */
      readonly atNs: number;
      readonly firstByteNs: number;
    }
  | {
      readonly kind: 'sample.recv_non_first';
      readonly sampleId: number;
      /** Arrival of each content chunk since the sample's last record, ascending. */
      readonly stampsNs: readonly number[];
    }
  /** The session and turn of a sample: follows its `sample.issued`. */
  | ({ readonly kind: 'sample.placed'; readonly sampleId: number } & SampleTurn)
  /** A turn of a session that will never be issued. */
  | {
      readonly kind: 'sample.skipped';
      readonly sampleId: number;
      readonly atNs: number;
      /** For a session that is not measured. */
      readonly isWarmup: boolean;
      readonly turn: SampleTurn;
      readonly reason: SkipReason;
    }
  /** Before the sample's end, if its reply had more than its tokens. */
  | ({ readonly kind: 'sample.remarked'; readonly sampleId: number } & SampleRemark)
  | ({ readonly kind: 'sample.served'; readonly sampleId: number } & ServedTimes)
  | ({ readonly kind: 'sample.counted'; readonly sampleId: number } & ReplyCounts)
  /** For a reply with several choices: the choice of each chunk, from the first one on; in parts. */
  | { readonly kind: 'sample.choices'; readonly sampleId: number; readonly ofChunks: readonly number[] }
  /** Before the end, if its client has a note about it. */
  | ({ readonly kind: 'sample.noted'; readonly sampleId: number } & SampleNote)
  | {
      readonly kind: 'sample.complete';
      readonly sampleId: number;
      /** End of stream. */
      readonly atNs: number;
      readonly outcome: Outcome;
      /** First non-reasoning content, if it differs from the first content; else NO_FIGURE. */
      readonly firstAnswerNs: number;
      /** NO_FIGURE if no byte arrived. */
      readonly firstByteNs: number;
      /** From the server's usage; NO_FIGURE if it reported none. */
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly chunkCount: number;
      readonly finishReason: FinishReason;
      readonly bytesSent: number;
      readonly bytesReceived: number;
      /** Hash of the answer's text; NO_FIGURE if none was read. */
      readonly answerHash: number;
    };

/**
 * How much the work of its thread may have delayed the stamps of a sample, published before its
 * `sample.complete`.
 */
type LatenessRecord = {
  readonly kind: 'sample.lateness';
  readonly sampleId: number;
} & SampleLateness;

/** Without its kind: a writer may reuse one object. */
export type IssuedFigures = Omit<Extract<SampleRecord, { readonly kind: 'sample.issued' }>, 'kind'>;

/** Published before the sample's `sample.complete`, which retires the row that this needs. */
export type ErrorRecord = {
  readonly kind: `error.${FailureKind}`;
  readonly sampleId: number;
  readonly atNs: number;
  /** HTTP status; 0 if there was none. */
  readonly statusCode: number;
  /** Shortened, without secrets. */
  readonly detail: string;
};

/** What a load thread observed about itself since its last such record. */
export type ClientRecord = {
  readonly kind: 'client.observed';
  readonly atNs: number;
  readonly thread: number;
  /** Share of the wall time since the last record, 0..1. */
  readonly eventLoopUtilization: number;
  readonly cpuShare: number;
  readonly eventLoopDelayNsMax: number;
  readonly readLatenessNsMax: number;
  readonly gcPauseNsTotal: number;
  readonly gcPauseNsMax: number;
  readonly connectionsOpened: number;
  readonly connectionsReused: number;
  readonly connectionsClosed: number;
  readonly connectionsStale: number;
  /** Arrivals that are due and wait for a slot under --max-in-flight, now. */
  readonly arrivalsWaiting: number;
  /** How long users waited after requests that had failed at once, summed over all users. */
  readonly backoffNs: number;
  /** Opened before a request needed them, because the server closes after each reply. */
  readonly connectionsAhead: number;
};

/**
 * How late each heartbeat of a load or parse thread came since its last such record. A beat of a load thread
 * is due BEAT_NS after the one before, one of a parse thread 50 ms, or 2 to 24 ms where it sends marks, with or
 * without traffic, so that a process that was stopped, throttled or starved cannot appear to have kept up.
 */
export type BeatsRecord = {
  readonly kind: 'client.beats';
  readonly atNs: number;
  readonly thread: number;
  readonly isLoad: boolean;
  readonly latenessNs: readonly number[];
};

/** How late a load thread woke for each mark since its last such record, beyond the time of its own work. */
export type MarksRecord = {
  readonly kind: 'client.marks';
  readonly atNs: number;
  readonly thread: number;
  readonly latenessNs: readonly number[];
  /** How much later each was than the thread's work and sleep explain: the system delayed its bytes. */
  readonly blockedNs: readonly number[];
};

/** The possible true gaps between chunks of completed samples: cells of a histogram, each with its count. */
export type GapEdgesRecord = {
  readonly kind: 'client.gaps';
  readonly atNs: number;
  readonly thread: number;
  readonly edge: GapEdge;
  readonly cells: readonly (readonly [cell: number, count: number])[];
};

/**
 * The least and the greatest gap, by what is known of the stamps at both ends; and with anything that may
 * have happened while the thread slept.
 */
export type GapEdge = 'knownLeast' | 'knownMost' | 'surelyLeast' | 'surelyMost';

/**
 * What kept the whole process from its processors since the last such record; NO_FIGURE if the system does
 * not report it.
 */
export type HostRecord = {
  readonly kind: 'client.host';
  readonly atNs: number;
  readonly intervalNs: number;
  /** Throttled by the quota of a control group (CFS bandwidth); of the group that was throttled longest. */
  readonly throttledNs: number;
  /** Time in which some task waited for a processor (PSI). */
  readonly pressureNs: number;
  /** Per processor, taken by the hypervisor for others. */
  readonly stolenNs: number;
};

/** What the server reported on its metrics page. */
export type ServerRecord = { readonly kind: 'server.observed' } & ServerReading;

export const BEAT_NS = 20_000_000;

/** A missing figure in a binary record; only for codecs, never shown. */
export const NO_FIGURE = -1;

/** In the order in which they are stored. */
export const GAP_EDGES: readonly GapEdge[] = ['knownLeast', 'knownMost', 'surelyLeast', 'surelyMost'];

/** In the order in which they are stored. */
export const LATENESS_KEYS: readonly (keyof SampleLateness)[] = [
  'writeNs',
  'firstByteLateNs',
  'firstContentLateNs',
  'lastContentLateNs',
  'endLateNs',
  'firstByteLateNsMax',
  'firstContentLateNsMax',
  'lastContentLateNsMax',
  'endLateNsMax',
];

// What a reply reports of its own time at the server: `timings` of llama.cpp (tools/server/server-task.cpp), the durations of Ollama
// (docs/api.md there). Replies of other servers have none of it. NO_FIGURE: not reported.

/** In storage order. The time for the prompt covers only the part that was not in the server's cache. */
export const SERVED_KEYS = ['loadNs', 'promptNs', 'decodeNs', 'draftedTokens'] as const;

export type ServedTimes = Readonly<Record<(typeof SERVED_KEYS)[number], number>>;

/** In storage order, to which later counts are appended. */
export const REPLY_COUNT_KEYS = ['rankedDocuments', 'audioInputTokens', 'audioOutputTokens'] as const;

/** What only replies of some kinds contain: documents of a ranking, tokens of sound. NO_FIGURE: not reported. */
export type ReplyCounts = Readonly<Record<(typeof REPLY_COUNT_KEYS)[number], number>>;

// How much a figure of a run may differ from the true value because of the client that measured it:
// docs/metrics.md "Error bounds". The true value is between the measured figure minus `above` and the
// measured figure plus `below`.
export const boundSchema = openObject({
  /** The measured figure is at most this much above the true one, ns. */
  above: figure,
  /** The measured figure is at most this much below the true one, ns. */
  below: figure,
});

export type ErrorBound = Infer<typeof boundSchema>;

/** "99.9" */
export const percentileKey = v.pipe(v.string(), v.regex(/^\d{1,3}(\.\d{1,6})?$/));

export const seriesBoundSchema = openObject({
  mean: boundSchema,
  percentiles: v.record(percentileKey, boundSchema),
});

/** For a series: its mean, and each of its percentiles by name ("99.9"). */
export type SeriesErrorBound = Infer<typeof seriesBoundSchema>;

export const runBoundsSchema = openObject({
  /** Bound of the measured window, by which every rate is divided. */
  windowNs: boundSchema,
});

/** For a run as a whole. */
export type RunBounds = Infer<typeof runBoundsSchema>;

/** As one figure with ±. */
export const widestOf = ({ above, below }: ErrorBound): number => Math.max(above, below);
