// Counts what may contaminate a run's figures, over the measured samples: an answer from a cache, chunks that
// were merged, another model than requested. It only counts; find-contamination.ts decides what a count
// means.

import { count, figure, type Infer, openObject, reported, text } from '../schema.ts';
import { rankCorrelation } from '../statistics/rank-correlation.ts';
import { knownOr, type Reported, unknown } from '../unknown.ts';
import { type EndedSample, isOverload } from './ended-sample.ts';
import { NO_FIGURE } from './event-record.ts';
import type { RunShape } from './run-shape.ts';
import { SESSIONS_FOLLOWED_MAX } from './session-follower.ts';
import type { SampleTurn } from './session-outcome.ts';

export const sampleEvidenceSchema = openObject({
  completed: count,
  /**
   * Completed ones whose usage reports prefix-cache hits, their prompt tokens, and the cached ones of these.
   */
  cacheReported: count,
  cacheTokensRequested: count,
  cacheTokensHit: count,
  cacheHits: count,
  /** Completed ones with accepted speculative tokens, and how many of how many tokens. */
  predicted: count,
  predictedTokens: count,
  predictedOf: count,
  /** Completed ones whose identical request was sent before. */
  repeats: count,
  /** Completed ones whose answer was that of an earlier one, byte for byte. */
  sameAnswers: reported(count),
  /**
   * Completed ones of at least TOKENS_LEAST tokens that arrived in less time than any model takes. Unknown as
   * above.
   */
  instant: reported(count),
  /**
   * Median time from first to last content, or of the whole reply where that is not streamed: of answers that came first, and of
   * those that had come before.
   */
  firstDecodeNs: reported(figure),
  repeatDecodeNs: reported(figure),
  /**
   * Later turns of sessions whose history is stored by the server, and of these the ones whose prompt was no
   * longer than that of the previous turn; all of them, if none had room for the earlier turns.
   */
  keptTurns: reported(count),
  lostHistories: reported(count),
  otherModel: count,
  /** The first such model. */
  otherModelName: text,
  rateLimited: count,
  /** Rejected because the server was overloaded: status 529, and 503 with a message to that effect. */
  overloaded: count,
  retryAfter: count,
  errorsIn200: count,
  /**
   * Completed streams of at least TOKENS_LEAST tokens, and of these: with more than 1.5 tokens per chunk, in
   * one chunk, all at once.
   */
  streams: count,
  merged: count,
  oneChunk: count,
  burst: count,
  /** Prompt tokens against TTFT: number of pairs, spread of prompts (p95 by p5), and their correlation. */
  ttftPairs: count,
  inputSpan: reported(figure),
  ttftByInput: reported(figure),
  /**
   * Fastest tenth of the longest quarter of prompts, relative to that of the shortest: 1 if length costs
   * nothing.
   */
  ttftGrowth: reported(figure),
});

export type SampleEvidence = Infer<typeof sampleEvidenceSchema>;

export class ContaminationTally {
  readonly #isStreaming: boolean;
  readonly #counts: Record<CountKey, number> = { ...NOTHING };
  readonly #first = new Reservoir(DECODES_KEPT_MAX);
  readonly #repeat = new Reservoir(DECODES_KEPT_MAX);
  readonly #pairs = new Reservoir(PAIRS_KEPT_MAX);
  readonly #answers = new Set<number>();
  /** The newest turn of each open session; undefined: the client sends the history. */
  readonly #newestTurns: Map<number, TurnSize> | undefined;
  /** Later turns whose prompt has no room for the previous turns, and those whose prompt certainly has. */
  #crampedTurns = 0;
  #roomyTurns = 0;
  #otherModelName = '';

  constructor({ isStreaming, shape }: { readonly isStreaming: boolean; readonly shape?: RunShape }) {
    this.#isStreaming = isStreaming;
    this.#newestTurns =
      knownOr(shape?.sessions ?? unknown('no sessions'), undefined)?.history === 'server'
        ? new Map()
        : undefined;
  }

