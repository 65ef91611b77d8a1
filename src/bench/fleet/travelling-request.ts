// Encodes a benchmark's request for an agent, and decodes it there. Contents of files that the coordinator read are
// part of it or are sent before it; headers and keys are never sent, an agent adds its own.

import * as v from 'valibot';
import { ExpansionBudget } from '../../core/input/expansion-budget.ts';
import { isJsonObject, parseAnyJson } from '../../core/json.ts';
import { optionValues, standardValue } from '../../core/option/option.ts';
import { type LoadRequest, loadRequestSchema } from '../../core/run/load-request.ts';
import { type Objective, objectiveFields } from '../../core/run/objective.ts';
import { linesIn } from '../../core/text/lines-in.ts';
import { isUnknown, knownOr } from '../../core/unknown.ts';
import type { AgentRequest, AgentSurvey } from '../../wire/agent-request.ts';
import { BenchError } from '../bench-error.ts';
import { PROMPTS_MAX } from '../dataset/dataset-file.ts';
import type { PromptOptions } from '../dataset/planned-prompts.ts';
import type { Dataset, Prompt } from '../dataset/prompt.ts';
import { readRow } from '../dataset/read-row.ts';
import { WORDS_AS_TOKENS } from '../dataset/word-costs.ts';
import type { BenchRequest } from '../run/bench-request.ts';
import { RUN_OPTIONS } from '../run/run-options.ts';
import type { ServerSurvey } from '../run/survey-server.ts';
import { SERVER_APIS } from '../target/api/server-apis.ts';
import type { HeaderField } from '../target/load-target.ts';
import { parseTargetUrl } from '../target/target-url.ts';

interface TravelFacts {
  readonly prompts: PromptOptions;
  readonly runId: string;
  readonly startedAt: string;
  readonly noncePrefix: string;
  /** Sum over all agents. */
  readonly warmupRequests: number;
}

export const travellingRequest = (request: BenchRequest, facts: TravelFacts): AgentRequest => {
  const { prompts, ...ofRun } = facts;
  const { file, input, output } = prompts;
  return {
    ...loadOf(request),
    ...ofRun,
    target: request.target.shown,
    api: request.api.name,
    dataset: file && { description: file.description, prompts: file.prompts.length },
    inputTokens: input?.distribution,
    outputTokens: output?.distribution,
    prefixes: request.requests.prefixes,
    bodyFields: JSON.stringify(request.requests.fields),
    ...objectiveFields(request.objectives, request.attainment),
  };
};

/**
 * The request that the agent runs.
 * @param dataset received before, if the request refers to one
 * @throws BenchError `input` for what this version cannot run.
 */
export const arrivedRequest = (
  requested: AgentRequest,
  { headers, dataset }: { readonly headers: readonly HeaderField[]; readonly dataset: Dataset | undefined },
): BenchRequest => {
  const target = parseTargetUrl(requested.target);
  if (target.kind === 'wrong') throw input(target.problem, target.advice);
  const api = SERVER_APIS.find(({ name }) => name === requested.api);
  if (api === undefined)
    throw input(
      `this version knows no API "${requested.api}"`,
      'Use the same version of Plimsoll on all machines.',
    );
  const fields = parseAnyJson(requested.bodyFields);
  if (!isJsonObject(fields)) throw input('the fields of the body are not an object', '');
  const { inputTokens, outputTokens, prefixes, warmupRequests } = requested;
  return {
    ...optionValues(RUN_OPTIONS, standardValue),
    ...loadOf(requested),
    target: target.value,
    api,
    name: undefined,
    tags: {},
    dataset: dataset === undefined ? { kind: 'synthetic' } : { kind: 'received', dataset },
    requests: { inputTokens, outputTokens, prefixes, fields },
    warmup: warmupRequests === 0 ? { kind: 'none' } : { kind: 'requests', count: warmupRequests },
    headers,
    objectives: objectivesOf(requested),
    attainment: knownOr(requested.attainment, 1),
  };
};

/** Nothing else of it: the rest concerns one machine. @throws BenchError `input` for what no agent would accept */
const loadOf = (request: LoadRequest): LoadRequest => {
  const load = v.safeParse(v.object(loadRequestSchema.entries), request);
  if (load.success) return load.output;
  const [issue] = load.issues;
  throw input(
    `agents cannot be sent this load: ${v.getDotPath(issue) ?? 'its options'}: ${issue.message}`,
    'Change the option, or load from this machine.',
  );
};

const objectivesOf = ({ objectives, runObjectives }: AgentRequest): readonly Objective[] => [
  ...objectives.map(limit => ({ kind: 'request' as const, ...limit })),
  ...knownOr(runObjectives, []),
];

export const travellingSurvey = ({
  model,
  serverKind,
  reported,
  notices,
  costs,
  calibration,
}: ServerSurvey): AgentSurvey => ({
  model,
  serverKind,
  reported,
  notices,
  wordCosts: isUnknown(calibration) ? calibration : { ...costs, ...calibration },
});

export const arrivedSurvey = ({
  model,
  serverKind,
  wordCosts,
  reported,
  notices,
}: AgentSurvey): ServerSurvey => {
  const server = { model, serverKind, notices, reported };
  if (isUnknown(wordCosts))
    return { ...server, costs: WORDS_AS_TOKENS, calibration: wordCosts, shortestTokens: wordCosts };
  const { requests, requestedTokens, countedTokens, ...costs } = wordCosts;
  return {
    ...server,
    costs,
    calibration: { requests, requestedTokens, countedTokens },
    shortestTokens: Math.ceil(costs.shortTokens),
  };
};

/** One line for each prompt, in the format of `datasetOfLines`. */
export function* linesOfDataset({ prompts }: Dataset): Generator<Uint8Array, void, void> {
  const encoder = new TextEncoder();
  for (const { messages, maxTokens, documents } of prompts)
    yield encoder.encode(`${JSON.stringify({ messages, max_tokens: maxTokens, documents })}\n`);
}

/** @throws BenchError `input` for a line that is not a prompt. */
export const datasetOfLines = (description: string, text: string): Dataset =>
  datasetOf(description, promptsOfLines(text, 1, sentBudget()).prompts);

/** Limit for all prompts that one coordinator sends. */
export const sentBudget = (): ExpansionBudget =>
  new ExpansionBudget('dataset', ({ problem, advice }) =>
    input(`the data set that was sent: ${problem}`, advice),
  );

/** Parses whole lines, the first of which has that number. @throws as `datasetOfLines` */
export const promptsOfLines = (
  text: string,
  firstLine: number,
  budget: ExpansionBudget,
): { readonly prompts: readonly Prompt[]; readonly nextLine: number } => {
  const prompts: Prompt[] = [];
  for (const { text: line } of linesIn(text)) {
    budget.checkedJson(line);
    const row = readRow({ kind: 'json', line: firstLine + prompts.length, text: line }, 'messages');
    if (row.kind === 'wrong') throw input(row.problem, row.advice);
    if (row.value === undefined) throw input('a line of the data set that was sent asks nothing', '');
    budget.addValue(row.value);
    prompts.push(row.value);
  }
  return { prompts, nextLine: firstLine + prompts.length };
};

/** @throws BenchError `input` if there are none, or too many. */
export const datasetOf = (description: string, prompts: readonly Prompt[]): Dataset => {
  if (prompts.length > PROMPTS_MAX) throw input(`more than ${PROMPTS_MAX} prompts were sent`, '');
  if (prompts.length === 0) throw input('the data set that was sent has no prompt', '');
  return { description, prompts };
};

const input = (problem: string, advice: string): BenchError =>
  new BenchError({ code: 'input', problem, advice });
