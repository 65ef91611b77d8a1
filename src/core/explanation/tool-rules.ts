// By which rules each tool computes what it prints: one row each. Read in vllm/benchmarks/serve.py and its
// endpoint_request_func.py, sglang/bench_serving.py, AIPerf 0.13's record metrics, GuideLLM 0.8's schemas; docs/formats.md.

import type { ForeignTool } from '../run/foreign-run.ts';
import type { TimeFamily } from './explained-figures.ts';
import type { MeasureKey, PercentileRule } from './measures.ts';

export type ResultTool = ForeignTool | 'plimsoll';

/** How the time is taken by which a rate is divided. */
export type WindowKey = 'completed' | 'all' | 'last-content';

interface ToolRules {
  /**
   * What its stamps are of: 'messages' that have a choice, with or without content, so that a role alone is the first, and a
   * finish reason alone the last.
   */
  readonly stamps: 'content' | 'messages';
  readonly measures: Readonly<Record<TimeFamily, MeasureKey>>;
  readonly percentiles: PercentileRule;
  readonly window: WindowKey;
  /** It prints rates over a time that it took itself, which begins before its first request. */
  readonly hasOwnClock: boolean;
  /** Who counts the tokens of a prompt: a client's tokenizer leaves out what the chat template adds. */
  readonly inputCount: 'server' | 'client';
  /** The same for an answer. */
  readonly outputCount: 'server' | 'client';
}

export const TOOL_RULES: Readonly<Record<ResultTool, ToolRules>> = {
  plimsoll: {
    stamps: 'content',
    measures: { ttft: 'firstContent', tpot: 'perLaterToken', itl: 'gaps', latency: 'toEnd' },
    percentiles: 'lower',
    window: 'completed',
    hasOwnClock: false,
    inputCount: 'server',
    outputCount: 'server',
  },
  vllm: {
    stamps: 'messages',
    measures: { ttft: 'firstContent', tpot: 'perLaterToken', itl: 'gaps', latency: 'toLastContent' },
    percentiles: 'linear',
    window: 'all',
    hasOwnClock: true,
    inputCount: 'client',
    outputCount: 'server',
  },
  sglang: {
    stamps: 'content',
    measures: { ttft: 'firstContent', tpot: 'perLaterTokenToEnd', itl: 'gaps', latency: 'toEnd' },
    percentiles: 'linear',
    window: 'all',
    hasOwnClock: true,
    inputCount: 'client',
    outputCount: 'server',
  },
  aiperf: {
    stamps: 'content',
    measures: { ttft: 'firstContent', tpot: 'perLaterToken', itl: 'perLaterToken', latency: 'toLastContent' },
    percentiles: 'linear',
    window: 'last-content',
    hasOwnClock: false,
    inputCount: 'client',
    outputCount: 'client',
  },
  guidellm: {
    stamps: 'content',
    measures: {
      ttft: 'firstContent',
      tpot: 'perTokenFromSent',
      itl: 'perLaterTokenByTokens',
      latency: 'toEnd',
    },
    percentiles: 'cumulative',
    window: 'all',
    hasOwnClock: false,
    inputCount: 'server',
    outputCount: 'server',
  },
};

export const WINDOW_TEXTS: Readonly<Record<WindowKey, string>> = {
  completed: 'the first request sent to the last end of a completed one',
  all: 'the first request sent to the last end, of failed ones too',
  'last-content': 'the first completed request sent to the last content',
};
