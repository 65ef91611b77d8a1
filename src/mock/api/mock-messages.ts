// Anthropic's messages, by its reference of streaming: blocks that begin, grow and end; usage at the start and at the end, and a
// prompt's tokens without those that came from a cache.

import type { ChunkShape, MockApi, TokenCounts, WholeAnswer } from './mock-api.ts';
import { TOOL_NAME, textOfMessages } from './mock-chat.ts';
import { stampedJson } from './openai-json.ts';

export const mockMessages: MockApi = {
  path: '/v1/messages',
  framing: 'events',
  namesEvents: true,
  placed: 'first',
  done: '{"type":"message_stop"}',
  plain: body => ({ ...body, stream_options: { include_usage: true } }),
  promptText: ({ system, messages }) => {
    const text = textOfMessages(messages);
    return text === undefined || typeof system !== 'string' ? text : `${system}\n${text}`;
  },
  messageCount: ({ messages }) => (Array.isArray(messages) ? messages.length : 0),
  noPrompt: 'messages must be a list of messages',
  messages: {
    toolCall: (shape, { index, isFirst, isBehindThought, argumentsText }) => {
      const at = index + (isBehindThought ? 1 : 0);
      const block = { type: 'tool_use', id: `toolu_mock_${index}`, name: TOOL_NAME, input: {} };
      const delta = { type: 'input_json_delta', partial_json: argumentsText };
      return [...(isFirst ? begunBlock(at, block) : []), deltaJson(shape, at, delta)];
    },
  },
  opening: ({ model }, counts) => [
    JSON.stringify({
      type: 'message_start',
      message: { ...messageOf(model), content: [], stop_reason: null, ...usageJson(counts, 1) },
    }),
    JSON.stringify({ type: 'ping' }),
  ],
  speech: (shape, speech, text, { isFirst, isSecond }) => {
    const at = isSecond ? 1 : 0;
    const [block, delta] =
      speech === 'reasoning'
        ? [
            { type: 'thinking', thinking: '', signature: '' },
            { type: 'thinking_delta', thinking: text },
          ]
        : [
            { type: 'text', text: '' },
            { type: 'text_delta', text },
          ];
    return [...(isFirst ? begunBlock(at, block) : []), deltaJson(shape, at, delta)];
  },
  closing: (_, { finishReason, usage, parts }) => [
    ...(parts === 0 ? [] : [JSON.stringify({ type: 'content_block_stop', index: parts - 1 })]),
    JSON.stringify({
      type: 'message_delta',
      delta: { stop_reason: stopReason(finishReason), stop_sequence: null },
      ...(usage === undefined ? {} : { usage: { output_tokens: usage.outputTokens } }),
    }),
  ],
  whole: (shape, answer) =>
    stampedJson(
      {
        ...messageOf(shape.model),
        content: blocksOf(answer),
        stop_reason: stopReason(answer.finishReason),
        ...usageJson(answer.usage, answer.usage?.outputTokens ?? 0),
      },
      shape,
    ),
};

/** The one before it ends first. */
const begunBlock = (index: number, content_block: object): readonly string[] => [
  ...(index === 0 ? [] : [JSON.stringify({ type: 'content_block_stop', index: index - 1 })]),
  JSON.stringify({ type: 'content_block_start', index, content_block }),
];

const deltaJson = (shape: ChunkShape, index: number, delta: object): string =>
  stampedJson({ type: 'content_block_delta', index, delta }, shape);

const messageOf = (model: string): object => ({
  id: 'msg_mock',
  type: 'message',
  role: 'assistant',
  model,
  stop_sequence: null,
});

const blocksOf = ({ reasoning, content, toolArguments }: WholeAnswer): readonly object[] => [
  ...(reasoning === '' ? [] : [{ type: 'thinking', thinking: reasoning, signature: '' }]),
  ...(content === '' ? [] : [{ type: 'text', text: content }]),
  ...toolArguments.map((text, index) => ({
    type: 'tool_use',
    id: `toolu_mock_${index}`,
    name: TOOL_NAME,
    input: JSON.parse(text),
  })),
];

const usageJson = (counts: TokenCounts | undefined, outputTokens: number): object =>
  counts === undefined
    ? {}
    : {
        usage: {
          input_tokens: counts.promptTokens - counts.cachedTokens,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: counts.cachedTokens,
          output_tokens: outputTokens,
        },
      };

const stopReason = (finishReason: string): string => STOP_REASONS.get(finishReason) ?? finishReason;

const STOP_REASONS: ReadonlyMap<string, string> = new Map([
  ['stop', 'end_turn'],
  ['length', 'max_tokens'],
  ['tool_calls', 'tool_use'],
  ['content_filter', 'refusal'],
]);
