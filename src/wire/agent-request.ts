// What an agent is requested to load with: a benchmark's request as sent by the coordinator. It contains no
// header and no key: an agent uses those in its own config for the target.

import * as v from 'valibot';
import type { CancelPolicy } from '../core/run/cancel-policy.ts';
import type { ModelMix } from '../core/run/model-mix.ts';
import type { ObjectiveFields } from '../core/run/objective.ts';
import type { ServerReported } from '../core/run/provenance.ts';
import type { RunPattern } from '../core/run/run-pattern.ts';
import { BODY_TEXT_MAX, type SharedPrefixes } from '../core/run/run-requests.ts';
import type { RunShape } from '../core/run/run-shape.ts';
import type { StopRules } from '../core/run/run-stop.ts';
import { THINK_MS_MAX, type ThinkTime } from '../core/run/think-time.ts';
import { LENGTH_MAX, type LengthDistribution } from '../core/statistics/length-distribution.ts';
import type { Reported } from '../core/unknown.ts';
import { objectiveEntries } from './objective-schema.ts';
import { serverReportedSchema } from './provenance-schema.ts';
import { runPatternSchema, runShapeSchema } from './run-shape.ts';
import { stopRulesSchema } from './run-stop-schema.ts';
import { count, figure, openObject, reported, type Schema, text } from './schema.ts';
import { modelMixSchema } from './variant-schema.ts';

/** For the whole run: the share of one agent follows from `AgentShare`. */
export interface AgentRequest extends ObjectiveFields {
  /** Id of the run that the coordinator makes. */
  readonly runId: string;
  /** ISO 8601, on the coordinator's clock. */
  readonly startedAt: string;
  /** Without credentials and query. */
  readonly target: string;
  /** Name of a server API. */
  readonly api: string;
  /** Unknown: the agent that surveys queries the server. */
  readonly model: Reported<string>;
  /** For a mix; `model` is the first of them. */
  readonly models: Reported<ModelMix>;
  readonly pattern: RunPattern;
  readonly shape: RunShape;
  /** At least one of the two is known. */
  readonly samplesMax: Reported<number>;
  readonly durationMs: Reported<number>;
  /** Over all agents; 0: no request before time zero. */
  readonly warmupRequests: number;
  readonly seed: number;
  readonly hasNonce: boolean;
  /** 8 hexadecimal digits, the same for all agents: sample numbers distinguish their requests. */
  readonly noncePrefix: string;
  readonly isStreaming: boolean;
  /** Requests that the client cancels. */
  readonly cancel: Reported<CancelPolicy>;
  readonly timeouts: {
    readonly connectMs: number;
    readonly firstByteMs: number;
    readonly idleMs: number;
    readonly totalMs: number;
  };
  /** Known if prompts arrived in earlier `dataset` messages; otherwise they are generated from the seed. */
  readonly dataset: Reported<AgentDataset>;
  readonly inputTokens: Reported<LengthDistribution>;
  readonly outputTokens: Reported<LengthDistribution>;
  readonly prefixes: Reported<SharedPrefixes>;
  /** How sessions are made of prompts; unknown: no sessions, or an agent without support for them. */
  readonly sessions: Reported<AgentSessions>;
  /** After which failures an agent ends its part; unknown: from an older coordinator without rules. */
  readonly stopRules: Reported<StopRules>;
  /** JSON of additional fields of each body. */
  readonly bodyFields: string;
}

/** Generated chats of this many turns, or the whole conversations of the data set. */
export type AgentSessions = {
  readonly turns: Reported<LengthDistribution>;
  readonly thinkTime: Reported<ThinkTime>;
  readonly answers: 'live' | 'recorded';
};

/** About a data set that was sent: a line for people, and its size. */
type AgentDataset = {
  readonly description: string;
  readonly prompts: number;
};

/** Agent `index` of `of`: it sends each arrival whose number modulo `of` is `index`. */
export interface AgentShare {
  /** From 0. */
  readonly index: number;
  readonly of: number;
}

/** What the first agent found out about the server, for all agents: prompts and bodies depend on it. */
export interface AgentSurvey {
  readonly model: string;
  readonly serverKind: Reported<string>;
  /** Unknown: not requested, or the server does not report it, and a word counts as a token. */
  readonly wordCosts: Reported<AgentWordCosts>;
  /** The server's version and settings. */
  readonly reported: Reported<readonly ServerReported[]>;
  readonly notices: readonly string[];
}

