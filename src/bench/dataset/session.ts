// The requests of one user to a server: turns that wait for each other, as in a chat, an agent with subagents, or a
// recorded trace of either. A single request is a session of one turn.

import type { JsonObject } from '../../core/json.ts';
import type { Message } from './message.ts';

export interface Session {
  /**
   * Unique in its data set: the thread and the agent of a session follow from its position in the set, never from
   * time.
   */
  readonly id: string;
  /** ms since the trace's start; undefined: it begins when the load's pattern requires it. */
  readonly startOffsetMs: number | undefined;
  /** At least one. Each turn depends on earlier ones only, so that cycles cannot be written. */
  readonly turns: readonly Turn[];
}

export interface Turn {
  /** Earlier turns of this session that must have ended, by index, ascending; none: it begins with the session. */
  readonly after: readonly number[];
  /** ms from the end of the last of them, or from the session's start, to the intended start of this one. */
  readonly delayMs: number;
  /**
   * The turn whose conversation, its answer included, precedes this one's own messages: this turn or one before it is
   * in `after`. undefined: a new conversation, such as a subagent's.
   */
  readonly continues: number | undefined;
  /** Messages that this turn adds; at least one, unless there are `pieces`. */
  readonly messages: readonly Message[];
  /**
   * The whole prompt in pieces, which other turns may share: letters and spaces, generated when the request is built.
   */
  readonly pieces?: () => readonly string[];
  /** Of the pieces: how many precede the nonce, because other sessions have them too. Absent: it is at the start. */
  readonly piecesBeforeNonce?: number;
  /** A system prompt that others have too, before everything else. Only on a turn that begins a conversation. */
  readonly prefix?: string;
  /** Limit of the reply; undefined leaves it to the server. */
  readonly maxTokens: number | undefined;
  /** The id of its line in the data set, as for a prompt. */
  readonly lineId?: string;
  /** Fields of the request from its own line, as for a prompt. */
  readonly fields?: JsonObject;
  /** Model that is requested instead of the run's. */
  readonly model?: string;
  readonly answer: TurnAnswer;
  /** Only on a turn that begins a conversation; later turns have its scope. Default: 'conversation'. */
  readonly cacheScope?: CacheScope;
}

/** What goes into the history of turns that continue this one: the server's actual answer, or a text known before. */
type TurnAnswer = { readonly kind: 'live' } | ({ readonly kind: 'recorded' } & RecordedAnswer);

export interface RecordedAnswer {
  /** null, as it was recorded, next to tool calls. */
  readonly text: string | null;
  /** Other fields of the recorded message, such as its `tool_calls`. */
  readonly fields?: JsonObject;
}

/**
 * Which conversations may share a prefix in a server's cache, because they have the same nonce. 'conversation': only
 * itself; 'session': the other conversations of its session; 'run': all of that scope, as in a trace whose requests
 * share blocks across sessions. Without a nonce all may share.
 */
type CacheScope = 'conversation' | 'session' | 'run';
