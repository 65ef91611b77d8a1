// The port between the coordinator of a run and an agent: whole messages, in order, both ways, bounded. What carries them
// (TLS keyed by a one-time code, a connection that two nodes of a mesh have agreed on, memory) stays behind it.

import type { AgentMessage, CoordinatorMessage } from '../../wire/agent-message.ts';

/** The coordinator's end, one for each agent. */
export type AgentChannel = MessageChannel<CoordinatorMessage, AgentMessage>;
/** The agent's end. */
export type CoordinatorChannel = MessageChannel<AgentMessage, CoordinatorMessage>;

export interface MessageChannel<Out, In> extends AsyncDisposable {
  /** Of the other end, for people: "boreas", "10.0.0.2:4184". */
  readonly peer: string;
  /**
   * Takes the message, whole. Resolves when there is room for the next: whoever waits for it never holds more than
   * CHANNEL_BYTES_MAX. Resolves false, and sends nothing, once the channel is closed. Never rejects.
   * @throws RangeError when it is longer than AGENT_MESSAGE_BYTES_MAX.
   */
  send(message: Out): Promise<boolean>;
  /**
   * What arrives, for one reader, in order. Ends when the channel closes, behind all that had arrived. Of kinds that this
   * version does not know nothing comes.
   */
  readonly messages: AsyncIterable<In>;
  /** Resolves once, whoever closed it. */
  readonly closed: Promise<ChannelClose>;
  /** Tells the other end why if it can, behind what was sent before. Idempotent. */
  close(reason: ChannelCloseReason, detail?: string): Promise<void>;
}

export type ChannelCloseReason = (typeof CHANNEL_CLOSE_REASONS)[number];

export interface ChannelClose {
  readonly reason: ChannelCloseReason | 'lost';
  readonly by: 'this end' | 'other end';
  /** For people; '' where there is nothing to add. */
  readonly detail: string;
}

/** Waiting at one end, sent or not yet read. Bound in docs/limits.md. */
export const CHANNEL_BYTES_MAX: number = 32 * 1024 * 1024;

export const CHANNEL_CLOSE_REASONS = [
  /** The run is over, well or not. */
  'done',
  /** The other end broke the rules of these messages. */
  'malformed',
  /** It said nothing for AGENT_SILENCE_MS_MAX. */
  'silent',
] as const;
