// Traces of agents (callanjfox/agentic-coding-analysis, docs/TRACE_FORMAT.md; Weka's, AgentX): one object for each
// conversation, with the block ids of each request and the subagents that it started. Ids are full blocks, chained,
// and valid within their conversation only; all conversations share the blocks of tools and system prompt at the
// beginning.

import { maximumOf } from '../../../core/extremes.ts';
import { type Parsed, parsed, wrong } from '../../../core/figure/parse-figure.ts';
import { isJsonObject, type JsonObject } from '../../../core/json.ts';
import { isBlockId } from './mooncake-trace.ts';
import {
  chained,
  chainStart,
  TRACE_TOKENS_MAX,
  type TraceEntry,
  type TraceRequest,
  traceTokens,
} from './trace.ts';

export const agenticEntry = (text: string, line: number): Parsed<TraceEntry> => {
  let row: unknown;
  try {
    row = JSON.parse(text);
  } catch {
    return wrong('this conversation is not JSON', SHAPE);
  }
  if (!isJsonObject(row)) return wrong('this is not a JSON object', SHAPE);
  const { id, block_size: blockTokens = BLOCK_TOKENS } = row;
  if (
    typeof blockTokens !== 'number' ||
    !Number.isSafeInteger(blockTokens) ||
    blockTokens < 1 ||
    blockTokens > TRACE_TOKENS_MAX
  )
    return wrong('"block_size" is not a whole number of tokens', SHAPE);
  const requests: TraceRequest[] = [];
  const key = typeof id === 'string' && id !== '' ? id : `line ${line}`;
  const problem = readAgent(row, {
    key,
    agents: { most: 0 },
    blockTokens,
    requests,
    spawnedMs: 0,
    agent: 0,
    depth: 0,
    startsAfter: [],
  });
  if (problem.kind === 'wrong') return problem;
  if (requests.length === 0) return wrong('"requests" has no request', SHAPE);
  return parsed({ line, key, startMs: undefined, requests });
};

interface AgentReading {
  /** For the whole entry: the highest number of an agent that made a request. */
  readonly agents: { most: number };
  /** Prefix of the agent's own blocks. */
  readonly key: string;
  readonly blockTokens: number;
  /** Requests of the whole entry; new ones are appended. */
  readonly requests: TraceRequest[];
  /** ms since the conversation's start. */
  readonly spawnedMs: number;
  readonly agent: number;
  readonly depth: number;
  /** The requests that its first request waits for. */
  readonly startsAfter: readonly number[];
}

/** @returns the last request of the agent itself, if it made one. */
const readAgent = (object: JsonObject, reading: AgentReading): Parsed<number | undefined> => {
  const { requests: rows, tool_tokens: tools = 0, system_tokens: system = 0 } = object;
  if (!Array.isArray(rows)) return wrong('"requests" is not a list', SHAPE);
  const warmTokens = [tools, system].map(traceTokens);
  const [toolTokens, systemTokens] = warmTokens;
  if (toolTokens === undefined || systemTokens === undefined)
    return wrong('"tool_tokens" or "system_tokens" is not a whole number', SHAPE);
  const chains = new AgentChains({ ...reading, toolTokens, systemTokens });
  let last: number | undefined;
  let waited: readonly number[] = reading.startsAfter;
  let running: { readonly last: number; readonly endMs: number }[] = [];
  for (const [index, row] of rows.entries()) {
    const at = `request ${index + 1}`;
    if (!isJsonObject(row)) return wrong(`${at} is not a JSON object`, SHAPE);
    const seconds = row['t'];
    if (typeof seconds !== 'number' || !(seconds >= 0 && seconds <= TIME_SECONDS_MAX))
      return wrong(`"t" of ${at} is not a time in seconds`, SHAPE);
    const atMs = reading.spawnedMs + seconds * 1_000;
    if (row['type'] === 'subagent') {
      const sub = readSubagent(
        row,
        { ...reading, spawnedMs: atMs, startsAfter: last === undefined ? waited : [last] },
        at,
      );
      if (sub.kind === 'wrong') return sub;
      if (sub.value !== undefined) running.push(sub.value);
      if (running.length > SUBAGENTS_MAX)
        return wrong(`at ${at} more than ${SUBAGENTS_MAX} subagents are under way`, SHAPE);
      continue;
    }
    const request = readRequest(row, { at, atMs, chains, reading });
    if (request.kind === 'wrong') return request;
    // The agent continued when these subagents were over: it waited for them.
    const over = running.filter(({ endMs }) => endMs <= atMs);
    if (over.length > 0) running = running.filter(({ endMs }) => endMs > atMs);
    const after = [
      ...new Set([...(last === undefined ? waited : [last]), ...over.map(sub => sub.last)]),
    ].toSorted((a, b) => a - b);
    waited = [];
    last = reading.requests.length;
    reading.agents.most = Math.max(reading.agents.most, reading.agent);
    reading.requests.push({
      ...request.value,
      after,
      delayMs: delayOf(atMs, after, row, reading.requests, over.length),
    });
  }
  return parsed(last);
};

