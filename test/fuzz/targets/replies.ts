// Replies of servers under load: HTTP/1.1, server-sent events and lines, JSON of each API, cut at any byte;
// and what a server exports for Prometheus. The first byte selects the API, the second where the reply is
// cut.

import { SERVER_APIS } from '../../../src/bench/target/api/server-apis.ts';
import { readServerFigures } from '../../../src/bench/target/server-metrics.ts';
import { inPieces, type PipedReply, pipeReply } from '../../bench/target/reply-pipe.ts';
import { events, reply, SHAPES } from '../../bench/target/reply-shapes.ts';
import { holdFinite } from '../believed.ts';
import {
  type FuzzTarget,
  firstByteChooses,
  holdEqual,
  type Reader,
  textOfInput,
  textSeeds,
} from '../fuzz-target.ts';

const OUTCOMES: readonly string[] = ['completed', 'failed'];

const equal = ({ outcome, kind, status, body, left }: PipedReply) => ({ outcome, kind, status, body, left });

const read = (input: Uint8Array, api: (typeof SERVER_APIS)[number], isStreaming: boolean): unknown => {
  const bytes = Buffer.from(input.subarray(1));
  const whole = pipeReply([bytes], { api, isStreaming });
  if (!OUTCOMES.includes(whole.outcome)) throw new Error(`the outcome is ${whole.outcome}`);
  if (whole.outcome === 'failed' && (whole.kind ?? '') === '') throw new Error('a failure without a kind');
  const pieces = pipeReply(inPieces(bytes, 1 + (input[0] ?? 0)), { api, isStreaming });
  // Of a damaged compressed body what was inflated before the damage depends on how much came at once; the sample has failed.
  const hasFailed = whole.outcome === 'failed';
  holdEqual('a reply in pieces', hasFailed ? equal(pieces) : pieces, hasFailed ? equal(whole) : whole);
  return whole.outcome;
};

/** Of each family of APIs, as events and as one object: whichever is given to an API that is another's must come to an outcome too. */
const bodiesOf = (isStreaming: boolean): readonly Buffer[] =>
  isStreaming
    ? [
        ...STREAMS.map(stream =>
          reply(
            'HTTP/1.1 200 OK\ncontent-type: text/event-stream',
            events(...stream.map(part => JSON.stringify(part))),
          ),
        ),
        ...LINES.map(lines =>
          reply(
            'HTTP/1.1 200 OK\ncontent-type: application/x-ndjson',
            lines.map(part => `${JSON.stringify(part)}\n`).join(''),
          ),
        ),
      ]
    : OBJECTS.map(object => {
        const text = JSON.stringify(object);
        return reply(`HTTP/1.1 200 OK\ncontent-type: application/json\ncontent-length: ${text.length}`, text);
      });

const USAGE = { input_tokens: 7, output_tokens: 3 };
const STREAMS: readonly (readonly object[])[] = [
  [
    { choices: [{ index: 0, text: 'a' }] },
    {
      choices: [{ index: 0, text: '', finish_reason: 'stop' }],
      usage: { prompt_tokens: 7, completion_tokens: 3 },
    },
  ],
  [
    { type: 'message_start', message: { usage: USAGE } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: USAGE },
    { type: 'message_stop' },
  ],
  [
    { type: 'response.created', response: {} },
    { type: 'response.output_text.delta', delta: 'a' },
    { type: 'response.completed', response: { status: 'completed', usage: USAGE } },
  ],
  [
    { content: 'a', stop: false },
    { content: '', stop: true, tokens_predicted: 3, tokens_evaluated: 7, stop_type: 'eos' },
  ],
  [
    { text: 'a', meta_info: { prompt_tokens: 7, completion_tokens: 1, finish_reason: null } },
    { text: 'ab', meta_info: { prompt_tokens: 7, completion_tokens: 3, finish_reason: { type: 'stop' } } },
  ],
];
const LINES: readonly (readonly object[])[] = [
  [
    { message: { role: 'assistant', content: 'a' }, done: false },
    { message: { content: '' }, done: true, done_reason: 'stop', prompt_eval_count: 7, eval_count: 3 },
  ],
  [
    { response: 'a', done: false },
    { response: '', done: true, done_reason: 'stop', prompt_eval_count: 7, eval_count: 3 },
  ],
];
const OBJECTS: readonly object[] = [
  {
    choices: [{ index: 0, text: 'a', finish_reason: 'stop' }],
    usage: { prompt_tokens: 7, completion_tokens: 3 },
  },
  { type: 'message', content: [{ type: 'text', text: 'a' }], stop_reason: 'end_turn', usage: USAGE },
  {
    object: 'response',
    status: 'completed',
    output: [{ type: 'message', content: [{ type: 'output_text', text: 'a' }] }],
    usage: USAGE,
  },
  { data: [{ embedding: [0.5] }], usage: { prompt_tokens: 7 } },
  { content: 'a', stop: true, tokens_predicted: 3, tokens_evaluated: 7 },
  { text: 'a', meta_info: { prompt_tokens: 7, completion_tokens: 3, finish_reason: { type: 'stop' } } },
];

const SEEDS = SHAPES.filter(({ bytes }) => bytes.length < 1_500);

const readers: readonly Reader[] = [true, false].flatMap(isStreaming =>
  SERVER_APIS.map(api => ({
    seeds: (api === SERVER_APIS[0]
      ? SEEDS.filter(shape => shape.isStreaming === isStreaming).map(({ bytes }) => bytes)
      : bodiesOf(isStreaming)
    ).map(bytes => Buffer.concat([Buffer.of(7), bytes])),
    run: (input: Uint8Array) => read(input, api, isStreaming),
  })),
);

export const target: FuzzTarget = {
  name: 'replies',
  covers: [
    'src/bench/target/http1/head-reader.ts',
    'src/bench/target/http1/response-framer.ts',
    'src/bench/target/sse',
    'src/bench/target/lines',
    'src/bench/target/reply-reader.ts',
    'src/bench/target/content-decoder.ts',
    'src/bench/target/api',
    'src/bench/target/server-metrics.ts',
  ],
  ...firstByteChooses([
    ...readers,
    {
      seeds: textSeeds(
        '# HELP x\nvllm:num_requests_running{model_name="a",engine="0"} 3.0\nvllm:num_requests_waiting{} 1\nllamacpp:requests_deferred 2\nsglang:num_running_reqs{x="\\"}"} 1e3\n',
        '"vllm:num_requests_running 1\\n"',
      ),
      run: input => holdFinite(readServerFigures(textOfInput(input))),
    },
  ]),
};
