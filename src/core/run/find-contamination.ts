// From counts to findings: what each count means for this run, from which share on it matters, and which
// figures it affects. Pure, so that the terminal, the page and a rebuilt report show the same.

import { maximumOf } from '../extremes.ts';
import { measuredTimeText } from '../figure/duration.ts';
import { counted } from '../figure/figure.ts';
import { isKnown, isUnknown, knownOr } from '../unknown.ts';
import { ALL_RATES, ALL_TIMES, type ContaminationFinding, OF_PROMPT, OF_STREAM } from './contamination.ts';
import {
  type ContaminationCheck,
  type ContaminationSources,
  finding,
  ofRequests,
  partText,
} from './contamination-check.ts';
import { PAIRS_LEAST } from './contamination-tally.ts';
import { doubtText, OF_OUTPUT_TOKENS, TOKEN_DOUBTS } from './doubted-figures.ts';
import { isOfSessions, isOfTrace } from './run-shape.ts';
import { clientSwap, otherClients, preemption, speculativeDecoding, swap } from './server-contamination.ts';
import { TOKEN_DOUBT_KEYS } from './token-doubts.ts';

export const findContamination = (sources: ContaminationSources): readonly ContaminationFinding[] =>
  CHECKS.filter(check => !(isMeant(sources) && MEANT_TO_BE_CACHED.includes(check))).flatMap(
    check => check(sources) ?? [],
  );

/**
 * A depth profile, sessions and traces repeat earlier prompts on purpose, so that the server finds them in
 * its cache.
 */
const isMeant = ({ isDepthProfile, run }: ContaminationSources): boolean =>
  isDepthProfile || isOfSessions(run.shape) || isOfTrace(run.shape);

const answerCache: ContaminationCheck = ({ run, samples }) => {
  const { firstDecodeNs, repeatDecodeNs, completed, repeats } = samples;
  const advice = run.hasNonce
    ? 'Disable its response cache: it treats similar prompts as the same.'
    : 'Leave out --no-nonce, or disable the response cache.';
  const count = isUnknown(samples.sameAnswers) ? repeats : samples.sameAnswers;
  const isQuick =
    isKnown(firstDecodeNs) && isKnown(repeatDecodeNs) && repeatDecodeNs <= ANSWER_CACHE_SHARE * firstDecodeNs;
  if (isQuick)
    return finding('answer-cache', ALL_TIMES, {
      ...ofRequests(count, completed),
      problem: `answers that repeated an earlier one byte for byte took ${measuredTimeText(repeatDecodeNs)}, new ones ${measuredTimeText(firstDecodeNs)}: the server caches whole answers`,
      advice,
    });
  const instant = knownOr(samples.instant, 0);
  if (instant < INSTANT_LEAST || instant <= FEW_SHARE * completed) return undefined;
  return finding('answer-cache', ALL_TIMES, {
    ...ofRequests(instant, completed),
    problem:
      'whole answers arrived at more than ten thousand tokens per second: no model is that fast, so they were cached',
    advice,
  });
};

const prefixCache: ContaminationCheck = ({ run, samples, server }) => {
  const meant = knownOr(run.requests, undefined)?.prefixes;
  const shared = meant === undefined || isUnknown(meant) ? 0 : meant.tokens;
  const { cacheReported, cacheTokensRequested, cacheTokensHit, cacheHits, completed } = samples;
  const advice = run.hasNonce
    ? 'A template or tools before the prompt are the same in all requests: disable the prefix cache, or share a prefix on purpose with --prefix-tokens.'
    : 'Leave out --no-nonce, or disable the prefix cache.';
  const template = templateTokens({ run, samples });
  if (cacheReported > 0) {
    const unmeant = Math.max(0, cacheTokensHit - shared * cacheReported - template * cacheHits);
    if (unmeant <= CACHED_SHARE * cacheTokensRequested) return undefined;
    return finding('prefix-cache', OF_PROMPT, {
      count: unmeant,
      of: cacheTokensRequested,
      unit: 'prompt tokens',
      problem: `the server took ${partText(unmeant, cacheTokensRequested)} of the prompt tokens from its prefix cache, in ${counted(cacheHits, 'request')}`,
      advice,
    });
  }
  const { prefixQueried, prefixHit } = knownOr(server, undefined)?.figures ?? {};
  if (shared > 0 || prefixQueried === undefined || prefixHit === undefined) return undefined;
  const unmeant = Math.max(0, prefixHit.rose - template * completed);
  if (unmeant <= CACHED_SHARE * prefixQueried.rose) return undefined;
  return finding('prefix-cache', OF_PROMPT, {
    count: unmeant,
    of: prefixQueried.rose,
    unit: 'prompt tokens',
    problem: `by its own metrics the server found ${partText(unmeant, prefixQueried.rose)} of the prompt tokens of all its clients in its prefix cache`,
    advice,
  });
};

/**
 * Tokens that all requests have in common because of the chat template: no prompt was prefilled faster
 * because of them than for any user of this server. Taken from the server's count of the shortest prompt;
 * else the mean of the hits, if nearly every request has one and they are small: prompts with a nonce have
 * nothing else in common.
 */
