// The event records of a run: what the load process tells the aggregator and the event logger. Times are nanoseconds since
// the run's zero on the load process's monotonic clock; a number holds them exactly for 104 days.

import type { FailureKind, FinishReason, Outcome } from './outcome.ts';
import type { SampleNote } from './sample-note.ts';
import type { SampleRemark } from './sample-remark.ts';
import type { ServedTimes } from './served-times.ts';
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

/** ns; 0 where the sample has no such stamp. */
export interface SampleLateness {
  /** Handing the request to the system took so long; it was sent in between. */
  readonly writeNs: number;
  readonly firstByteLateNs: number;
  readonly firstContentLateNs: number;
  readonly lastContentLateNs: number;
  readonly endLateNs: number;
  /** The same with what the thread slept before: bounds, whatever the system did. */
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
      /** When the schedule wanted it written; equal to `atNs` in closed loop. */
      readonly intendedNs: number;
      /** Connection set-up that this sample had to wait for, ns; 0 on a connection that was open. */
      readonly connectNs: number;
      /** Wait for a place under --max-in-flight, from `intendedNs` on. */
      readonly heldBackNs: number;
      /** Sent before the measured window: to warm up, or while the load grew. */
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
  /** Which turn of which session it is: behind its `sample.issued`. */
  | ({ readonly kind: 'sample.placed'; readonly sampleId: number } & SampleTurn)
  /** A turn of a session that will never be issued. */
  | {
      readonly kind: 'sample.skipped';
      readonly sampleId: number;
      readonly atNs: number;
      /** Of a session that is not measured. */
      readonly isWarmup: boolean;
      readonly turn: SampleTurn;
      readonly reason: SkipReason;
    }
  /** Before the sample's end, where its reply said more than its tokens. */
  | ({ readonly kind: 'sample.remarked'; readonly sampleId: number } & SampleRemark)
  | ({ readonly kind: 'sample.served'; readonly sampleId: number } & ServedTimes)
  /** Of a reply with several choices: which choice each chunk belongs to, from the first one on; in parts. */
  | { readonly kind: 'sample.choices'; readonly sampleId: number; readonly ofChunks: readonly number[] }
  /** Before the end, if its client noted something of it. */
  | ({ readonly kind: 'sample.noted'; readonly sampleId: number } & SampleNote)
  | {
      readonly kind: 'sample.complete';
      readonly sampleId: number;
      /** End of stream. */
      readonly atNs: number;
      readonly outcome: Outcome;
      /** First non-reasoning content, where it differs from the first content; else NO_FIGURE. */
      readonly firstAnswerNs: number;
      /** NO_FIGURE where no byte came. */
      readonly firstByteNs: number;
      /** From the server's usage; NO_FIGURE where it told none. */
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly chunkCount: number;
      readonly finishReason: FinishReason;
      readonly bytesSent: number;
      readonly bytesReceived: number;
      /** Of the text of the answer; NO_FIGURE where none was read. */
      readonly answerHash: number;
    };

/** By how much the work of its thread may have put the stamps of a sample behind what they stand for, before its `sample.complete`. */
type LatenessRecord = {
  readonly kind: 'sample.lateness';
  readonly sampleId: number;
} & SampleLateness;

/** Without its kind: a writer may keep one and fill it anew. */
export type IssuedFigures = Omit<Extract<SampleRecord, { readonly kind: 'sample.issued' }>, 'kind'>;

/** Published before the sample's `sample.complete`, which retires the row that this needs. */
export type ErrorRecord = {
  readonly kind: `error.${FailureKind}`;
  readonly sampleId: number;
  readonly atNs: number;
  /** HTTP status; 0 where there was none. */
  readonly statusCode: number;
  /** Shortened, free of secrets. */
  readonly detail: string;
};

/** What a load thread observed of itself since its last such record. */
export type ClientRecord = {
  readonly kind: 'client.observed';
  readonly atNs: number;
  readonly thread: number;
  /** 0..1 of the wall time since the last record. */
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
  /** Arrivals that are due and wait for a place under --max-in-flight, now. */
  readonly arrivalsWaiting: number;
  /** How long users waited after requests that had failed at once, of all users together. */
  readonly backoffNs: number;
  /** Opened before a request needed them, because the server closes after each reply. */
  readonly connectionsAhead: number;
};

/**
 * How late each heartbeat of a load or parse thread came since its last such record. A beat of a load thread is due BEAT_NS after
 * the one before, one of a parse thread at irregular times, 2 to 24 ms apart, with or without traffic, so that a process that was stopped, throttled or starved cannot look as if it had kept up.
 */
export type BeatsRecord = {
  readonly kind: 'client.beats';
  readonly atNs: number;
  readonly thread: number;
  readonly isLoad: boolean;
  readonly latenessNs: readonly number[];
};

/** How late a load thread woke for each mark since its last such record, beyond what its own work explains. */
export type MarksRecord = {
  readonly kind: 'client.marks';
  readonly atNs: number;
  readonly thread: number;
  readonly latenessNs: readonly number[];
  /** By how much each was later than the thread had worked and slept: the system held its bytes back. */
  readonly heldNs: readonly number[];
};

/** What the gaps between chunks of completed samples may truly be: cells of a histogram, each with how many it holds. */
export type GapEdgesRecord = {
  readonly kind: 'client.gaps';
  readonly atNs: number;
  readonly thread: number;
  readonly edge: GapEdge;
  readonly cells: readonly (readonly [cell: number, count: number])[];
};

/** At the least and at the most, by what is known of the stamps at both ends; and whatever happened while the thread slept. */
export type GapEdge = 'knownLeast' | 'knownMost' | 'surelyLeast' | 'surelyMost';

/** What kept the whole process from its processors since the last such record; NO_FIGURE where the system does not tell. */
export type HostRecord = {
  readonly kind: 'client.host';
  readonly atNs: number;
  readonly intervalNs: number;
  /** Held back by the quota of a control group (CFS bandwidth), of the group that was held back longest. */
  readonly throttledNs: number;
  /** In which some task waited for a processor (PSI). */
  readonly pressureNs: number;
  /** Of each processor, taken by the hypervisor for others. */
  readonly stolenNs: number;
};

/** What the server told of itself on its page of metrics. */
export type ServerRecord = { readonly kind: 'server.observed' } & ServerReading;

export const BEAT_NS = 20_000_000;

/** In a binary record a figure that is not there; a codec's concern, never shown. */
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
