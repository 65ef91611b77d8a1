// Turns prompts, which are one turn each, into chat sessions: recorded conversations, or the requested number of
// generated turns, with the user's think time before each.

import type { SessionDatasetOptions } from '../../core/run/load-request.ts';
import { thinkTimes } from '../../core/run/think-time.ts';
import type { LengthDistribution } from '../../core/statistics/length-distribution.ts';
import { lengthsOf, randomFor } from './length-choice.ts';
import type { Message } from './message.ts';
import type { Prompt } from './prompt.ts';
import type { RecordedAnswer, Session, Turn } from './session.ts';

/**
 * Groups of a data set: for each turn in the order of the prompts, its recorded answer; for each session, its number
 * of turns.
 */
interface ChatGroups {
  readonly counts: readonly number[];
  readonly answers: readonly (RecordedAnswer | undefined)[];
}

/** Whole conversations as prompts of single turns: messages up to the next answer. */
export const turnsOfChats = (
  chats: readonly Prompt[],
): { readonly prompts: readonly Prompt[]; readonly groups: ChatGroups } => {
  const prompts: Prompt[] = [];
  const counts: number[] = [];
  const answers: (RecordedAnswer | undefined)[] = [];
  for (const { messages, maxTokens, prefix, fields, lineId } of chats) {
    const line = { ...(fields === undefined ? {} : { fields }), ...(lineId === undefined ? {} : { lineId }) };
    let own: Message[] = [];
    let count = 0;
    const add = (answer: RecordedAnswer | undefined): void => {
      if (!own.some(isFetching)) return;
      prompts.push({
        messages: own,
        maxTokens: limitOf(own) ?? maxTokens,
        ...line,
        ...(prefix === undefined || count > 0 ? {} : { prefix }),
      });
      answers.push(answer);
      count += 1;
      own = [];
    };
    for (const message of messages) {
      if (message.role !== 'assistant' || !own.some(isFetching)) own.push(message);
      else add(recordedAnswer(message));
    }
    add(undefined);
    if (count > 0) counts.push(count);
  }
  return { prompts, groups: { counts, answers } };
};

/** Groups prompts into sessions of drawn lengths, until none is left. */
export const generatedGroups = (prompts: number, turns: LengthDistribution, seed: number): ChatGroups => {
  const draw = lengthsOf({ distribution: turns, text: '' }, { seed, purpose: 'turns' });
  const counts: number[] = [];
  for (let left = prompts; left > 0; ) {
    const count = Math.min(SESSION_TURNS_MAX, draw());
    // A truncated last session would not belong to the distribution.
    if (count > left && counts.length > 0) break;
    counts.push(Math.min(left, count));
    left -= count;
  }
  return { counts, answers: [] };
};

/** Prompts may contain the groups several times over. */
export const chatSessions = (
  prompts: readonly Prompt[],
  { counts, answers }: ChatGroups,
  { thinkTime, answers: kept }: SessionDatasetOptions,
  seed: number,
): readonly Session[] => {
  const think = thinkTime === undefined ? () => 0 : thinkTimes(thinkTime, randomFor(seed, 'think'));
  const sessions: Session[] = [];
  let from = 0;
  for (let index = 0; from < prompts.length; index += 1) {
    const count = counts[index % counts.length] ?? 1;
    const own = prompts.slice(from, from + count);
    if (own.length < count) break;
    const first = from;
    from += count;
    sessions.push({
      id: `chat-${index}`,
      startOffsetMs: undefined,
      turns: own.map(({ messages, maxTokens, prefix, fields, lineId }, turn): Turn => {
        const recorded = answers.length === 0 ? undefined : answers[(first + turn) % answers.length];
        return {
          after: turn === 0 ? [] : [turn - 1],
          continues: turn === 0 ? undefined : turn - 1,
          delayMs: turn === 0 ? 0 : think(),
          messages,
          maxTokens,
          ...(fields === undefined ? {} : { fields }),
          ...(lineId === undefined ? {} : { lineId }),
          ...(prefix === undefined || turn > 0 ? {} : { prefix }),
          answer:
            kept === 'recorded' && recorded !== undefined
              ? { kind: 'recorded', ...recorded }
              : { kind: 'live' },
        };
      }),
    });
  }
  return sessions;
};

const isFetching = ({ role, content }: Message): boolean =>
  role !== 'assistant' && role !== 'system' && content !== undefined && content !== null;

/** Limit of the answer to a turn, if its last message states it. */
const limitOf = (messages: readonly Message[]): number | undefined => {
  const last = messages.at(-1);
  const limit = last?.['output_tokens'] ?? last?.['max_tokens'];
  return typeof limit === 'number' && Number.isSafeInteger(limit) && limit >= 1 ? limit : undefined;
};

/** The whole message, so that tool calls come before their results. */
const recordedAnswer = ({ role: _role, content, ...fields }: Message): RecordedAnswer => ({
  text: content === null && Array.isArray(fields['tool_calls']) ? null : textOfContent(content),
  ...(Object.keys(fields).length === 0 ? {} : { fields }),
});

const textOfContent = (content: Message['content']): string => {
  if (typeof content === 'string') return content;
  return (content ?? [])
    .map(part => ('text' in part && typeof part.text === 'string' ? part.text : ''))
    .join('');
};

/** Limit of one session. */
export const SESSION_TURNS_MAX = 4_096;