  /** A sample of the measured phase. */
  ended(sample: EndedSample): void {
    const { failure, remark, outcome } = sample;
    const counts = this.#counts;
    if (failure?.statusCode === TOO_MANY_REQUESTS) counts.rateLimited += 1;
    const isRefused = failure !== undefined && isOverload(failure);
    if (isRefused) counts.overloaded += 1;
    else if (remark?.hasRetryAfter === true) counts.retryAfter += 1;
    if (failure?.kind === 'error-frame' && failure.statusCode >= 200 && failure.statusCode <= 299)
      counts.errorsIn200 += 1;
    if (outcome !== 'completed') return;
    counts.completed += 1;
    if (remark !== undefined) this.#remarked(sample, remark);
    if (sample.turn !== undefined) this.#followed(sample.turn, sample);
    this.#decoded(sample, this.#hasCome(sample));
    if (this.#isStreaming) this.#streamed(sample);
  }

  evidence(): SampleEvidence {
    const inputs = this.#pairs.column(0);
    const times = this.#pairs.column(1);
    const { kept } = this.#pairs;
    return {
      ...this.#counts,
      // One prompt without room may be a long text in few tokens; if the server stores the history, some have
      // room.
      ...(this.#crampedTurns > 0 && this.#roomyTurns === 0 ? { lostHistories: this.#counts.keptTurns } : {}),
      otherModelName: this.#otherModelName,
      firstDecodeNs: this.#first.median(),
      repeatDecodeNs: this.#repeat.median(),
      ttftPairs: this.#pairs.seen,
      inputSpan: spanOf(inputs, kept),
      ttftByInput: rankCorrelation(inputs, times, kept) ?? unknown('lengths or times do not vary'),
      ttftGrowth: growthOf(inputs, times, kept),
    };
  }

  #remarked(
    { inputTokens, outputTokens }: EndedSample,
    { cachedTokens, predictedTokens, isRepeat, otherModel }: NonNullable<EndedSample['remark']>,
  ): void {
    const counts = this.#counts;
    if (cachedTokens !== NO_FIGURE && inputTokens !== NO_FIGURE) {
      counts.cacheReported += 1;
      counts.cacheTokensRequested += inputTokens;
      counts.cacheTokensHit += cachedTokens;
      if (cachedTokens > 0) counts.cacheHits += 1;
    }
    if (predictedTokens > 0) {
      counts.predicted += 1;
      counts.predictedTokens += predictedTokens;
      counts.predictedOf += Math.max(0, outputTokens);
    }
    if (isRepeat) counts.repeats += 1;
    if (otherModel !== '') {
      counts.otherModel += 1;
      this.#otherModelName ||= otherModel;
    }
  }

  /**
   * A prompt that contains what came before grows from turn to turn, by the answer before it and by its own
   * text. If the server ignores the history, it grows at most by the growth of the request.
   */
  #followed(
    { session, turn, turns }: SampleTurn,
    { inputTokens, outputTokens, bytesSent, remark }: EndedSample,
  ): void {
    const known = this.#newestTurns;
    if (known === undefined || inputTokens === NO_FIGURE) return;
    const before = known.get(session);
    if (turn > 0 && before !== undefined) {
      this.#counts.keptTurns += 1;
      if (inputTokens <= before.inputTokens) this.#counts.lostHistories += 1;
      const bytes = bytesSent - before.bytesSent;
      const own = inputTokens - before.inputTokens - before.answerTokens;
      // The second turn is the first that refers to an answer.
      if (own <= Math.max(0, turn === 1 ? bytes - ID_BYTES_MOST : bytes) / BYTES_PER_TOKEN)
        this.#crampedTurns += 1;
      if (own > Math.max(0, bytes) / BYTES_PER_TOKEN) this.#roomyTurns += 1;
    }
    // Templates leave out the reasoning of earlier turns.
    const answerTokens = Math.max(0, outputTokens - Math.max(0, remark?.reasoningTokens ?? 0));
    if (turn + 1 >= turns) known.delete(session);
    else if (known.has(session) || known.size < SESSIONS_FOLLOWED_MAX)
      known.set(session, { inputTokens, answerTokens, bytesSent });
  }

  /** Whether this answer occurred before. If the answer was not read, the request is compared instead. */
  #hasCome({ answerHash, remark }: EndedSample): boolean {
    if (answerHash === undefined) return remark?.isRepeat === true;
    if (this.#answers.has(answerHash)) return true;
    if (this.#answers.size < ANSWERS_KEPT_MAX) this.#answers.add(answerHash);
    return false;
  }

  #decoded(sample: EndedSample, hasCome: boolean): void {
    const { outputTokens, sentNs, endNs } = sample;
    if (outputTokens < TOKENS_LEAST) return;
    if (hasCome) this.#counts.sameAnswers += 1;
    if (endNs - sentNs < outputTokens * TOKEN_NS_LEAST) this.#counts.instant += 1;
    const ns = this.#isStreaming ? sumOf(sample.chunkGapsNs) : endNs - sentNs;
    (hasCome ? this.#repeat : this.#first).add(ns, 0);
  }

  #streamed({
    inputTokens,
    outputTokens,
    chunkCount,
    chunkGapsNs,
    firstContentNs,
    sentNs,
    lateness,
  }: EndedSample): void {
    const counts = this.#counts;
    if (inputTokens > 0 && firstContentNs !== NO_FIGURE)
      this.#pairs.add(inputTokens, firstContentNs - sentNs);
    if (outputTokens < TOKENS_LEAST || chunkCount === 0) return;
    counts.streams += 1;
    if (chunkCount === 1) counts.oneChunk += 1;
    else if (outputTokens / chunkCount > MERGED_TOKENS) counts.merged += 1;
    // Chunks that this client read late were merged in its own buffer, if it was late by the duration of the
    // stream.
    const lateNs = Math.max(lateness?.firstContentLateNs ?? 0, lateness?.lastContentLateNs ?? 0);
    const isBurst = chunkCount > BURST_GAPS_LEAST && chunkGapsNs.every(gap => gap < BURST_GAP_NS);
    if (isBurst && lateNs < (chunkCount - 1) * QUICK_GAP_NS) counts.burst += 1;
  }
}

