// What one user asks of a server: turns that wait for each other, as of a chat, an agent with subagents, or a recorded trace of
// either. A single request is a session of one turn.

import type { JsonObject } from '../../core/json.ts';
import type { Message } from './message.ts';

export interface Session {
  /** Unique in its data set: which thread and which agent has a session follows from its place in the set, never from time. */
  readonly id: string;
  /** ms since the trace's start; undefined: it begins when the load's pattern says so. */
  readonly startOffsetMs: number | undefined;
  /** At least one. Each turn depends on earlier ones only, so that no circle can be written. */
  readonly turns: readonly Turn[];
}

export interface Turn {
  /** Earlier turns of this session that must have ended, by index, ascending; none: it begins with the session. */
  readonly after: readonly number[];
  /** From the end of the last of them, or from the session's start, to when this one is intended to start. */
  readonly delayMs: number;
  /**
   * The turn whose conversation, its answer included, comes before this one's own messages: this turn or one before it is in
   * `after`. undefined: a new conversation, as a subagent's.
   */
  readonly continues: number | undefined;
  /** What this turn adds; at least one, but where there are `pieces`. */
  readonly messages: readonly Message[];
  /** The whole prompt in pieces, which other turns may have too: of letters and spaces, made when it is laid out. */
  readonly pieces?: () => readonly string[];
  /** A system prompt that others have too, before everything else. Only of a turn that begins a conversation. */
  readonly prefix?: string;
  /** Of the reply; undefined leaves it to the server. */
  readonly maxTokens: number | undefined;
  /** As of a prompt: by which its line is named in the data set. */
  readonly lineId?: string;
  /** As of a prompt: fields of the request that its line has itself. */
  readonly fields?: JsonObject;
  /** Asked instead of the run's. */
  readonly model?: string;
  readonly answer: TurnAnswer;
  /** Of a turn that begins a conversation; the others have its scope. Default: 'conversation'. */
  readonly cacheScope?: CacheScope;
}

/** What goes into the history of turns that continue this one: what the server really answered, or a text known before. */
type TurnAnswer = { readonly kind: 'live' } | ({ readonly kind: 'recorded' } & RecordedAnswer);

export interface RecordedAnswer {
  /** null, as it was recorded, beside calls of tools. */
  readonly text: string | null;
  /** What else the recorded message has, such as its `tool_calls`. */
  readonly fields?: JsonObject;
}

/**
 * With whom a conversation may find its prefix in a server's cache: it has the same nonce as they. 'conversation': with itself
 * alone; 'session': with the other conversations of its session; 'run': with all of that scope, as in a trace whose requests
 * share blocks across sessions. Without a nonce everybody may with everybody.
 */
type CacheScope = 'conversation' | 'session' | 'run';
