// The figures of one completed sample by METRICS §3. Contradictory stamps give none at all: a negative time must not
// be averaged, nor may it end the whole count.

import { choiceCount, contentNsOf, type EndedSample } from '../core/run/ended-sample.ts';
import { NO_FIGURE, REPLY_COUNT_KEYS, SERVED_KEYS } from '../core/run/event-record.ts';
import type { SampleSeriesKey } from '../core/run/run-series.ts';
import { TOKENS_MAX } from '../core/run/token-doubts.ts';

/** NO_FIGURE where the sample has none. */
export type SampleFigures = Readonly<Record<SampleSeriesKey, number>>;

/** undefined unless sent ≤ first byte ≤ first content ≤ last content ≤ end, and chunks and gaps agree. */
export const sampleFigures = (sample: EndedSample, isStreaming: boolean): SampleFigures | undefined => {
  const { sentNs, firstByteNs, firstContentNs, firstAnswerNs, endNs } = sample;
  const lastContentNs = lastContentOf(sample);
  if (!isConsistent(sample, lastContentNs)) return undefined;
  const hasContent = isStreaming && firstContentNs !== NO_FIGURE;
  // A request that left early cannot be credited with the time before it was due.
  const intendedNs = Math.min(sample.intendedNs, sentNs);
  const sinceSent = (stampNs: number): number => (stampNs === NO_FIGURE ? NO_FIGURE : stampNs - sentNs);
  return {
    latencyNs: endNs - sentNs,
    latencyFromIntendedNs: endNs - intendedNs,
    ttftNs: hasContent ? firstContentNs - sentNs : NO_FIGURE,
    ttftFromIntendedNs: hasContent ? firstContentNs - intendedNs : NO_FIGURE,
    firstAnswerNs: hasContent ? sinceSent(firstAnswerNs) : NO_FIGURE,
    reasoningNs: hasContent && firstAnswerNs !== NO_FIGURE ? firstAnswerNs - firstContentNs : NO_FIGURE,
    tpotNs: hasContent ? tpotNs(sample) : NO_FIGURE,
    tokensPerChunk: hasContent ? tokensPerChunk(sample) : NO_FIGURE,
    inputTokens: sample.inputTokens,
    outputTokens: sample.outputTokens,
    serverLoadNs: sample.served?.loadNs ?? NO_FIGURE,
    serverPromptNs: sample.served?.promptNs ?? NO_FIGURE,
    serverDecodeNs: sample.served?.decodeNs ?? NO_FIGURE,
    audioInputTokens: sample.counts?.audioInputTokens ?? NO_FIGURE,
    audioOutputTokens: sample.counts?.audioOutputTokens ?? NO_FIGURE,
    rankedDocuments: sample.counts?.rankedDocuments ?? NO_FIGURE,
    reasoningTokens: sample.remark?.reasoningTokens ?? NO_FIGURE,
    cachedTokens: sample.remark?.cachedTokens ?? NO_FIGURE,
    tokensPerStep: tokensPerStep(sample),
    acceptedShare: acceptedShare(sample),
    connectNs: sample.connectNs > 0 ? sample.connectNs : NO_FIGURE,
    firstByteNs: sinceSent(firstByteNs),
  };
};

/** NO_FIGURE where no content came. */
const lastContentOf = ({ firstContentNs, chunkGapsNs }: EndedSample): number => {
  if (firstContentNs === NO_FIGURE) return NO_FIGURE;
  let lastNs = firstContentNs;
  for (const gap of chunkGapsNs) lastNs += gap;
  return lastNs;
};

const isConsistent = (sample: EndedSample, lastContentNs: number): boolean => {
  let previousNs = sample.sentNs;
  for (const stampNs of [sample.firstByteNs, sample.firstContentNs, lastContentNs, sample.endNs]) {
    if (stampNs === NO_FIGURE) continue;
    if (!(stampNs >= previousNs)) return false;
    previousNs = stampNs;
  }
  if (sample.firstAnswerNs !== NO_FIGURE) {
    if (!(sample.firstAnswerNs >= sample.firstContentNs && sample.firstAnswerNs <= lastContentNs))
      return false;
  }
  const stampedChunks = sample.firstContentNs === NO_FIGURE ? 0 : 1 + sample.chunkGapsNs.length;
  return (
    sample.chunkGapsNs.every(gap => Number.isSafeInteger(gap) && gap >= 0) &&
    (stampedChunks === 0 || sample.chunkCount === stampedChunks) &&
    (sample.chunkChoices === undefined || sample.chunkChoices.length === stampedChunks) &&
    [
      sample.inputTokens,
      sample.outputTokens,
      sample.connectNs,
      sample.endNs,
      sample.remark?.cachedTokens ?? NO_FIGURE,
      sample.remark?.predictedTokens ?? NO_FIGURE,
      ...SERVED_KEYS.map(key => sample.served?.[key] ?? NO_FIGURE),
      ...REPLY_COUNT_KEYS.map(key => sample.counts?.[key] ?? NO_FIGURE),
    ].every(figure => Number.isSafeInteger(figure) && figure >= NO_FIGURE)
  );
};

/** NO_FIGURE of a count that cannot be true, too: sums of ratios are exact only below 2⁵³ millionths. */
const tokensPerChunk = ({ outputTokens, chunkCount }: EndedSample): number =>
  outputTokens === NO_FIGURE || outputTokens > TOKENS_MAX || chunkCount === 0
    ? NO_FIGURE
    : outputTokens / chunkCount;

/**
 * The first token is that of the prompt; each step after it gives one token and those that it accepts. Servers count in different
 * ways what the limit of an answer cut off of its last step, so that a whole answer may be accepted.
 */
const tokensPerStep = (sample: EndedSample): number => {
  const { served, remark, outputTokens } = sample;
  const accepted = remark?.predictedTokens ?? NO_FIGURE;
  const later = outputTokens - 1;
  const hasDrafts = accepted > 0 || (accepted === 0 && (served?.draftedTokens ?? NO_FIGURE) > 0);
  return !hasDrafts || later < 1 || accepted > later || outputTokens > TOKENS_MAX || choiceCount(sample) > 1
    ? NO_FIGURE
    : later / Math.max(1, later - accepted);
};

/** NO_FIGURE of counts that contradict each other. */
const acceptedShare = ({ served, remark }: EndedSample): number => {
  const drafted = served?.draftedTokens ?? NO_FIGURE;
  const accepted = remark?.predictedTokens ?? NO_FIGURE;
  return drafted <= 0 || accepted < 0 || accepted > drafted ? NO_FIGURE : accepted / drafted;
};

/** Whole nanoseconds, because every sum is exact; the rounding is half a nanosecond at most. */
const tpotNs = (sample: EndedSample): number => {
  const later = sample.outputTokens - choiceCount(sample);
  return later >= 1 ? Math.round(contentNsOf(sample) / later) : NO_FIGURE;
};