/** WordCosts of bench/dataset, with the effort to measure them. */
type AgentWordCosts = {
  readonly taskTokens: number;
  readonly shortTokens: number;
  readonly prefixTokens: number;
  readonly bundles: readonly { readonly words: readonly string[]; readonly tokens: number }[];
  readonly fillers: readonly { readonly word: string; readonly tokens: number }[];
  readonly requests: number;
  readonly requestedTokens: number;
  readonly countedTokens: number;
};

/** One coordinator at a time, and no more agents than this. Listed in docs/limits.md. */
export const AGENTS_MAX = 64;

/** Limit for a histogram file. */
const LENGTH_BINS_MAX = 100_000;

const positive: Schema<number> = v.pipe(figure, v.minValue(0));
const ms: Schema<number> = v.pipe(figure, v.minValue(0), v.maxValue(7 * 86_400_000));
const length: Schema<number> = v.pipe(count, v.maxValue(LENGTH_MAX));
const word: Schema<string> = v.pipe(v.string(), v.maxLength(64));

const lengthDistributionSchema: Schema<LengthDistribution> = v.variant('kind', [
  openObject({ kind: v.literal('fixed'), value: length }),
  openObject({ kind: v.literal('uniform'), min: length, max: length }),
  openObject({ kind: v.literal('normal'), mean: positive, deviation: positive }),
  openObject({ kind: v.literal('lognormal'), mean: positive, deviation: positive }),
  openObject({ kind: v.literal('zipf'), exponent: positive, max: length }),
  openObject({
    kind: v.literal('weighted'),
    bins: v.pipe(
      v.array(openObject({ min: length, max: length, weight: positive })),
      v.maxLength(LENGTH_BINS_MAX),
    ),
  }),
]);

export const agentShareSchema: Schema<AgentShare> = v.pipe(
  openObject({ index: count, of: v.pipe(count, v.minValue(1), v.maxValue(AGENTS_MAX)) }),
  v.check(({ index, of }) => index < of, 'an agent whose index is out of range'),
);

const thinkMs: Schema<number> = v.pipe(figure, v.minValue(0), v.maxValue(THINK_MS_MAX));

const thinkTimeSchema: Schema<ThinkTime> = v.variant('kind', [
  openObject({ kind: v.literal('fixed'), ms: thinkMs }),
  openObject({ kind: v.literal('uniform'), minMs: thinkMs, maxMs: thinkMs }),
  openObject({ kind: v.literal('exponential'), meanMs: thinkMs }),
]);

export const agentRequestSchema: Schema<AgentRequest> = openObject({
  runId: text,
  startedAt: text,
  target: text,
  api: text,
  model: reported(text),
  models: reported(modelMixSchema),
  pattern: runPatternSchema,
  shape: runShapeSchema,
  samplesMax: reported(count),
  durationMs: reported(ms),
  warmupRequests: count,
  seed: count,
  hasNonce: v.boolean(),
  noncePrefix: v.pipe(v.string(), v.regex(/^[0-9a-f]{8}$/)),
  isStreaming: v.boolean(),
  cancel: reported(openObject({ afterMs: lengthDistributionSchema, share: v.pipe(positive, v.maxValue(1)) })),
  timeouts: openObject({ connectMs: ms, firstByteMs: ms, idleMs: ms, totalMs: ms }),
  dataset: reported(openObject({ description: text, prompts: count })),
  inputTokens: reported(lengthDistributionSchema),
  outputTokens: reported(lengthDistributionSchema),
  prefixes: reported(openObject({ count, tokens: count })),
  sessions: reported(
    openObject({
      turns: reported(lengthDistributionSchema),
      thinkTime: reported(thinkTimeSchema),
      answers: v.picklist(['live', 'recorded']),
    }),
  ),
  stopRules: reported(stopRulesSchema),
  bodyFields: v.pipe(v.string(), v.maxLength(BODY_TEXT_MAX)),
  ...objectiveEntries,
});

export const agentSurveySchema: Schema<AgentSurvey> = openObject({
  model: text,
  serverKind: reported(text),
  wordCosts: reported(
    openObject({
      taskTokens: figure,
      shortTokens: figure,
      prefixTokens: figure,
      bundles: v.pipe(
        v.array(openObject({ words: v.pipe(v.array(word), v.maxLength(256)), tokens: figure })),
        v.maxLength(256),
      ),
      fillers: v.pipe(v.array(openObject({ word, tokens: figure })), v.maxLength(16)),
      requests: count,
      requestedTokens: figure,
      countedTokens: figure,
    }),
  ),
  reported: reported(serverReportedSchema),
  notices: v.pipe(v.array(text), v.maxLength(64)),
});
