// Mooncake's traces (kvcache-ai/Mooncake): one line for each request, {"timestamp": ms, "input_length": …,
// "output_length": …, "hash_ids": […]}. An id identifies a block of 512 tokens together with all blocks before it;
// the last one may be a partial block.

import { counted } from '../../../core/figure/figure.ts';
import { type Parsed, parsed, wrong } from '../../../core/figure/parse-figure.ts';
import { isJsonObject } from '../../../core/json.ts';
import { chained, chainStart, type TraceEntry, traceTokens } from './trace.ts';

export const mooncakeEntry = (text: string, line: number): Parsed<TraceEntry> => {
  let row: unknown;
  try {
    row = JSON.parse(text);
  } catch {
    return wrong('this line is not JSON', SHAPE);
  }
  if (!isJsonObject(row)) return wrong('this line is not a JSON object', SHAPE);
  const { timestamp, input_length: input, output_length: output, hash_ids: ids = [] } = row;
  if (typeof timestamp !== 'number' || !(timestamp >= 0 && timestamp <= TIME_MS_MAX))
    return wrong('"timestamp" is not a time in milliseconds', SHAPE);
  const [inputTokens, outputTokens] = [traceTokens(input), traceTokens(output)];
  if (inputTokens === undefined) return wrong('"input_length" is not a whole number of tokens', SHAPE);
  if (outputTokens === undefined) return wrong('"output_length" is not a whole number of tokens', SHAPE);
  if (!Array.isArray(ids) || !ids.every(isBlockId))
    return wrong('"hash_ids" is not a list of whole numbers', SHAPE);
  if (ids.length > Math.ceil(inputTokens / BLOCK_TOKENS))
    return wrong(
      `it has ${counted(ids.length, 'block')} of ${BLOCK_TOKENS} tokens, and ${counted(inputTokens, 'token')} in all`,
      SHAPE,
    );
  return parsed({
    line,
    unused: CONVERSATION_FIELDS.filter(name => Object.hasOwn(row, name)),
    key: undefined,
    startMs: timestamp,
    requests: [
      {
        atMs: 0,
        tookMs: 0,
        after: [],
        delayMs: 0,
        inputTokens,
        outputTokens: Math.max(1, outputTokens),
        blocks: fullBlocks(ids, inputTokens),
        blockTokens: BLOCK_TOKENS,
        agent: 0,
      },
    ],
  });
};

/** A partial block is no other request's prefix: it becomes part of the request's own text. */
const fullBlocks = (ids: readonly number[], inputTokens: number): readonly number[] => {
  let chain = START;
  return ids.slice(0, Math.floor(inputTokens / BLOCK_TOKENS)).map(id => {
    chain = chained(chain, id);
    return chain;
  });
};

export const isBlockId = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

/**
 * Fields of traces with conversations: each request is replayed at its recorded time, independent of earlier ones.
 */
const CONVERSATION_FIELDS = ['session_id', 'delay'] as const;
const START = chainStart('mooncake');
const BLOCK_TOKENS = 512;
/** Ten years. */
const TIME_MS_MAX = 320_000_000_000;
const SHAPE =
  'A line is {"timestamp": 27482, "input_length": 6955, "output_length": 52, "hash_ids": [46, 47, 48]}.';
