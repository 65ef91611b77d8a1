// The port between the coordinator of a run and an agent: whole messages, in order, in both directions, bounded. The
// transport (TLS keyed by a one-time code, a connection that two nodes of a mesh agreed on, memory) is an adapter.

import type { AgentMessage, CoordinatorMessage } from '../../wire/agent-message.ts';

/** The coordinator's end, one for each agent. */
export type AgentChannel = MessageChannel<CoordinatorMessage, AgentMessage>;
/** The agent's end. */
export type CoordinatorChannel = MessageChannel<AgentMessage, CoordinatorMessage>;

export interface MessageChannel<Out, In> extends AsyncDisposable {
  /** Name of the other end, for people: "boreas", "10.0.0.2:4184". */
  readonly peer: string;
  /**
   * Sends one whole message. Resolves when there is room for the next: a caller that waits for it never buffers more
   * than CHANNEL_BYTES_MAX. Resolves false, and sends nothing, once the channel is closed. Never rejects.
   * @throws RangeError when it is longer than AGENT_MESSAGE_BYTES_MAX.
   */
  send(message: Out): Promise<boolean>;
  /**
   * Received messages, for one reader, in order. Ends when the channel closes, after everything that had arrived.
   * Messages of unknown kinds are dropped.
   */
  readonly messages: AsyncIterable<In>;
  /** Resolves once, whichever end closed it. */
  readonly closed: Promise<ChannelClose>;
  /** Sends the reason to the other end if it can, after what was sent before. Idempotent. */
  close(reason: ChannelCloseReason, detail?: string): Promise<void>;
}

export type ChannelCloseReason = (typeof CHANNEL_CLOSE_REASONS)[number];

export interface ChannelClose {
  readonly reason: ChannelCloseReason | 'lost';
  readonly by: 'this end' | 'other end';
  /** For people; '' if there is nothing to add. */
  readonly detail: string;
}

/** Bytes waiting at one end, unsent or unread. Limit in docs/limits.md. */
export const CHANNEL_BYTES_MAX: number = 32 * 1024 * 1024;

export const CHANNEL_CLOSE_REASONS = [
  /** The run is over, successful or not. */
  'done',
  /** The other end violated the protocol. */
  'malformed',
  /** Nothing arrived from it for AGENT_SILENCE_MS_MAX. */
  'silent',
] as const;
