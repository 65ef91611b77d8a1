// From the length options and the data set to the prompts that are sent, each with the length of its answer.

import { createHash } from 'node:crypto';
import { counted } from '../../core/figure/figure.ts';
import type { SessionDatasetOptions } from '../../core/run/load-request.ts';
import { lengthsText, requestedTokens } from '../../core/run/request-lengths.ts';
import {
  OUTPUT_TOKENS_DEFAULT,
  type OutputSource,
  type RequestedTokens,
  type RequestLengths,
  type SharedPrefixes,
} from '../../core/run/run-requests.ts';
import { thinkTimeText } from '../../core/run/think-time.ts';
import type { LengthDistribution } from '../../core/statistics/length-distribution.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import { chatSessions, generatedGroups, turnsOfChats } from './chat-sessions.ts';
import type { LengthFacts } from './dataset-facts.ts';
import { type DepthDatasetOptions, depthDataset } from './depth-prompts.ts';
import type { FolderImages } from './image-folder.ts';
import { type ChosenLengths, LENGTHS_DRAWN, lengthsOf } from './length-choice.ts';
import type { Message } from './message.ts';
import type { Dataset, Prompt } from './prompt.ts';
import {
  PROMPT_WORDS,
  type SizedPromptOptions,
  sizedDataset,
  syntheticDataset,
} from './synthetic-dataset.ts';
import type { Trace } from './trace/read-trace.ts';
import type { TimedTrace } from './trace/survey-trace.ts';
import type { TraceFacts } from './trace/trace-facts.ts';
import type { Prime } from './trace/trace-lanes.ts';
import { type PrimeText, primeTexts, traceSessions, traceSha256 } from './trace/trace-sessions.ts';
import type { WordCosts } from './word-costs.ts';

export interface PromptOptions {
  readonly seed: number;
  /** undefined: generated. */
  readonly file: Dataset | undefined;
  readonly input: ChosenLengths | undefined;
  readonly output: ChosenLengths | undefined;
  readonly prefixes: SharedPrefixes | undefined;
  /** undefined: single requests. */
  readonly sessions?: SessionDatasetOptions | undefined;
  /** Requests and their times, which alone determine what is sent. */
  readonly trace?: TimedTrace;
  /** The same for the conversations of agents. */
  readonly agents?: AgentTraceOptions;
  /** Sent before every request that has no system prompt of its own. */
  readonly systemPrompt?: string;
  /** --body determines the length of answers, or leaves it open. */
  readonly isOutputInBody: boolean;
  /** Documents of each generated request for a ranking; undefined: requests are prompts. */
  readonly documents?: number;
  /** Options of a depth profile, which alone determine what is sent. */
  readonly depth?: DepthDatasetOptions;
  /** Images that were read already, if prompts use a folder of them. */
  readonly images?: FolderImages;
}

/** Conversations of agents, with the pauses of their replay. */
export interface AgentTraceOptions {
  /** In the order in which they are played. */
  readonly trace: Trace;
  /** Of each conversation once. */
  readonly facts: TraceFacts;
  /** Sent before time zero; none: the warm-up shares nothing with the trace. */
  readonly primes?: readonly Prime[];
  /** Sessions before this one are played once. Default: all are repeated. */
  readonly repeatFrom?: number;
  readonly nonceOf: 'run' | 'session';
}

export interface PlannedPrompts extends Dataset {
  readonly inputTokens: Reported<RequestedTokens>;
  readonly outputTokens: Reported<RequestedTokens>;
  readonly outputSource: OutputSource;
  readonly lengths: RequestLengths;
  /** Digest of what is sent, if that is not `prompts`. */
  readonly digest?: { readonly sha256: string; readonly count: number };
  /** A trace that is replayed: `prompts` are then those of the warm-up. */
  readonly replay?: { readonly trace: TimedTrace; readonly costs: WordCosts };
  /** What the warm-up sends instead of `prompts`. */
  readonly primes?: readonly PrimeText[];
  /** Sessions before this one are played once. */
  readonly repeatFrom?: number;
}

