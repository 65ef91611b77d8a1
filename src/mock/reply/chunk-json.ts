// The JSON of streamed chunks and of whole completions, as OpenAI's API reference and vLLM write it.

import type { ReplySubject } from './reply-subject.ts';
import { STAMP_FIELD } from './stamp.ts';

export type Speech = 'content' | 'reasoning';

export interface ChunkShape {
  readonly model: string;
  readonly api: ReplySubject['api'];
  readonly isStamped: boolean;
}

/** Constant: a reply is a function of its request, and no clock is part of that. */
const CREATED = 1_767_225_600;

export const speechChunk = (shape: ChunkShape, speech: Speech, text: string): string =>
  shape.api === 'text'
    ? textChunk(shape, text, null)
    : chatChunk(shape, { [speech === 'content' ? 'content' : 'reasoning_content']: text }, null);

export const roleChunk = (shape: ChunkShape): string =>
  chatChunk({ ...shape, isStamped: false }, { role: 'assistant', content: '' }, null);

export const finishChunk = (shape: ChunkShape, reason: string): string => {
  const plain = { ...shape, isStamped: false };
  return shape.api === 'text' ? textChunk(plain, '', reason) : chatChunk(plain, {}, reason);
};

export interface ToolCallPart {
  readonly index: number;
  /** With the first part of a call. */
  readonly id: string | undefined;
  readonly argumentsText: string;
}

export const toolCallChunk = (shape: ChunkShape, { index, id, argumentsText }: ToolCallPart): string =>
  chatChunk(
    shape,
    {
      tool_calls: [
        id === undefined
          ? { index, function: { arguments: argumentsText } }
          : { index, id, type: 'function', function: { name: TOOL_NAME, arguments: argumentsText } },
      ],
    },
    null,
  );

export const usageChunk = (shape: ChunkShape, subject: ReplySubject): string =>
  `{${opening(shape)},"choices":[],"usage":${JSON.stringify(usageOf(subject))}}`;

export const usageOf = (subject: ReplySubject): object => ({
  prompt_tokens: subject.promptTokens,
  completion_tokens: subject.outputTokens,
  total_tokens: subject.promptTokens + subject.outputTokens,
  ...(subject.reasoningTokens > 0
    ? { completion_tokens_details: { reasoning_tokens: subject.reasoningTokens } }
    : {}),
});

/** An error in OpenAI's shape, as a body or as an event in a stream. */
export const errorJson = (message: string, type: string, code: number): string =>
  JSON.stringify({ error: { message, type, param: null, code } });

export interface WholeAnswer {
  readonly content: string;
  readonly reasoning: string;
  readonly toolArguments: readonly string[];
}

export const completionJson = (subject: ReplySubject, answer: WholeAnswer): string => {
  const choice =
    subject.api === 'text'
      ? { index: 0, text: answer.content, logprobs: null, finish_reason: subject.finishReason }
      : { index: 0, message: messageOf(answer), logprobs: null, finish_reason: subject.finishReason };
  const usage = subject.tellsUsage ? `,"usage":${JSON.stringify(usageOf(subject))}` : '';
  const object = subject.api === 'text' ? 'text_completion' : 'chat.completion';
  const stamp = subject.isStamped ? `,${STAMP_FIELD}` : '';
  return `{"id":"${idOf(subject.api)}","object":"${object}","created":${CREATED},"model":${JSON.stringify(subject.model)},"choices":[${JSON.stringify(choice)}]${usage}${stamp}}`;
};

export const toolCallId = (index: number): string => `call_mock_${index}`;

const messageOf = ({ content, reasoning, toolArguments }: WholeAnswer): object => ({
  role: 'assistant',
  ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
  content: toolArguments.length > 0 ? null : content,
  ...(toolArguments.length === 0
    ? {}
    : {
        tool_calls: toolArguments.map((text, index) => ({
          id: toolCallId(index),
          type: 'function',
          function: { name: TOOL_NAME, arguments: text },
        })),
      }),
});

const chatChunk = (shape: ChunkShape, delta: object, finishReason: string | null): string =>
  `{${opening(shape)},"choices":[{"index":0,"delta":${JSON.stringify(delta)},"logprobs":null,"finish_reason":${JSON.stringify(finishReason)}}]${ending(shape)}}`;

const textChunk = (shape: ChunkShape, text: string, finishReason: string | null): string =>
  `{${opening(shape)},"choices":[{"index":0,"text":${JSON.stringify(text)},"logprobs":null,"finish_reason":${JSON.stringify(finishReason)}}]${ending(shape)}}`;

const opening = ({ api, model }: ChunkShape): string =>
  `"id":"${idOf(api)}","object":"${api === 'chat' ? 'chat.completion.chunk' : 'text_completion'}","created":${CREATED},"model":${JSON.stringify(model)}`;

const ending = ({ isStamped }: ChunkShape): string => (isStamped ? `,${STAMP_FIELD}` : '');

const idOf = (api: ReplySubject['api']): string => (api === 'chat' ? 'chatcmpl-mock' : 'cmpl-mock');

const TOOL_NAME = 'load_cargo';
