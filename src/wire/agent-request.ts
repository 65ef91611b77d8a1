// What an agent is requested to load with: the load of a run, and what only its coordinator has. It contains no header and no key: an
// agent uses those in its own config for the target.

import * as v from 'valibot';
import { AGENTS_MAX } from '../core/run/live-agent.ts';
import { loadRequestSchema } from '../core/run/load-request.ts';
import { objectiveEntries } from '../core/run/objective.ts';
import { serverReportedSchema } from '../core/run/provenance.ts';
import { BODY_TEXT_MAX, prefixesSchema } from '../core/run/run-requests.ts';
import { count, figure, given, type Infer, openObject, reported, type Schema, text } from '../core/schema.ts';
import { lengthDistributionSchema } from '../core/statistics/length-distribution.ts';

/** Agent `index` of `of`: it sends each arrival whose number modulo `of` is `index`. */
export interface AgentShare {
  /** From 0. */
  readonly index: number;
  readonly of: number;
}

const word: Schema<string> = v.pipe(v.string(), v.maxLength(64));

export const agentShareSchema: Schema<AgentShare> = v.pipe(
  openObject({ index: count, of: v.pipe(count, v.minValue(1), v.maxValue(AGENTS_MAX)) }),
  v.check(({ index, of }) => index < of, 'an agent whose index is out of range'),
);

export const agentRequestSchema = openObject({
  ...loadRequestSchema.entries,
  /** Id of the run that the coordinator makes. */
  runId: text,
  /** ISO 8601, on the coordinator's clock. */
  startedAt: text,
  /** Without credentials and query. */
  target: text,
  /** Name of a server API. */
  api: text,
  /** Over all agents; 0: no request before time zero. */
  warmupRequests: count,
  /** 8 hexadecimal digits, the same for all agents: sample numbers distinguish their requests. */
  noncePrefix: v.pipe(v.string(), v.regex(/^[0-9a-f]{8}$/)),
  /** Given if prompts arrived in earlier `dataset` messages; otherwise they are generated from the seed. */
  dataset: given(openObject({ description: text, prompts: count })),
  inputTokens: given(lengthDistributionSchema),
  outputTokens: given(lengthDistributionSchema),
  prefixes: given(prefixesSchema),
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