/** undefined: the cost of words does not matter to it. */
export const sizedPromptOptions = ({
  seed,
  file,
  input,
  output,
  prefixes,
  sessions,
  trace,
  agents,
  depth,
}: PromptOptions): SizedPromptOptions | undefined => {
  const recorded = trace ?? agents;
  if (recorded !== undefined) {
    const tokens = recorded.facts.inputTokens.p50;
    const fixed: ChosenLengths = { distribution: { kind: 'fixed', value: tokens }, text: String(tokens) };
    return { seed, input: fixed, prefixes: undefined, variesOutput: false };
  }
  if (depth !== undefined) {
    const tokens = depth.plan.promptTokens;
    const fixed: ChosenLengths = { distribution: { kind: 'fixed', value: tokens }, text: String(tokens) };
    return { seed, input: fixed, prefixes: undefined, variesOutput: false };
  }
  if (file !== undefined || (input === undefined && prefixes === undefined)) return undefined;
  const variesOutput =
    sessions !== undefined || (output !== undefined && output.distribution.kind !== 'fixed');
  return { seed, input: input ?? OWN_PART, prefixes, variesOutput };
};

export const plannedPrompts = (options: PromptOptions, costs: WordCosts): PlannedPrompts => {
  const planned =
    options.agents === undefined && options.sessions !== undefined
      ? plannedChats(options, options.sessions, costs)
      : plannedRequests(options, costs);
  return options.systemPrompt === undefined ? planned : withSystemPrompt(planned, options.systemPrompt);
};

const withSystemPrompt = (planned: PlannedPrompts, text: string): PlannedPrompts => {
  const under = <T extends Pick<Prompt, 'prefix' | 'messages'>>(prompt: T): T =>
    prompt.prefix !== undefined || prompt.messages.some(({ role }) => role === 'system')
      ? prompt
      : { ...prompt, prefix: text };
  const sessions = planned.sessions?.map(session => ({
    ...session,
    turns: session.turns.map(turn => (turn.continues === undefined ? under(turn) : turn)),
  }));
  return {
    ...planned,
    description: `${planned.description}, under a system prompt of ${counted(text.length, 'character')}`,
    prompts: planned.prompts.map(under),
    ...(sessions === undefined ? {} : { sessions }),
  };
};

/** Each turn is a prompt of its own first, so that lengths are drawn as for single requests. */
const plannedChats = (
  options: PromptOptions,
  sessions: SessionDatasetOptions,
  costs: WordCosts,
): PlannedPrompts => {
  const { file, seed } = options;
  if (file?.sessions !== undefined) return plannedRequests(options, costs);
  const turns = file === undefined ? undefined : turnsOfChats(file.prompts);
  const planned = plannedRequests(
    file === undefined || turns === undefined
      ? options
      : { ...options, file: { ...file, prompts: turns.prompts } },
    costs,
  );
  const groups = turns?.groups ?? generatedGroups(planned.prompts.length, sessions.turns ?? ONE_TURN, seed);
  const chats = chatSessions(planned.prompts, groups, sessions, seed);
  const turnCount = chats.reduce((sum, chat) => sum + chat.turns.length, 0);
  const thinking =
    sessions.thinkTime === undefined
      ? ''
      : `, thinking ${thinkTimeText(sessions.thinkTime)} before each but the first`;
  return {
    ...planned,
    description: `${planned.description}, as ${counted(chats.length, 'session')} of ${counted(turnCount, 'turn')}${thinking}`,
    prompts: chats.flatMap(({ turns: [first] }) => (first === undefined ? [] : [first])),
    sessions: chats,
    inputTokens: unknown('each turn contains the history of its session'),
    lengths: { input: '', output: planned.lengths.output },
  };
};

