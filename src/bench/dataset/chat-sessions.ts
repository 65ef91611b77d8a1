// From prompts, which are one turn each, to the sessions of a chat: a conversation that somebody had, or as many generated
// turns as were asked for, with the time that its user thinks before each.

import { type ThinkTime, thinkTimes } from '../../core/run/think-time.ts';
import type { LengthDistribution } from '../../core/statistics/length-distribution.ts';
import { lengthsOf, randomFor } from './length-choice.ts';
import type { Message } from './message.ts';
import type { Prompt } from './prompt.ts';
import type { RecordedAnswer, Session, Turn } from './session.ts';

export interface SessionDatasetOptions {
  /** Of generated sessions; undefined: the conversations of the data set say it. */
  readonly turns: LengthDistribution | undefined;
  /** Before each turn but the first; undefined: none. */
  readonly thinkTime: ThinkTime | undefined;
  /** What stands in the history of later turns: what the server says, or what the data set does. */
  readonly answers: 'live' | 'recorded';
}

/** Of a data set: for each turn in the order of the prompts, what was answered to it; of each session how many it has. */
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

/** As many prompts for each session as a draw says, until none is left. */
export const generatedGroups = (prompts: number, turns: LengthDistribution, seed: number): ChatGroups => {
  const draw = lengthsOf({ distribution: turns, text: '' }, { seed, purpose: 'turns' });
  const counts: number[] = [];
  for (let left = prompts; left > 0; ) {
    const count = Math.min(SESSION_TURNS_MAX, draw());
    // A last session that was cut short would be none of the distribution.
    if (count > left && counts.length > 0) break;
    counts.push(Math.min(left, count));
    left -= count;
  }
  return { counts, answers: [] };
};

/** Prompts may be the groups several times over. */
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

/** Of the answer to a turn, where its last message says it. */
const limitOf = (messages: readonly Message[]): number | undefined => {
  const last = messages.at(-1);
  const limit = last?.['output_tokens'] ?? last?.['max_tokens'];
  return typeof limit === 'number' && Number.isSafeInteger(limit) && limit >= 1 ? limit : undefined;
};

/** Whole, so that calls of tools stand before their results. */
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

/** Of one session. */
export const SESSION_TURNS_MAX = 4_096;
