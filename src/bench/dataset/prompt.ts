// The content of one request, and where such requests come from.

import type { JsonObject } from '../../core/json.ts';
import type { FileDigest } from '../../core/run/provenance.ts';
import type { Message } from './message.ts';
import type { Session } from './session.ts';

export interface Prompt {
  /** A system prompt that others have too: it is sent unchanged, before everything else. */
  readonly prefix?: string;
  /** At least one. */
  readonly messages: readonly Message[];
  /** Limit of the reply; undefined leaves it to the server. */
  readonly maxTokens: number | undefined;
  /** Fields of the request from its own line, such as its temperature and tools; those of --body override them. */
  readonly fields?: JsonObject;
  /** The id of its line in the data set. */
  readonly lineId?: string;
  /** For a ranking, in which the message is the query. */
  readonly documents?: readonly string[];
  /** The prompt as the model's tokens, instead of messages; for single requests. */
  readonly tokenIds?: readonly number[];
}

export interface Dataset {
  /** Present if it was read from a file. */
  readonly file?: FileDigest;
  /** One line for the report: what was sent. */
  readonly description: string;
  /** At least one. */
  readonly prompts: readonly Prompt[];
  /** What is sent instead, where requests belong to sessions: `prompts` are then their first turns. */
  readonly sessions?: readonly Session[];
}

export const userPrompt = (text: string, maxTokens?: number): Prompt => ({
  messages: [{ role: 'user', content: text }],
  maxTokens,
});