const plannedRequests = (options: PromptOptions, costs: WordCosts): PlannedPrompts => {
  const { documents, ...others } = options;
  if (documents !== undefined) return withDocuments(plannedRequests(others, costs), documents);
  if (options.trace !== undefined)
    return {
      ...plannedReplay(options.trace, options),
      digest: { sha256: options.trace.sha256, count: options.trace.requests },
      replay: { trace: options.trace, costs },
    };
  if (options.agents !== undefined) {
    const { trace, facts, primes = [], repeatFrom, nonceOf } = options.agents;
    const { isOutputInBody, seed } = options;
    return {
      ...plannedReplay({ ...trace, facts, requests: facts.requests }, options),
      digest: { sha256: traceSha256(trace), count: facts.requests },
      sessions: traceSessions(trace, { costs, seed, isOutputInBody, nonceOf }),
      ...(primes.length === 0 ? {} : { primes: primeTexts(primes, { costs, seed }) }),
      ...(repeatFrom === undefined ? {} : { repeatFrom }),
    };
  }
  if (options.depth !== undefined) return plannedDepths(options.depth, costs, options.seed);
  const sized = sizedPromptOptions(options);
  if (sized === undefined) {
    const inputTokens =
      options.file === undefined
        ? unknown(`not requested: prompts have ${PROMPT_WORDS} words`)
        : unknown('the prompts of the data set are sent as they are');
    return { ...withAnswers(options.file ?? syntheticDataset(options.seed), options), inputTokens };
  }
  const { inputLengths: input, ...dataset } = sizedDataset(sized, costs);
  const { prefixes } = sized;
  const text = prefixes === undefined ? sized.input.text : `${prefixes.tokens} + ${sized.input.text}`;
  const answered = withAnswers(dataset, options);
  return {
    ...answered,
    inputTokens: requestedTokens(text, input),
    lengths: { ...answered.lengths, input: lengthsText(input) },
  };
};

/** Requests for rankings: the end of each prompt is a query, and the prompts after it are its documents. */
const withDocuments = (planned: PlannedPrompts, documents: number): PlannedPrompts => {
  const all = planned.prompts;
  const texts = all.map(({ messages }) => messages.map(({ content }) => String(content)).join(' '));
  const most = Math.floor(REPEATED_CHARACTERS_MAX / ((charactersOf(all) / all.length) * documents));
  return {
    ...planned,
    description: `${planned.description}, as queries with ${counted(documents, 'document')} each`,
    prompts: all.slice(0, Math.max(1, most)).map((prompt, at) => ({
      ...prompt,
      messages: prompt.messages.map(queryOf),
      documents: Array.from({ length: documents }, (_, next) => texts[(at + 1 + next) % all.length] ?? ''),
    })),
    inputTokens: unknown('each document is ranked together with its query'),
    lengths: { ...planned.lengths, input: '' },
  };
};

const queryOf = (message: Message): Message => ({
  ...message,
  content: String(message.content).split(' ').slice(-QUERY_WORDS).join(' '),
});

/** The warm-up shares nothing with the trace: a cache is to contain only what the trace itself stores there. */
const plannedReplay = (
  { facts, requests, description, file }: Pick<TimedTrace, 'facts' | 'requests' | 'description' | 'file'>,
  { isOutputInBody, seed }: PromptOptions,
): PlannedPrompts => {
  const { inputTokens, outputTokens } = facts;
  return {
    description,
    file,
    prompts: syntheticDataset(seed).prompts,
    inputTokens: requestedOfTrace(inputTokens, requests),
    outputTokens: isOutputInBody ? unknown('--body says it') : requestedOfTrace(outputTokens, requests),
    outputSource: isOutputInBody ? 'body' : 'option',
    lengths: { input: '', output: '' },
  };
};

const requestedOfTrace = ({ total, min, max }: LengthFacts, requests: number): RequestedTokens => ({
  text: 'as in the trace',
  mean: total / requests,
  min,
  max,
});

const plannedDepths = (depth: DepthDatasetOptions, costs: WordCosts, seed: number): PlannedPrompts => {
  const { description, prompts, inputLengths } = depthDataset(depth, costs, seed);
  const output = prompts.map(({ maxTokens }) => maxTokens);
  const { depths, promptTokens, outputTokens } = depth.plan;
  return {
    description,
    prompts,
    inputTokens: requestedTokens(`${depths.join(', ')} and ${promptTokens} more`, inputLengths),
    outputTokens: requestedTokens(String(outputTokens), output),
    outputSource: 'option',
    lengths: { input: lengthsText(inputLengths), output: lengthsText(output) },
  };
};

