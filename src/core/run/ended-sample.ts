// One sample with all its stamps, after its end. The aggregator makes it from event records, and a rebuilt
// report from the lines of samples.jsonl, so that both are counted by the same code.

import type { SampleLateness } from './event-record.ts';
import type { FailureKind, FinishReason, Outcome } from './outcome.ts';
import type { SampleNote } from './sample-note.ts';
import type { SampleRemark } from './sample-remark.ts';
import type { ServedTimes } from './served-times.ts';
import type { SampleTurn } from './session-outcome.ts';

export interface EndedSample {
  readonly sampleId: number;
  /**
   * Which tracking window it was issued in, from 0; OUTSIDE_WINDOWS for warm-up and all other requests that
   * are not measured.
   */
  readonly window: number;
  readonly intendedNs: number;
  readonly sentNs: number;
  readonly connectNs: number;
  /** Wait for a slot under --max-in-flight; 0 without such a limit. */
  readonly heldBackNs: number;
  /** NO_FIGURE if no byte arrived. */
  readonly firstByteNs: number;
  /** NO_FIGURE if no content arrived. */
  readonly firstContentNs: number;
  /** First non-reasoning content, if it differs from the first content; else NO_FIGURE. */
  readonly firstAnswerNs: number;
  /** Gaps between consecutive content chunks: the last content is the first one plus their sum. */
  readonly chunkGapsNs: readonly number[];
  readonly chunkCount: number;
  /** For a reply with several choices: the choice of each chunk. */
  readonly chunkChoices?: readonly number[];
  readonly endNs: number;
  readonly outcome: Outcome;
  /** Only for a failed sample. */
  readonly failure: SampleFailure | undefined;
  /** NO_FIGURE if the server reported none. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly finishReason: FinishReason;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  /** Hash of its text. Missing if nothing was read. */
  readonly answerHash?: number;
  readonly lateness?: SampleLateness;
  /** For a reply with further properties. */
  readonly remark?: SampleRemark;
  /** For a reply that reports its own time at the server. */
  readonly served?: ServedTimes;
  /** For a sample with a note by the client. */
  readonly note?: SampleNote;
  /** Id of its line in the data set, if it has one; only in samples.jsonl. */
  readonly lineId?: string;
  /** For a request of a session. */
  readonly turn?: SampleTurn;
}

export interface SampleFailure {
  readonly kind: FailureKind;
  /** HTTP status; 0 if there was none. */
  readonly statusCode: number;
  readonly detail: string;
}

export const OUTSIDE_WINDOWS = -1;