const templateTokens = ({ run, samples }: Pick<ContaminationSources, 'run' | 'samples'>): number => {
  const shortest = isKnown(run.requests) ? run.requests.shortestTokens : run.requests;
  if (isKnown(shortest)) return shortest;
  const { cacheReported, cacheHits, cacheTokensHit, cacheTokensRequested } = samples;
  if (!run.hasNonce) return 0;
  if (cacheReported === 0) return TEMPLATE_TOKENS_USUAL;
  const most = Math.min(TEMPLATE_TOKENS_MOST, (TEMPLATE_SHARE_MOST * cacheTokensRequested) / cacheReported);
  const mean = cacheTokensHit / Math.max(1, cacheHits);
  return cacheHits >= TEMPLATE_HITS_LEAST * cacheReported && mean <= most ? mean : 0;
};

const identicalPrompts: ContaminationCheck = ({ samples: { repeats, completed } }) =>
  repeats === 0
    ? undefined
    : finding('identical-prompts', ALL_TIMES, {
        ...ofRequests(repeats, completed),
        problem: 'requests repeated an earlier one byte for byte',
        advice: 'Leave out --no-nonce, or use more prompts than there are requests.',
      });

const flatTtft: ContaminationCheck = ({ samples: { ttftPairs, inputSpan, ttftByInput, ttftGrowth } }) => {
  if (ttftPairs < PAIRS_LEAST || isUnknown(inputSpan) || isUnknown(ttftGrowth)) return undefined;
  const correlation = isUnknown(ttftByInput) ? 0 : ttftByInput;
  const byChance = CHANCE_DEVIATIONS / Math.sqrt(ttftPairs);
  if (inputSpan < SPAN_LEAST || ttftGrowth >= GROWTH_LEAST) return undefined;
  if (correlation >= Math.max(CORRELATION_LEAST, byChance)) return undefined;
  return finding('flat-ttft', OF_PROMPT, {
    ...ofRequests(ttftPairs, ttftPairs),
    problem: `the time to first token does not grow with the prompt, although the longest are ${inputSpan.toFixed(1)} times the shortest (rank correlation ${correlation.toFixed(2)})`,
    advice: 'Prompts were cached or cut, or the queue hides their cost: measure with one request at a time.',
  });
};

const otherModel: ContaminationCheck = ({ run, samples }) =>
  samples.otherModel === 0
    ? undefined
    : finding('other-model', [...ALL_TIMES, ...ALL_RATES], {
        ...ofRequests(samples.otherModel, samples.completed),
        problem: `${samples.otherModelName} answered requests that were for ${knownOr(run.model, 'another model')}`,
        advice: "Use the server's name of the model with --model, or check what a router does.",
      });

const historyLost: ContaminationCheck = ({ samples }) => {
  const lost = knownOr(samples.lostHistories, 0);
  return lost === 0
    ? undefined
    : finding('history-lost', [...ALL_TIMES, ...ALL_RATES], {
        count: lost,
        of: knownOr(samples.keptTurns, lost),
        unit: 'later turns',
        problem:
          'the server did not store the history of sessions: the prompts of later turns are too short to contain the previous turns',
        advice:
          'Leave out --history server, so that each request has its history, or let the server store responses.',
      });
};

const errorIn200: ContaminationCheck = ({ samples: { errorsIn200, completed } }) =>
  errorsIn200 === 0
    ? undefined
    : finding('error-in-200', ALL_RATES, {
        ...ofRequests(errorsIn200, completed + errorsIn200),
        problem: 'replies with status 200 were errors, which other tools count as answers',
        advice: 'They are failed requests here: read the log of the server.',
      });

const rateLimited: ContaminationCheck = ({ samples: { rateLimited: limited, retryAfter, completed } }) => {
  const count = Math.max(limited, retryAfter);
  if (count === 0) return undefined;
  return finding('rate-limited', [...ALL_TIMES, ...ALL_RATES], {
    ...ofRequests(count, completed + count),
    problem:
      limited === 0
        ? 'replies contained a Retry-After header'
        : `requests were refused with status 429${retryAfter === 0 ? '' : ', or with a Retry-After header'}`,
    advice: 'The run measured a rate limit, not the server. Raise the limit, or send less.',
  });
};

/** From the server's replies, or from its own count if that is greater: a gateway may have retried. */
const overloaded: ContaminationCheck = ({ samples: { overloaded: refused, completed }, server }) => {
  const rejected = knownOr(server, undefined)?.figures.rejected?.rose ?? 0;
  const count = Math.max(refused, rejected);
  if (count === 0) return undefined;
  return finding('overloaded', [...ALL_TIMES, ...ALL_RATES], {
    ...ofRequests(count, completed + count),
    problem:
      refused === 0
        ? 'by its own metrics the server refused requests at the limit of its queue'
        : 'requests were refused because the server was overloaded (status 503 or 529)',
    advice: 'It is over its capacity: send fewer at a time, or raise the limit of its queue.',
  });
};