type TurnSize = Pick<EndedSample, 'inputTokens' | 'bytesSent'> & { readonly answerTokens: number };

/**
 * A bounded sample of pairs of figures; above the limit a new one replaces an earlier one, so that early and
 * late ones have the same weight.
 */
class Reservoir {
  readonly #max: number;
  readonly #values: Float64Array;
  #seen = 0;

  constructor(max: number) {
    this.#max = max;
    this.#values = new Float64Array(max * 2);
  }

  get seen(): number {
    return this.#seen;
  }

  get kept(): number {
    return Math.min(this.#seen, this.#max);
  }

  add(x: number, y: number): void {
    this.#seen += 1;
    // Multiplicative hashing of the count: random enough here, and reproducible in every rebuild.
    const index =
      this.#seen <= this.#max ? this.#seen - 1 : (Math.imul(this.#seen, 2_654_435_761) >>> 0) % this.#seen;
    if (index >= this.#max) return;
    this.#values[index * 2] = x;
    this.#values[index * 2 + 1] = y;
  }

  column(which: 0 | 1): Float64Array {
    return Float64Array.from({ length: this.kept }, (_, at) => this.#values[at * 2 + which] ?? 0);
  }

  median(): Reported<number> {
    return this.#seen < DECODES_LEAST
      ? unknown('too few requests')
      : (this.column(0).sort()[Math.floor((this.kept - 1) / 2)] ?? 0);
  }
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const spanOf = (inputs: Float64Array, count: number): Reported<number> => {
  if (count < PAIRS_LEAST) return unknown('too few requests');
  const sorted = inputs.toSorted();
  const at = (share: number): number => sorted[Math.floor(share * (count - 1))] ?? 0;
  return at(0.95) / Math.max(1, at(0.05));
};

const growthOf = (inputs: Float64Array, times: Float64Array, count: number): Reported<number> => {
  if (count < PAIRS_LEAST) return unknown('too few requests');
  const order = Array.from({ length: count }, (_, at) => at).sort(
    (a, b) => (inputs[a] ?? 0) - (inputs[b] ?? 0),
  );
  const quarter = Math.floor(count / 4);
  const quick = (of: readonly number[]): number =>
    Float64Array.from(of, at => times[at] ?? 0).sort()[Math.floor(of.length / 10)] ?? 0;
  const short = quick(order.slice(0, quarter));
  return short <= 0 ? unknown('no time') : quick(order.slice(-quarter)) / short;
};

const NOTHING = {
  completed: 0,
  cacheReported: 0,
  cacheTokensRequested: 0,
  cacheTokensHit: 0,
  cacheHits: 0,
  predicted: 0,
  predictedTokens: 0,
  predictedOf: 0,
  repeats: 0,
  sameAnswers: 0,
  instant: 0,
  keptTurns: 0,
  lostHistories: 0,
  otherModel: 0,
  rateLimited: 0,
  overloaded: 0,
  retryAfter: 0,
  errorsIn200: 0,
  streams: 0,
  merged: 0,
  oneChunk: 0,
  burst: 0,
};
type CountKey = keyof typeof NOTHING;

const TOO_MANY_REQUESTS = 429;
/** For a shorter answer merged chunks cannot be detected. */
const TOKENS_LEAST = 8;
const MERGED_TOKENS = 1.5;
/** An upper value for most text in most languages: English has four to five. */
const BYTES_PER_TOKEN = 5;
/** `"previous_response_id":"resp_…",` with the longest ids of OpenAI and vLLM. */
const ID_BYTES_MOST = 100;
const BURST_GAPS_LEAST = 4;
/**
 * No model generates ten thousand tokens per second for one user: faster tokens were buffered, or existed
 * before.
 */
const TOKEN_NS_LEAST = 100_000;
const BURST_GAP_NS = TOKEN_NS_LEAST;
/** The gap of the fastest servers, for one user. */
const QUICK_GAP_NS = 1_000_000;
const DECODES_KEPT_MAX = 1_024;
const DECODES_LEAST = 8;
/** Hashes; with more different answers the later ones count as new. */
const ANSWERS_KEPT_MAX = 65_536;
const PAIRS_KEPT_MAX = 4_096;
/** With this many unrelated pairs the correlation exceeds 0.2 by chance once in 20. */
export const PAIRS_LEAST = 100;