const readSubagent = (
  row: JsonObject,
  reading: AgentReading,
  at: string,
): Parsed<{ readonly last: number; readonly endMs: number } | undefined> => {
  if (reading.depth === DEPTH_MAX) return wrong(`${at} is a subagent ${DEPTH_MAX} levels down`, SHAPE);
  const { requests } = reading;
  const agent = Math.max(reading.agents.most, reading.agent) + 1;
  const name = typeof row['agent_id'] === 'string' ? row['agent_id'] : String(agent);
  const read = readAgent(row, {
    ...reading,
    agent,
    depth: reading.depth + 1,
    key: `${reading.key}/${agent}/${name}`,
  });
  if (read.kind === 'wrong') return wrong(`${read.problem} (subagent of ${at})`, read.advice);
  const last = read.value;
  if (last === undefined) return parsed(undefined);
  const { duration_ms: reported } = row;
  const endMs =
    typeof reported === 'number' && reported >= 0 ? reading.spawnedMs + reported : endOf(requests[last]);
  return parsed({ last, endMs });
};

/** Without its dependencies. */
const readRequest = (
  row: JsonObject,
  {
    at,
    atMs,
    chains,
    reading,
  }: {
    readonly at: string;
    readonly atMs: number;
    readonly chains: AgentChains;
    readonly reading: AgentReading;
  },
): Parsed<Omit<TraceRequest, 'after' | 'delayMs'>> => {
  const { in: input, out: output, hash_ids: ids = [], api_time: took } = row;
  const [inputTokens, outputTokens] = [traceTokens(input), traceTokens(output)];
  if (inputTokens === undefined) return wrong(`"in" of ${at} is not a whole number of tokens`, SHAPE);
  if (outputTokens === undefined) return wrong(`"out" of ${at} is not a whole number of tokens`, SHAPE);
  if (!Array.isArray(ids) || !ids.every(isBlockId))
    return wrong(`"hash_ids" of ${at} is not a list of whole numbers`, SHAPE);
  const { blockTokens, agent } = reading;
  return parsed({
    atMs,
    tookMs: typeof took === 'number' && took >= 0 && took <= TIME_SECONDS_MAX ? took * 1_000 : 0,
    // Blocks were counted with another tokenizer than prompts: blocks beyond the prompt are dropped.
    ...chains.of(ids.slice(0, Math.floor(inputTokens / blockTokens))),
    blockTokens,
    inputTokens,
    outputTokens: Math.max(1, outputTokens),
    agent,
  });
};

/** The agent's own pause: as recorded, else the time between the recorded end and the recorded start. */
const delayOf = (
  atMs: number,
  after: readonly number[],
  row: JsonObject,
  requests: readonly TraceRequest[],
  subagents: number,
): number => {
  const reported = row['think_time'];
  if (subagents === 0 && typeof reported === 'number' && reported >= 0 && reported <= TIME_SECONDS_MAX)
    return reported * 1_000;
  const ends = after.map(index => endOf(requests[index]));
  return Math.max(0, atMs - maximumOf([0, ...ends]));
};

const endOf = (request: TraceRequest | undefined): number =>
  request === undefined ? 0 : request.atMs + request.tookMs;

/** The chains of one agent: those of tools and system prompt start equally in every conversation that has as many. */
class AgentChains {
  readonly #warm: number;
  readonly #common: number;
  readonly #own: number;
  #first: readonly number[] | undefined;

  constructor({
    key,
    blockTokens,
    toolTokens,
    systemTokens,
  }: {
    readonly key: string;
    readonly blockTokens: number;
    readonly toolTokens: number;
    readonly systemTokens: number;
  }) {
    this.#warm = Math.floor((toolTokens + systemTokens) / blockTokens);
    this.#common = chainStart(`tools ${toolTokens}, system ${systemTokens}, blocks of ${blockTokens}`);
    this.#own = chainStart(key);
  }

  of(ids: readonly number[]): Required<Pick<TraceRequest, 'blocks' | 'commonBlocks'>> {
    const first = this.#first ?? ids;
    this.#first = first;
    let chain = this.#common;
    let commonBlocks = 0;
    const blocks = ids.map((id, index) => {
      const isCommon = commonBlocks === index && index < this.#warm && id === first[index];
      if (!isCommon && commonBlocks === index) chain = chained(chain, this.#own);
      if (isCommon) commonBlocks += 1;
      chain = chained(chain, isCommon ? index : id);
      return chain;
    });
    return { blocks, commonBlocks };
  }
}

const BLOCK_TOKENS = 64;
/** Nesting of subagents. */
const DEPTH_MAX = 8;
/** Limit at one level. */
const SUBAGENTS_MAX = 1_000;
/** Ten years. */
const TIME_SECONDS_MAX = 320_000_000;
const SHAPE =
  'A conversation is {"id": "…", "block_size": 64, "requests": [{"t": 0, "type": "s", "in": 19105, "out": 297, "hash_ids": [1, 2]}]}.';
