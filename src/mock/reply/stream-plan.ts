// A stream as a list of events with their times, before HTTP: sent by healthy replies and corrupted by failures.

import { pushAll } from '../../core/push-all.ts';
import type { ClosedAnswer } from '../api/mock-api.ts';
import type { MockSettings } from '../mock-settings.ts';
import type { EventFactory, StreamEvent } from './event-factory.ts';
import { BOM } from './framing.ts';
import { draw, type ReplySubject } from './reply-subject.ts';
import { wordsFrom } from './vocabulary.ts';

export interface StreamPlan {
  /** Before the content. */
  readonly opening: readonly StreamEvent[];
  readonly content: readonly StreamEvent[];
  /** Ms after the reply started, of each content event. */
  readonly atMs: Float64Array;
  /** Finish reason, usage, [DONE]: sent with the last content. */
  readonly closing: readonly StreamEvent[];
}

export const streamPlan = (
  subject: ReplySubject,
  events: EventFactory,
  settings: MockSettings,
): StreamPlan => {
  const content = [...speechOf(subject, events, settings), ...toolCallsOf(subject, events, settings)];
  return {
    opening: [
      ...(settings.hasBom ? [events.raw(BOM)] : []),
      ...(settings.hasRoleDelta ? events.role() : []),
      ...events.opening(subject.reportsUsage ? subject : undefined, subject.id),
    ],
    content,
    atMs: timesOf(content.length, subject, settings),
    closing: [
      ...events.closing(closedAnswer(subject), subject.id),
      ...(settings.hasDone ? events.done() : []),
    ],
  };
};

export const closedAnswer = (subject: ReplySubject): ClosedAnswer => {
  const { toolCalls, reasoningTokens, outputTokens, firstWord, finishReason, reportsUsage } = subject;
  const used = toolCalls > 0 ? 0 : outputTokens - reasoningTokens;
  return {
    finishReason,
    usage: reportsUsage ? subject : undefined,
    last: toolCalls > 0 ? 'call' : used > 0 ? 'content' : reasoningTokens > 0 ? 'reasoning' : 'nothing',
    parts: toolCalls + (used > 0 ? 1 : 0) + (reasoningTokens > 0 ? 1 : 0),
    content: wordsFrom(firstWord + reasoningTokens, used),
  };
};

/** When the n-th content event is written. Jitter changes each wait independently, so it adds up like a random walk. */
export const timesOf = (
  count: number,
  {
    hash,
    promptTokens,
    cachedPromptTokens,
    isCached,
  }: Pick<ReplySubject, 'hash' | 'promptTokens' | 'cachedPromptTokens' | 'isCached'>,
  settings: MockSettings,
): Float64Array => {
  const { gapMs, jitter, prefillTokensPerSecond, contextGapMs } = settings;
  if (isCached) return new Float64Array(count);
  const prefillMs =
    prefillTokensPerSecond === 0 ? 0 : ((promptTokens - cachedPromptTokens) * 1_000) / prefillTokensPerSecond;
  const ttftMs = settings.ttftMs + prefillMs;
  if (jitter === 0 && contextGapMs === 0) return evenTimes(count, ttftMs, gapMs);
  const gapOf = (index: number): number =>
    gapMs + (contextGapMs * (promptTokens + index * settings.tokensPerChunk)) / 1_000;
  const times = new Float64Array(count);
  let atMs = 0;
  for (let index = 0; index < count; index += 1) {
    atMs += (index === 0 ? ttftMs : gapOf(index)) * (1 + jitter * (2 * draw(hash, 2 + index) - 1));
    times[index] = atMs;
  }
  return times;
};

const evenTimes = (count: number, ttftMs: number, gapMs: number): Float64Array =>
  Float64Array.from({ length: count }, (_, index) => ttftMs + index * gapMs);

const speechOf = (
  subject: ReplySubject,
  events: EventFactory,
  { tokensPerChunk }: MockSettings,
): readonly StreamEvent[] => {
  const speech: StreamEvent[] = [];
  const add = (kind: 'reasoning' | 'content', from: number, to: number): void => {
    for (let token = from; token < to; token += tokensPerChunk) {
      const count = Math.min(tokensPerChunk, to - token);
      const position = {
        isFirst: token === from,
        isSecond: from > 0,
        tokensSoFar: token + count,
        firstOfAll: subject.firstWord,
        counts: subject.reportsUsage ? { ...subject, outputTokens: token + count } : undefined,
      };
      pushAll(speech, events.speech(kind, subject.firstWord + token, count, position));
    }
  };
  add('reasoning', 0, subject.reasoningTokens);
  if (subject.toolCalls === 0) add('content', subject.reasoningTokens, subject.outputTokens);
  return speech;
};

const toolCallsOf = (
  subject: ReplySubject,
  events: EventFactory,
  { tokensPerChunk }: MockSettings,
): readonly StreamEvent[] => {
  const parts: StreamEvent[] = [];
  for (const call of toolCallTokens(subject)) {
    const text = toolArguments(subject, call);
    const words = wordCuts(subject, call);
    const size = subject.api.hasWholeCalls === true ? call.tokens : tokensPerChunk;
    for (let token = 0; token < call.tokens; token += size) {
      const to = Math.min(token + size, call.tokens);
      const part = {
        index: call.index,
        isFirst: token === 0,
        isBehindThought: subject.reasoningTokens > 0,
        argumentsText: text.slice(words[token] ?? 0, to === call.tokens ? text.length : words[to]),
      };
      pushAll(parts, events.toolCall(part, to - token));
    }
  }
  return parts;
};

interface ToolCallTokens {
  readonly index: number;
  /** The first of the answer's tokens that are its arguments. */
  readonly first: number;
  readonly tokens: number;
}

/** The answer's tokens distributed evenly. */
export const toolCallTokens = ({
  toolCalls,
  reasoningTokens,
  outputTokens,
}: ReplySubject): readonly ToolCallTokens[] => {
  const shared = outputTokens - reasoningTokens;
  return Array.from({ length: toolCalls }, (_, index) => {
    const from = Math.floor((shared * index) / toolCalls);
    const to = Math.floor((shared * (index + 1)) / toolCalls);
    return { index, first: reasoningTokens + from, tokens: to - from };
  });
};

/** JSON, as arguments are. */
export const toolArguments = ({ firstWord }: ReplySubject, { first, tokens }: ToolCallTokens): string =>
  ARGUMENTS_START + wordsFrom(firstWord + first, tokens) + ARGUMENTS_END;

/** Where each word starts in the arguments; the first includes what precedes it. */
const wordCuts = ({ firstWord }: ReplySubject, { first, tokens }: ToolCallTokens): readonly number[] => {
  const cuts = [0];
  let at = ARGUMENTS_START.length;
  for (let token = 0; token < tokens; token += 1) {
    at += wordsFrom(firstWord + first + token, 1).length;
    cuts.push(at);
  }
  return cuts;
};

const ARGUMENTS_START = '{"cargo":"';
const ARGUMENTS_END = '"}';
