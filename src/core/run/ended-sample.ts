// One sample with all its stamps, after its end. The aggregator makes it from event records, and a rebuilt
// report from the lines of samples.jsonl, so that both are counted by the same code.

import { NO_FIGURE, type ReplyCounts, type SampleLateness, type ServedTimes } from './event-record.ts';
import type { FailureKind, FinishReason, Outcome } from './outcome.ts';
import type { SampleNote, SampleRemark } from './sample-remark.ts';
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
  /** For a reply that ranks documents, or has tokens of sound. */
  readonly counts?: ReplyCounts;
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

/** 0 for one that was sent early; a wait for a slot under --max-in-flight is not lateness. */
export const sendLatenessNs = ({
  sentNs,
  intendedNs,
  heldBackNs,
}: Pick<EndedSample, 'sentNs' | 'intendedNs' | 'heldBackNs'>): number =>
  Math.max(0, sentNs - intendedNs - heldBackNs);

/** Nanoseconds since the run's zero; the end if no content came. */
export const lastContentNs = ({ firstContentNs, chunkGapsNs, endNs }: EndedSample): number =>
  firstContentNs === NO_FIGURE ? endNs : chunkGapsNs.reduce((sum, gap) => sum + gap, firstContentNs);

// Splits the chunks of a reply with several choices by choice: its user reads one answer, not all of them
// alternately.
type Chunks = Pick<EndedSample, 'firstContentNs' | 'chunkGapsNs' | 'chunkChoices'>;

/** From each chunk to the previous one of the same choice; with one choice, the gaps as stamped. */
export const gapsByChoice = ({ firstContentNs, chunkGapsNs, chunkChoices }: Chunks): readonly number[] => {
  if (chunkChoices === undefined) return chunkGapsNs;
  const gaps: number[] = [];
  const lastNs = new Map<number, number>();
  let stampNs = firstContentNs;
  for (const [index, choice] of chunkChoices.entries()) {
    if (index > 0) stampNs += chunkGapsNs[index - 1] ?? 0;
    const beforeNs = lastNs.get(choice);
    if (beforeNs !== undefined) gaps.push(stampNs - beforeNs);
    lastNs.set(choice, stampNs);
  }
  return gaps;
};

export const choiceCount = ({ chunkChoices }: Pick<EndedSample, 'chunkChoices'>): number =>
  chunkChoices === undefined ? 1 : new Set(chunkChoices).size;

/**
 * Summed over the choices: from the first to the last content of each; with one choice, the time of its
 * content.
 */
export const contentNsOf = (sample: Chunks): number =>
  sample.firstContentNs === NO_FIGURE ? NO_FIGURE : gapsByChoice(sample).reduce((sum, gap) => sum + gap, 0);

// Whether a server refused a request because it was overloaded: a full queue is a limit that was reached, not
// a broken server.

/**
 * 529 is Anthropic's `overloaded_error`. A 503 counts if its message means that: gateways also send it for a
 * server that is away.
 */
export const isOverload = ({
  statusCode,
  detail: reported,
}: Pick<SampleFailure, 'statusCode' | 'detail'>): boolean =>
  statusCode === 529 || (statusCode === 503 && BUSY.test(reported));

/**
 * "Model is overloaded" (TGI), "The request queue is full." (SGLang), "server busy, please try again. maximum pending requests
 * exceeded" (Ollama), "Too many requests", nginx's limit_conn and vLLM's admission control. Not "Loading model" (llama.cpp).
 */
const BUSY =
  /\b(?:busy|over-?load(?:ed)?|over capacity|at capacity|too many|pending requests|queue (?:is )?full|max(?:imum)? queue|queue limit|rate limit|throttl\w*|try again|admission)\b/iu;