const withAnswers = (dataset: Dataset, options: PromptOptions): Omit<PlannedPrompts, 'inputTokens'> => {
  const { description, file } = dataset;
  const origin = { description, ...(file === undefined ? {} : { file }) };
  if (options.isOutputInBody) {
    const prompts = dataset.prompts.map(prompt => ({ ...prompt, maxTokens: undefined }));
    const outputTokens = unknown('--body says it');
    return { ...origin, prompts, outputTokens, outputSource: 'body', lengths: { input: '', output: '' } };
  }
  const { prompts, text, source } = limitedPrompts(dataset, options);
  const output = prompts.map(({ maxTokens }) => maxTokens);
  return {
    ...origin,
    prompts,
    outputTokens: requestedTokens(text, output),
    outputSource: source,
    lengths: { input: '', output: lengthsText(output) },
  };
};

interface LimitedPrompts {
  readonly prompts: readonly (Prompt & { readonly maxTokens: number })[];
  readonly text: string;
  readonly source: OutputSource;
}

const limitedPrompts = ({ prompts }: Dataset, { output, seed }: PromptOptions): LimitedPrompts => {
  if (output !== undefined) {
    const draw = lengthsOf(output, { seed, purpose: 'output' });
    // A short data set is repeated, so that more than a few lengths are drawn.
    const rounds = output.distribution.kind === 'fixed' ? 1 : roundsOf(prompts);
    const drawn = Array.from({ length: rounds }, () => prompts).flat();
    return {
      prompts: drawn.map(prompt => ({ ...prompt, maxTokens: draw() })),
      text: output.text,
      source: 'option',
    };
  }
  const reported = prompts.filter(({ maxTokens }) => maxTokens !== undefined).length;
  const rest = reported === prompts.length ? '' : `, else ${OUTPUT_TOKENS_DEFAULT}`;
  return {
    prompts: prompts.map(prompt => ({ ...prompt, maxTokens: prompt.maxTokens ?? OUTPUT_TOKENS_DEFAULT })),
    text: reported === 0 ? String(OUTPUT_TOKENS_DEFAULT) : `as in the data set${rest}`,
    source: reported === 0 ? 'default' : 'dataset',
  };
};

const roundsOf = (prompts: readonly Prompt[]): number => {
  const wanted = Math.ceil(LENGTHS_DRAWN / prompts.length);
  return Math.max(
    1,
    Math.min(wanted, Math.floor(REPEATED_CHARACTERS_MAX / Math.max(1, charactersOf(prompts)))),
  );
};

const charactersOf = (prompts: readonly Prompt[]): number =>
  prompts.reduce((sum, { messages }) => sum + JSON.stringify(messages).length, 0);

const ONE_TURN: LengthDistribution = { kind: 'fixed', value: 1 };

/** Default length of a request after a shared prefix. */
const OWN_PART: ChosenLengths = {
  distribution: { kind: 'fixed', value: PROMPT_WORDS },
  text: String(PROMPT_WORDS),
};
const QUERY_WORDS = 12;
const REPEATED_CHARACTERS_MAX = 33_554_432;

// Identifies the prompts that a run sends by one number: two runs with the same one send the same prompts in the same
// order.

/** SHA-256 over a line of JSON for each prompt: prefix, messages, the most tokens of its answer, its documents if it has some; hex. */
export const promptsSha256 = (prompts: readonly Prompt[]): string => {
  const hash = createHash('sha256');
  for (const { prefix, messages, maxTokens, documents } of prompts)
    hash.update(
      `${JSON.stringify([prefix ?? null, messages, maxTokens ?? null, ...(documents === undefined ? [] : [documents])])}\n`,
    );
  return hash.digest('hex');
};
