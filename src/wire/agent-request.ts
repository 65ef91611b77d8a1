// What an agent is requested to load with: a benchmark's request as sent by the coordinator. It contains no
// header and no key: an agent uses those in its own config for the target.

import * as v from 'valibot';
import { AGENTS_MAX } from '../core/run/live-agent.ts';
import { modelMixSchema } from '../core/run/model-mix.ts';
import { objectiveEntries } from '../core/run/objective.ts';
import { serverReportedSchema } from '../core/run/provenance.ts';
import { runPatternSchema } from '../core/run/run-pattern.ts';
import { BODY_TEXT_MAX } from '../core/run/run-requests.ts';
import { runShapeSchema } from '../core/run/run-shape.ts';
import { stopRulesSchema } from '../core/run/run-stop.ts';
import { type ThinkTime, thinkTimeSchema } from '../core/run/think-time.ts';
import {
  count,
  figure,
  type Infer,
  nonNegative,
  openObject,
  reported,
  type Schema,
  text,
} from '../core/schema.ts';
import { type LengthDistribution, lengthDistributionSchema } from '../core/statistics/length-distribution.ts';
import type { Reported } from '../core/unknown.ts';

/** Generated chats of this many turns, or the whole conversations of the data set. */
export type AgentSessions = {
  readonly turns: Reported<LengthDistribution>;
  readonly thinkTime: Reported<ThinkTime>;
  readonly answers: 'live' | 'recorded';
};

/** Agent `index` of `of`: it sends each arrival whose number modulo `of` is `index`. */
export interface AgentShare {
  /** From 0. */
  readonly index: number;
  readonly of: number;
}

const ms: Schema<number> = v.pipe(figure, v.minValue(0), v.maxValue(7 * 86_400_000));

const word: Schema<string> = v.pipe(v.string(), v.maxLength(64));

export const agentShareSchema: Schema<AgentShare> = v.pipe(
  openObject({ index: count, of: v.pipe(count, v.minValue(1), v.maxValue(AGENTS_MAX)) }),
  v.check(({ index, of }) => index < of, 'an agent whose index is out of range'),
);

export const agentRequestSchema = openObject({
  /** Id of the run that the coordinator makes. */
  runId: text,
  /** ISO 8601, on the coordinator's clock. */
  startedAt: text,
  /** Without credentials and query. */
  target: text,
  /** Name of a server API. */
  api: text,
  /** Unknown: the agent that surveys queries the server. */
  model: reported(text),
  /** For a mix; `model` is the first of them. */
  models: reported(modelMixSchema),
  pattern: runPatternSchema,
  shape: runShapeSchema,
  /** At least one of the two is known. */
  samplesMax: reported(count),
  durationMs: reported(ms),
  /** Over all agents; 0: no request before time zero. */
  warmupRequests: count,
  seed: count,
  hasNonce: v.boolean(),
  /** 8 hexadecimal digits, the same for all agents: sample numbers distinguish their requests. */
  noncePrefix: v.pipe(v.string(), v.regex(/^[0-9a-f]{8}$/)),
  isStreaming: v.boolean(),
  /** Requests that the client cancels. */
  cancel: reported(
    openObject({ afterMs: lengthDistributionSchema, share: v.pipe(nonNegative, v.maxValue(1)) }),
  ),
  timeouts: openObject({ connectMs: ms, firstByteMs: ms, idleMs: ms, totalMs: ms }),
  /** Known if prompts arrived in earlier `dataset` messages; otherwise they are generated from the seed. */
  dataset: reported(openObject({ description: text, prompts: count })),
  inputTokens: reported(lengthDistributionSchema),
  outputTokens: reported(lengthDistributionSchema),
  prefixes: reported(openObject({ count, tokens: count })),
  /** How sessions are made of prompts; unknown: no sessions, or an agent without support for them. */
  sessions: reported(
    openObject({
      turns: reported(lengthDistributionSchema),
      thinkTime: reported(thinkTimeSchema),
      answers: v.picklist(['live', 'recorded']),
    }),
  ),
  /** After which failures an agent ends its part; unknown: from an older coordinator without rules. */
  stopRules: reported(stopRulesSchema),
  /** JSON of additional fields of each body. */
  bodyFields: v.pipe(v.string(), v.maxLength(BODY_TEXT_MAX)),
  ...objectiveEntries,
});

/** For the whole run: the share of one agent follows from `AgentShare`. */
export type AgentRequest = Infer<typeof agentRequestSchema>;

export const agentSurveySchema = openObject({
  model: text,
  serverKind: reported(text),
  /** Unknown: not requested, or the server does not report it, and a word counts as a token. */
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
  /** The server's version and settings. */
  reported: reported(serverReportedSchema),
  notices: v.pipe(v.array(text), v.maxLength(64)),
});

/** What the first agent found out about the server, for all agents: prompts and bodies depend on it. */
export type AgentSurvey = Infer<typeof agentSurveySchema>;
