// From counts to findings: what each count means for this run, past which share it matters, and which figures it spoils. Pure, so
// that the terminal, the page and a rebuilt report say the same.

import { formatMeasuredNanoseconds } from '../figure/duration.ts';
import { figureText, formatCount } from '../figure/figure.ts';
import type { Reported } from '../unknown.ts';
import { isUnknown, knownOr } from '../unknown.ts';
import type { ContaminationCode, ContaminationFinding, SpoiledFigure } from './contamination.ts';
import { ALL_RATES, ALL_TIMES, OF_PROMPT, OF_STREAM } from './contamination.ts';
import type { SampleEvidence } from './contamination-tally.ts';
import { PAIRS_LEAST } from './contamination-tally.ts';
import type { ReportRun, ReportSeries } from './report.ts';
import type { SeriesKey } from './run-series.ts';
import type { ServerEvidence } from './server-tally.ts';

export interface ContaminationSources {
  readonly run: Pick<ReportRun, 'hasNonce' | 'model' | 'requests' | 'streaming'>;
  readonly samples: SampleEvidence;
  readonly server: Reported<ServerEvidence>;
  /** Completed ones that ended by themselves, not at their limit. */
  readonly stopped: number;
  readonly series: Readonly<Partial<Record<SeriesKey, Pick<ReportSeries, 'min' | 'histogram'>>>>;
  /** It sends the start of a prompt twice on purpose, and says itself what became of it. */
  readonly isDepthProfile: boolean;
}

export const findContamination = (sources: ContaminationSources): readonly ContaminationFinding[] =>
  CHECKS.filter(check => !(sources.isDepthProfile && MEANT_BY_DEPTH.includes(check))).flatMap(
    check => check(sources) ?? [],
  );

type Check = (sources: ContaminationSources) => ContaminationFinding | undefined;

const answerCache: Check = ({ samples: { firstDecodeNs, repeatDecodeNs, repeats, completed } }) => {
  if (isUnknown(firstDecodeNs) || isUnknown(repeatDecodeNs)) return undefined;
  if (repeatDecodeNs > ANSWER_CACHE_SHARE * firstDecodeNs) return undefined;
  return finding('answer-cache', ALL_TIMES, {
    ...requests(repeats, completed),
    problem: `requests that were sent before were answered in ${time(repeatDecodeNs)}, new ones in ${time(firstDecodeNs)}: the server keeps whole answers`,
    advice: 'Leave out --no-nonce, or switch the cache of answers off.',
  });
};

const prefixCache: Check = ({ run, samples, server }) => {
  const meant = knownOr(run.requests, undefined)?.prefixes;
  const shared = meant === undefined || isUnknown(meant) ? 0 : meant.tokens;
  const { cacheTold, cacheTokensAsked, cacheTokensHit, cacheHits, completed } = samples;
  const advice = run.hasNonce
    ? 'A template or tools before the prompt are the same in all requests: switch the cache of prefixes off, or share a prefix on purpose with --prefix-tokens.'
    : 'Leave out --no-nonce, or switch the cache of prefixes off.';
  if (cacheTold > 0) {
    const unmeant = Math.max(0, cacheTokensHit - shared * cacheTold);
    if (unmeant <= CACHED_SHARE * cacheTokensAsked) return undefined;
    return finding('prefix-cache', OF_PROMPT, {
      count: unmeant,
      of: cacheTokensAsked,
      unit: 'prompt tokens',
      problem: `the server took ${share(unmeant, cacheTokensAsked)} of the prompt tokens from its cache of prefixes, in ${formatCount(cacheHits)} of ${formatCount(completed)} requests`,
      advice,
    });
  }
  const { prefixQueried, prefixHit } = knownOr(server, undefined)?.figures ?? {};
  if (shared > 0 || prefixQueried === undefined || prefixHit === undefined) return undefined;
  if (prefixHit.rose <= CACHED_SHARE * prefixQueried.rose) return undefined;
  return finding('prefix-cache', OF_PROMPT, {
    count: prefixHit.rose,
    of: prefixQueried.rose,
    unit: 'prompt tokens',
    problem: `by its own metrics the server found ${share(prefixHit.rose, prefixQueried.rose)} of the prompt tokens of all its clients in its cache of prefixes`,
    advice,
  });
};

const identicalPrompts: Check = ({ samples: { repeats, completed } }) =>
  repeats === 0
    ? undefined
    : finding('identical-prompts', ALL_TIMES, {
        ...requests(repeats, completed),
        problem: `${formatCount(repeats)} of ${formatCount(completed)} requests were the same as one before, byte for byte`,
        advice: 'Leave out --no-nonce, or use more prompts than there are requests.',
      });