const shortAnswers: ContaminationCheck = ({ run, samples: { completed }, stopped, series }) => {
  const requested = knownOr(run.requests, undefined);
  if (requested?.outputSource !== 'option' || isUnknown(requested.outputTokens)) return undefined;
  const tokens = series.outputTokens;
  if (tokens === undefined || tokens.min === null || tokens.min >= requested.outputTokens.max)
    return undefined;
  const { min } = requested.outputTokens;
  const below = tokens.histogram.reduce((sum, [, high, count]) => sum + (high < min ? count : 0), 0);
  const count = Math.max(below, Math.min(stopped, completed));
  if (count <= SHORT_SHARE * completed) return undefined;
  return finding('short-answers', ['latencyNs', 'latencyFromIntendedNs', ...ALL_RATES], {
    ...ofRequests(count, completed),
    problem: `answers ended before the ${requested.outputTokens.text} tokens that were requested`,
    advice: 'Let the server ignore the end of text: --body \'{"ignore_eos": true}\' if it supports that.',
  });
};

const tokenCounts: ContaminationCheck = ({ samples: { completed }, doubts, hasTokenizer }) => {
  const found = TOKEN_DOUBT_KEYS.filter(doubt => doubts[doubt] > 0);
  const spoils = new Set(found.flatMap(doubt => TOKEN_DOUBTS[doubt].spoils));
  // The tokenizer's count replaces the server's.
  const left = [...spoils].filter(figure => !hasTokenizer || !OF_OUTPUT_TOKENS.includes(figure));
  if (left.length === 0) return undefined;
  const most = maximumOf(found.map(doubt => doubts[doubt]));
  return finding('token-counts', left, {
    ...ofRequests(most, Math.max(most, completed)),
    problem: `the server's counts of tokens cannot be true: ${doubtText(doubts).join(', ')}`,
    advice: hasTokenizer
      ? "Output tokens are the tokenizer's count. Do not trust the other counts."
      : 'Do not trust these figures: count the answers with the tokenizer of the model, --tokenizer DIR.',
  });
};

const oneChunk: ContaminationCheck = ({ samples: { oneChunk: whole, streams } }) =>
  whole <= FEW_SHARE * streams
    ? undefined
    : finding('one-chunk', OF_STREAM, {
        ...ofRequests(whole, streams),
        problem: 'streams came in one chunk: the first token arrived with the last',
        advice: 'A proxy buffers the stream, or the server does not stream.',
      });

const burstChunks: ContaminationCheck = ({ samples: { burst, streams } }) =>
  burst <= BURST_SHARE * streams
    ? undefined
    : finding('burst-chunks', OF_STREAM, {
        ...ofRequests(burst, streams),
        problem: 'all chunks of a stream arrived within 0.1 ms of each other',
        advice: 'The stream was buffered and sent at once: look for a proxy that buffers, or a cache.',
      });

const mergedChunks: ContaminationCheck = ({ samples: { merged, streams } }) =>
  merged <= FEW_SHARE * streams
    ? undefined
    : finding('merged-chunks', ['chunkGapNs'], {
        ...ofRequests(merged, streams),
        problem: 'streams had more than 1.5 tokens per chunk',
        advice: 'A gap between chunks is not one between tokens: compare time per token, not gaps.',
      });

/** Most serious first. */
const CHECKS: readonly ContaminationCheck[] = [
  answerCache,
  historyLost,
  otherModel,
  errorIn200,
  rateLimited,
  overloaded,
  otherClients,
  prefixCache,
  identicalPrompts,
  flatTtft,
  tokenCounts,
  shortAnswers,
  oneChunk,
  burstChunks,
  mergedChunks,
  speculativeDecoding,
  preemption,
  swap,
  clientSwap,
];

const MEANT_TO_BE_CACHED: readonly ContaminationCheck[] = [prefixCache, flatTtft];

/**
 * If not counted: the templates of most models without a system prompt of their own, and of most with one.
 */
const TEMPLATE_TOKENS_USUAL = 32;
const TEMPLATE_TOKENS_MOST = 96;
const TEMPLATE_SHARE_MOST = 0.25;
const TEMPLATE_HITS_LEAST = 0.8;
/** Share of the prompt tokens. */
const CACHED_SHARE = 0.01;
/** A prefix cache makes the first token faster; only a response cache makes all others this much faster. */
const ANSWER_CACHE_SHARE = 0.2;
/** Requests; a smaller number may result from a clock change. */
const INSTANT_LEAST = 8;
const SPAN_LEAST = 4;
const CORRELATION_LEAST = 0.1;
/** The rank correlation of n unrelated pairs deviates by 1/√n from 0. */
const CHANCE_DEVIATIONS = 3;
/**
 * If even the fastest of the long prompts takes longer than the fastest of the short ones, a queue blurs the
 * rest.
 */
const GROWTH_LEAST = 1.1;
const SHORT_SHARE = 0.05;
const FEW_SHARE = 0.05;
/** A client or server that pauses for the duration of a short answer receives all of it at once. */
const BURST_SHARE = 0.2;
