// Traces of `plimsoll capture`: a line for each request of real traffic, in the order in which they ended. A block has
// a number for itself and everything before it, and a size of its own: it ends with its message. Lines contain no
// text unless it was requested.

import * as v from 'valibot';
import { type Parsed, parsed, wrong } from '../../../core/figure/parse-figure.ts';
import { isJsonObject, parseAnyJson } from '../../../core/json.ts';
import { FAILURE_KINDS, FINISH_REASONS } from '../../../core/run/outcome.ts';
import { count, type Infer, nonNegative, shortText } from '../../../core/schema.ts';
import { chained, chainStart, TRACE_TOKENS_MAX, type TraceEntry, traceTokens } from './trace.ts';

/** Version of the lines; the first field of each. */
export const CAPTURE_VERSION = 1;

const tokens = v.pipe(count, v.maxValue(TRACE_TOKENS_MAX));

const lineSchema = v.object({
  capture: v.literal(CAPTURE_VERSION),
  /** ms since the capture began, when the request arrived. */
  timestamp: v.pipe(nonNegative, v.maxValue(320_000_000_000)),
  input_length: tokens,
  output_length: tokens,
  /** Of the prompt, read from the server's cache, if it reported that. */
  cached_length: v.exactOptional(tokens),
  /** Which of the two the server did not report: it was estimated from the text. */
  estimated: v.exactOptional(v.array(v.picklist(['input', 'output']))),
  block_ids: v.array(count),
  /** Of each block. */
  block_tokens: v.array(tokens),
  /** Requests of one conversation have one number. */
  session: count,
  outcome: v.picklist(['completed', 'failed', 'cancelled']),
  failure: v.exactOptional(v.picklist(FAILURE_KINDS)),
  finish: v.exactOptional(v.picklist(FINISH_REASONS)),
  /** HTTP status; 0: no head arrived. */
  status: count,
  /** ms from the request to the first content and to the end. */
  ttft: v.exactOptional(nonNegative),
  took: nonNegative,
  /** A name of server-apis.ts. */
  api: shortText,
  streamed: v.boolean(),
  /** The request offered tools. */
  tools: v.boolean(),
  /** Requests before this line that could not be recorded. */
  lost: v.exactOptional(count),
  /** With --keep-text: the request's body and the answer. */
  request: v.exactOptional(v.unknown()),
  answer: v.exactOptional(v.string()),
});

export type CapturedLine = Infer<typeof lineSchema>;

/** undefined: the request failed, so that its answer has no length. */
export const capturedEntry = (
  text: string,
  line: number,
  counts: { lost?: number },
): Parsed<TraceEntry | undefined> => {
  const json = parseAnyJson(text);
  if (!isJsonObject(json)) return wrong('this line is not a JSON object', SHAPE);
  const { capture: version } = json;
  if (typeof version === 'number' && version > CAPTURE_VERSION)
    return wrong(
      `it was captured in version ${version} of the format, and this Plimsoll reads version ${CAPTURE_VERSION}`,
      'Use the Plimsoll that captured it, or a newer one.',
    );
  const read = v.safeParse(lineSchema, json);
  if (!read.success) {
    const [issue] = read.issues;
    return wrong(`"${v.getDotPath(issue) ?? ''}" is wrong: ${issue.message}`, SHAPE);
  }
  const row: CapturedLine = read.output;
  const { block_ids: ids, block_tokens: sizes, input_length: inputTokens } = row;
  if (ids.length !== sizes.length)
    return wrong('"block_ids" and "block_tokens" are not of the same length', SHAPE);
  if (sizes.reduce((sum, size) => sum + size, 0) > inputTokens)
    return wrong('its blocks have more tokens than its prompt', SHAPE);
  counts.lost = (counts.lost ?? 0) + (row.lost ?? 0);
  if (row.outcome === 'failed') return parsed(undefined);
  return parsed({
    line,
    key: String(row.session),
    startMs: row.timestamp,
    requests: [
      {
        atMs: 0,
        tookMs: row.took,
        after: [],
        delayMs: 0,
        inputTokens,
        outputTokens: Math.max(1, traceTokens(row.output_length) ?? 1),
        blocks: ids.map(id => chained(START, id)),
        blockTokens: CAPTURED_BLOCK_TOKENS,
        blockSizes: sizes,
        agent: 0,
      },
    ],
  });
};

const START = chainStart('capture');
/** About as many tokens as a block inside a message has. */
export const CAPTURED_BLOCK_TOKENS = 64;
const SHAPE = 'Give the folder as plimsoll capture wrote it.';