const flatTtft: Check = ({ samples: { ttftPairs, inputSpan, ttftByInput, ttftGrowth } }) => {
  if (ttftPairs < PAIRS_LEAST || isUnknown(inputSpan) || isUnknown(ttftGrowth)) return undefined;
  const correlation = isUnknown(ttftByInput) ? 0 : ttftByInput;
  const byChance = CHANCE_DEVIATIONS / Math.sqrt(ttftPairs);
  if (inputSpan < SPAN_LEAST || ttftGrowth >= GROWTH_LEAST) return undefined;
  if (correlation >= Math.max(CORRELATION_LEAST, byChance)) return undefined;
  return finding('flat-ttft', OF_PROMPT, {
    ...requests(ttftPairs, ttftPairs),
    problem: `the time to first token does not grow with the prompt, although the longest are ${inputSpan.toFixed(1)} times the shortest (rank correlation ${correlation.toFixed(2)})`,
    advice: 'Prompts were cached or cut, or the queue hides what they cost: look at one request at a time.',
  });
};

const otherModel: Check = ({ run, samples }) =>
  samples.otherModel === 0
    ? undefined
    : finding('other-model', [...ALL_TIMES, ...ALL_RATES], {
        ...requests(samples.otherModel, samples.completed),
        problem: `${samples.otherModelName} answered ${formatCount(samples.otherModel)} of ${formatCount(samples.completed)} requests, which were for ${knownOr(run.model, 'another model')}`,
        advice: 'Name the model as the server calls it, with --model, or look what a router does.',
      });

const errorIn200: Check = ({ samples: { errorsIn200, completed } }) =>
  errorsIn200 === 0
    ? undefined
    : finding('error-in-200', ALL_RATES, {
        ...requests(errorsIn200, completed + errorsIn200),
        problem: `${formatCount(errorsIn200)} replies with status 200 were errors; other tools count them as answers`,
        advice: 'They are failed requests here: read the log of the server.',
      });

const rateLimited: Check = ({ samples: { rateLimited: limited, retryAfter, completed } }) => {
  const count = Math.max(limited, retryAfter);
  if (count === 0) return undefined;
  return finding('rate-limited', [...ALL_TIMES, ...ALL_RATES], {
    ...requests(count, completed + count),
    problem: `${formatCount(limited)} requests were refused with 429, and ${formatCount(retryAfter)} replies asked to come back later (Retry-After)`,
    advice: 'A limit of rates was measured, not the server: raise it, or send less.',
  });
};

const shortAnswers: Check = ({ run, samples: { completed }, stopped, series }) => {
  const asked = knownOr(run.requests, undefined);
  if (asked?.outputSource !== 'option' || isUnknown(asked.outputTokens)) return undefined;
  const tokens = series.outputTokens;
  if (tokens === undefined || tokens.min === null || tokens.min >= asked.outputTokens.max) return undefined;
  const { min } = asked.outputTokens;
  const below = tokens.histogram.reduce((sum, [, high, count]) => sum + (high < min ? count : 0), 0);
  const count = Math.max(below, Math.min(stopped, completed));
  if (count <= SHORT_SHARE * completed) return undefined;
  return finding('short-answers', ['latencyNs', 'latencyFromIntendedNs', ...ALL_RATES], {
    ...requests(count, completed),
    problem: `${formatCount(count)} of ${formatCount(completed)} answers ended before the length that was asked for (${asked.outputTokens.text} tokens)`,
    advice: 'Let the server ignore the end of text: --body \'{"ignore_eos": true}\' where it knows that.',
  });
};

const oneChunk: Check = ({ samples: { oneChunk: whole, streams } }) =>
  whole <= FEW_SHARE * streams
    ? undefined
    : finding('one-chunk', OF_STREAM, {
        ...requests(whole, streams),
        problem: `${formatCount(whole)} of ${formatCount(streams)} streams came in one chunk: the first token came with the last`,
        advice:
          'Something between gathers the stream: a proxy that buffers, or a server that does not stream.',
      });

const burstChunks: Check = ({ samples: { burst, streams } }) =>
  burst <= BURST_SHARE * streams
    ? undefined
    : finding('burst-chunks', OF_STREAM, {
        ...requests(burst, streams),
        problem: `all chunks of ${formatCount(burst)} of ${formatCount(streams)} streams came within 0.1 ms of each other`,
        advice: 'The stream was held back and sent at once: look for a proxy that buffers, or a cache.',
      });

const mergedChunks: Check = ({ samples: { merged, streams } }) =>
  merged <= FEW_SHARE * streams
    ? undefined
    : finding('merged-chunks', ['chunkGapNs'], {
        ...requests(merged, streams),
        problem: `${formatCount(merged)} of ${formatCount(streams)} streams had more than 1.5 tokens a chunk`,
        advice: 'A gap between chunks is not one between tokens: compare time per token, not gaps.',
      });

