// OpenAI's responses, by its reference of streaming events: reasoning, text and calls are items, a text is a part of
// one, and the last event has the whole response.

import { isJsonObject } from '../../core/json.ts';
import type { ChunkShape, ClosedAnswer, MockApi, TokenCounts, WholeAnswer } from './mock-api.ts';
import { TOOL_NAME, textOfMessages } from './mock-chat.ts';
import { CREATED, stampedJson } from './openai-json.ts';

export const mockResponses: MockApi = {
  path: '/v1/responses',
  framing: 'events',
  namesEvents: true,
  placed: 'first',
  done: undefined,
  plain: body => ({
    ...body,
    max_tokens: body['max_output_tokens'],
    stream_options: { include_usage: true },
  }),
  promptText: ({ input }) => (typeof input === 'string' ? `${input}\n` : textOfMessages(input)),
  messageCount: ({ input }) => (Array.isArray(input) ? input.filter(isJsonObject).length : 1),
  previousId: ({ previous_response_id: id }) => (typeof id === 'string' ? id : undefined),
  isKept: ({ store }) => store !== false,
  noPrompt: 'input must be a text or a list of items',
  messages: {
    toolCall: (shape, { index, isFirst, isBehindThought, argumentsText }) => {
      const output_index = index + (isBehindThought ? 1 : 0);
      const item = { id: `fc_mock_${index}`, type: 'function_call', call_id: `call_mock_${index}` };
      const added = {
        type: 'response.output_item.added',
        output_index,
        item: { ...item, status: 'in_progress', name: TOOL_NAME, arguments: '' },
      };
      const delta = {
        type: 'response.function_call_arguments.delta',
        item_id: item.id,
        output_index,
        delta: argumentsText,
      };
      return [...(isFirst ? [JSON.stringify(added)] : []), stampedJson(delta, shape)];
    },
  },
  opening: shape =>
    ['response.created', 'response.in_progress'].map(type =>
      JSON.stringify({ type, response: responseOf(shape, { status: 'in_progress', output: [] }) }),
    ),
  speech: (shape, speech, text, { isFirst, isSecond }) => {
    const isThought = speech === 'reasoning';
    const output_index = isSecond ? 1 : 0;
    const item_id = isThought ? 'rs_mock' : 'msg_mock';
    const part = { type: isThought ? 'reasoning_text' : 'output_text', text: '' };
    const begun = [
      ...(isSecond
        ? [{ type: 'response.output_item.done', output_index: 0, item: { id: 'rs_mock', type: 'reasoning' } }]
        : []),
      {
        type: 'response.output_item.added',
        output_index,
        item: isThought
          ? { id: item_id, type: 'reasoning', summary: [], content: [] }
          : { id: item_id, type: 'message', status: 'in_progress', role: 'assistant', content: [] },
      },
      { type: 'response.content_part.added', item_id, output_index, content_index: 0, part },
    ];
    const type = isThought ? 'response.reasoning_text.delta' : 'response.output_text.delta';
    const delta = { type, item_id, output_index, content_index: 0, delta: text };
    return [...(isFirst ? begun.map(event => JSON.stringify(event)) : []), stampedJson(delta, shape)];
  },
  closing: (shape, { finishReason, usage, last, parts, content }) => {
    const output_index = Math.max(0, parts - 1);
    const ended =
      last === 'content'
        ? [
            {
              type: 'response.output_text.done',
              item_id: 'msg_mock',
              output_index,
              content_index: 0,
              text: content,
            },
            { type: 'response.output_item.done', output_index, item: messageItem(content) },
          ]
        : [];
    const isCut = finishReason === 'length';
    const response = responseOf(shape, {
      status: isCut ? 'incomplete' : 'completed',
      output: outputAtEnd({ last, content }),
      ...(isCut ? { incomplete_details: { reason: 'max_output_tokens' } } : {}),
      ...(usage === undefined ? {} : { usage: usageOf(usage) }),
    });
    const type = isCut ? 'response.incomplete' : 'response.completed';
    return [...ended, { type, response }].map(event => JSON.stringify(event));
  },
  whole: (shape, answer) => {
    const isCut = answer.finishReason === 'length';
    return stampedJson(
      responseOf(shape, {
        status: isCut ? 'incomplete' : 'completed',
        output: outputOf(answer),
        ...(isCut ? { incomplete_details: { reason: 'max_output_tokens' } } : {}),
        ...(answer.usage === undefined ? {} : { usage: usageOf(answer.usage) }),
      }),
      shape,
    );
  },
};

const responseOf = ({ model, id = 'resp_mock' }: ChunkShape, more: object): object => ({
  id,
  object: 'response',
  created_at: CREATED,
  error: null,
  incomplete_details: null,
  model,
  usage: null,
  ...more,
});

const messageItem = (text: string): object => ({
  id: 'msg_mock',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', annotations: [], text }],
});

const callItem = (argumentsText: string, index: number): object => ({
  id: `fc_mock_${index}`,
  type: 'function_call',
  status: 'completed',
  call_id: `call_mock_${index}`,
  name: TOOL_NAME,
  arguments: argumentsText,
});

/** The stream contained the arguments; here it only states that there were calls. */
const outputAtEnd = ({ last, content }: Pick<ClosedAnswer, 'last' | 'content'>): readonly object[] => {
  if (last === 'call') return [callItem('', 0)];
  return content === '' ? [] : [messageItem(content)];
};

const outputOf = ({ reasoning, content, toolArguments }: WholeAnswer): readonly object[] => [
  ...(reasoning === ''
    ? []
    : [
        {
          id: 'rs_mock',
          type: 'reasoning',
          summary: [],
          content: [{ type: 'reasoning_text', text: reasoning }],
        },
      ]),
  ...(content === '' ? [] : [messageItem(content)]),
  ...toolArguments.map(callItem),
];

const usageOf = (counts: TokenCounts): object => ({
  input_tokens: counts.promptTokens,
  input_tokens_details: { cached_tokens: counts.cachedTokens },
  output_tokens: counts.outputTokens,
  output_tokens_details: { reasoning_tokens: counts.reasoningTokens },
  total_tokens: counts.promptTokens + counts.outputTokens,
});
