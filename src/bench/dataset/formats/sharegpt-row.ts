// A conversation as ShareGPT publishes it: {"id": …, "conversations": [{"from": "human", "value": "…"}, {"from":
// "gpt", …}]}. All messages before the first answer are sent. Published files contain conversations that begin with
// an answer or have no question at all: they are left out and counted, as in other tools.

import { type Parsed, parsed, wrong } from '../../../core/figure/parse-figure.ts';
import { isJsonObject, type JsonObject } from '../../../core/json.ts';
import type { Message } from '../message.ts';
import type { Prompt } from '../prompt.ts';

export const isShareGptRow = (row: JsonObject): boolean => Array.isArray(row['conversations']);

/** undefined: a conversation without a question. `isWhole`: with its answers and all later questions. */
export const shareGptPrompt = (row: JsonObject, isWhole = false): Parsed<Prompt | undefined> => {
  const turns: unknown = row['conversations'];
  const messages: Message[] = [];
  for (const turn of Array.isArray(turns) ? turns : []) {
    if (!isJsonObject(turn)) return WRONG_TURN;
    const { from, value } = turn;
    if (typeof from !== 'string' || typeof value !== 'string') return WRONG_TURN;
    const role = ROLES.get(from);
    if (role === undefined)
      return wrong(`a turn is from ${JSON.stringify(from.slice(0, 40))}`, KNOWN_SPEAKERS);
    if (role === 'assistant' && !isWhole) break;
    if (value.trim() !== '') messages.push({ role, content: value });
  }
  const requests = messages.some(({ role }) => role === 'user');
  return parsed(requests ? { messages, maxTokens: undefined } : undefined);
};

const ROLES = new Map([
  ['human', 'user'],
  ['user', 'user'],
  ['system', 'system'],
  ['gpt', 'assistant'],
  ['chatgpt', 'assistant'],
  ['assistant', 'assistant'],
  ['bing', 'assistant'],
  ['bard', 'assistant'],
]);
const WRONG_TURN = wrong(
  'a turn of "conversations" is no {"from": "human", "value": "…"}',
  'Each turn says who speaks and what.',
);
const KNOWN_SPEAKERS = `Known speakers: ${[...ROLES.keys()].join(', ')}.`;
