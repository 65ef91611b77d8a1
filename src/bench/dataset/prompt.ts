// What one request asks: the messages of a chat, kept as they came, since what a role or a content may be is the server's
// business.

import type { FileDigest } from '../../core/run/provenance.ts';

export interface Prompt {
  /** A system prompt that others have too: it is sent unchanged, before everything else. */
  readonly prefix?: string;
  /** At least one. */
  readonly messages: readonly Message[];
  /** Of the reply; undefined leaves it to the server. */
  readonly maxTokens: number | undefined;
}

export interface Message {
  readonly role: string;
  /** Text, or parts as the API has them. */
  readonly content?: string | readonly object[] | null;
  readonly [key: string]: unknown;
}

export interface Dataset {
  /** Where it was read from one. */
  readonly file?: FileDigest;
  /** One line for the report: what was sent. */
  readonly description: string;
  /** At least one. */
  readonly prompts: readonly Prompt[];
}

export const userPrompt = (text: string, maxTokens?: number): Prompt => ({
  messages: [{ role: 'user', content: text }],
  maxTokens,
});