const speculativeDecoding: Check = ({
  samples: { predicted, predictedTokens, predictedOf, completed },
  server,
}) => {
  const spoils = ['tpotNs', 'chunkGapNs', 'outputTokensPerSecond', 'perUserTokensPerSecond'] as const;
  const advice =
    'How fast it is depends on the text: compare only runs with the same prompts, of the kind you serve.';
  if (predictedTokens > 0)
    return finding('speculative-decoding', spoils, {
      ...requests(predicted, completed),
      problem: `${share(predictedTokens, predictedOf)} of the tokens of ${formatCount(predicted)} answers were guessed ahead (speculative decoding)`,
      advice,
    });
  const { draftedTokens, acceptedTokens } = knownOr(server, undefined)?.figures ?? {};
  if (draftedTokens === undefined || draftedTokens.rose === 0) return undefined;
  const accepted = acceptedTokens?.rose ?? 0;
  return finding('speculative-decoding', spoils, {
    count: accepted,
    of: draftedTokens.rose,
    unit: 'drafted tokens',
    problem: `the server guesses tokens ahead (speculative decoding) and accepted ${share(accepted, draftedTokens.rose)} of ${formatCount(draftedTokens.rose)}`,
    advice,
  });
};

const otherClients: Check = ({ server }) => {
  if (isUnknown(server)) return undefined;
  const { excess, compared, excessMost } = server;
  if (excess < EXCESS_READINGS_LEAST || excess < EXCESS_READINGS_SHARE * compared) return undefined;
  return finding('other-clients', [...ALL_TIMES, ...ALL_RATES], {
    count: excess,
    of: compared,
    unit: 'readings of the server',
    problem: `by its own metrics the server had requests of others: up to ${formatCount(excessMost)} more than this run had in flight`,
    advice: 'Measure when nobody else uses the server.',
  });
};

const preemption: Check = ({ server, samples: { completed } }) => {
  const rose = knownOr(server, undefined)?.figures.preemptions?.rose ?? 0;
  if (rose === 0) return undefined;
  return finding('preemption', ALL_TIMES, {
    count: rose,
    of: completed,
    unit: 'preemptions to requests',
    problem: `the server put requests back ${formatCount(rose)} times, because it had no room for their keys and values`,
    advice: 'It is past its memory: send fewer at a time, or give it more room for its KV cache.',
  });
};

const swap: Check = ({ server }) => {
  if (isUnknown(server)) return undefined;
  const most = server.figures.swapped?.max ?? 0;
  if (most === 0) return undefined;
  return finding('swap', ALL_TIMES, {
    count: most,
    of: Math.max(most, server.figures.running?.max ?? 0),
    unit: 'requests at a time',
    problem: `the server moved up to ${formatCount(most)} requests at a time out of GPU memory`,
    advice: 'It is past its memory: send fewer at a time, or give it more room for its KV cache.',
  });
};

/** The gravest first. */
const CHECKS: readonly Check[] = [
  answerCache,
  otherModel,
  errorIn200,
  rateLimited,
  otherClients,
  prefixCache,
  identicalPrompts,
  flatTtft,
  shortAnswers,
  oneChunk,
  burstChunks,
  mergedChunks,
  speculativeDecoding,
  preemption,
  swap,
];

const MEANT_BY_DEPTH: readonly Check[] = [prefixCache, flatTtft];

const finding = (
  code: ContaminationCode,
  spoils: readonly SpoiledFigure[],
  said: Omit<ContaminationFinding, 'code' | 'spoils'>,
): ContaminationFinding => ({ code, spoils, ...said });

const requests = (count: number, of: number): Pick<ContaminationFinding, 'count' | 'of' | 'unit'> => ({
  count,
  of,
  unit: 'requests',
});

const time = (ns: number): string => figureText(formatMeasuredNanoseconds(ns));

const share = (count: number, of: number): string => {
  const percent = (100 * count) / Math.max(1, of);
  return `${percent < 10 ? percent.toFixed(1) : percent.toFixed(0)} %`;
};

/** Of the prompt tokens: less is a template. */
const CACHED_SHARE = 0.01;
/** A cache of prefixes makes the first token quicker; only one of answers makes all others so much quicker. */
const ANSWER_CACHE_SHARE = 0.2;
const SPAN_LEAST = 4;
const CORRELATION_LEAST = 0.1;
/** The rank correlation of n unrelated pairs deviates by 1/√n from 0. */
const CHANCE_DEVIATIONS = 3;
/** Where even the quickest of the long prompts takes longer than the quickest of the short, a queue blurs the rest. */
const GROWTH_LEAST = 1.1;
const SHORT_SHARE = 0.05;
const FEW_SHARE = 0.05;
/** A client or server that stood still for as long as a short answer takes finds all of it at once. */
const BURST_SHARE = 0.2;
const EXCESS_READINGS_LEAST = 3;
const EXCESS_READINGS_SHARE = 0.2;
