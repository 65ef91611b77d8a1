// What the daemon streams to a browser or a terminal: a snapshot, then batches of the events that follow it. Ages travel
// and clocks do not: the sender adds its own monotonic `nowMs`, and the receiver moves every receipt onto its own clock.

import { mapEntries } from '../core/entry-maps.ts';
import type { Event } from '../core/event.ts';
import type { NodeId } from '../core/ids.ts';
import type { State } from '../core/state.ts';
import { stateWith } from '../core/state.ts';

export interface SnapshotMessage {
  readonly version: typeof STREAM_VERSION;
  /** Changes with every start of the daemon; what was streamed before it cannot be resumed. */
  readonly daemonStart: string;
  /** The node that sends. */
  readonly nodeId: NodeId;
  readonly plimsollVersion: string;
  readonly nowMs: number;
  readonly state: State;
}

export interface BatchMessage {
  readonly nowMs: number;
  readonly events: readonly Event[];
}

export const STREAM_VERSION = 1;

export class StreamMessageError extends Error {
  override readonly name = 'StreamMessageError';
  readonly code: 'malformed' | 'version';

  constructor(code: StreamMessageError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export const encodeSnapshot = (message: Omit<SnapshotMessage, 'version'>): string =>
  JSON.stringify({ version: STREAM_VERSION, ...message });

export const encodeBatch = (message: BatchMessage): string => JSON.stringify(message);

/**
 * The snapshot with every receipt moved onto the reader's clock. Maps that an older daemon does not have are empty.
 * @throws StreamMessageError when it is not JSON of this version.
 */
export const decodeSnapshot = (text: string, nowMs: number): SnapshotMessage => {
  const message: SnapshotMessage = parse(text);
  if (message.version !== STREAM_VERSION) {
    throw new StreamMessageError(
      'version',
      `the daemon speaks version ${message.version} of the stream, this page version ${STREAM_VERSION}: reload the page`,
    );
  }
  return { ...message, nowMs, state: translated(stateWith(message.state), nowMs - message.nowMs) };
};

/** Likewise for a batch. The daemon has validated what it streams; nothing is validated again here. */
export const decodeBatch = (text: string, nowMs: number): BatchMessage => {
  const message: BatchMessage = parse(text);
  const offsetMs = nowMs - message.nowMs;
  return {
    nowMs,
    events: message.events.map(event => ({ ...event, receivedAtMs: event.receivedAtMs + offsetMs })),
  };
};

/** State with every receipt moved by an offset: receipts are the only part of State that belongs to one process. */
export const translated = (state: State, offsetMs: number): State =>
  mapEntries(state, entry => ({ ...entry, receivedAtMs: entry.receivedAtMs + offsetMs }));

/** State with every age counted up to a moment, for readers that have no clock of ours to count on with. */
export const withAgesAt = (state: State, nowMs: number): State =>
  mapEntries(state, entry =>
    hasAge(entry)
      ? {
          ...entry,
          ageMs: Math.max(0, entry.ageMs + nowMs - entry.receivedAtMs),
          receivedAtMs: nowMs,
        }
      : // An origin's progress has a receipt alone: moved to now, a silent node would look as if it had just spoken.
        entry,
  );

const hasAge = (entry: object): entry is { readonly ageMs: number; readonly receivedAtMs: number } =>
  'ageMs' in entry;

const parse = (text: string) => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StreamMessageError('malformed', 'the daemon sent a message that is not JSON', { cause: error });
  }
};
