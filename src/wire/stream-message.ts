// What the daemon streams to a browser or a terminal: a snapshot, then batches of the events that follow it.
// Ages are sent, clocks are not: the sender adds its own monotonic `nowMs`, and the receiver moves every
// receipt onto its own clock.

import type { InferOutput } from 'valibot';
import { filterEntries, mapEntries } from '../core/entry-maps.ts';
import type { Event, EventHead, KnownEvent } from '../core/event.ts';
import { isEventKind } from '../core/event-kinds.ts';
import { isNodeId, type NodeId } from '../core/ids.ts';
import { isJsonObject } from '../core/json.ts';
import { type State, stateWith } from '../core/state.ts';
import type { dropReasonSchema } from './api/daemon-answers.ts';

export interface SnapshotMessage {
  readonly version: typeof STREAM_VERSION;
  /** Changes with every start of the daemon; a stream from before it cannot be resumed. */
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

/** A message as text, with the number of parts that were left out because they cannot be written. */
export interface WrittenMessage {
  readonly text: string;
  readonly leftOut: number;
}

/** An entry that cannot be written costs that entry, not the stream. */
export const encodeSnapshot = (message: Omit<SnapshotMessage, 'version'>): WrittenMessage => {
  const sent = { version: STREAM_VERSION, ...message };
  const text = textOf(sent);
  if (text !== undefined) return { text, leftOut: 0 };
  let leftOut = 0;
  const state = filterEntries(message.state, entry => {
    const isWritable = textOf(entry) !== undefined;
    if (!isWritable) leftOut += 1;
    return isWritable;
  });
  return { text: JSON.stringify({ ...sent, state }), leftOut };
};

/** As for entries: an event that cannot be written costs that event. */
export const encodeBatch = ({ nowMs, events }: BatchMessage): WrittenMessage => {
  const text = textOf({ nowMs, events });
  if (text !== undefined) return { text, leftOut: 0 };
  const written = events.flatMap(event => textOf(event) ?? []);
  return {
    text: `{"nowMs":${JSON.stringify(nowMs)},"events":[${written.join(',')}]}`,
    leftOut: events.length - written.length,
  };
};

/**
 * The snapshot with every receipt moved onto the reader's clock. Maps that an older daemon does not have are
 * empty.
 * @throws StreamMessageError if it is not one of this version.
 */
export const decodeSnapshot = (text: string, nowMs: number): SnapshotMessage => {
  const message = parse(text);
  if (isJsonObject(message) && message['version'] !== STREAM_VERSION) {
    throw new StreamMessageError(
      'version',
      `the daemon uses version ${shownVersion(message['version'])} of the stream, this page version ${STREAM_VERSION}: reload the page`,
    );
  }
  if (!isSnapshot(message)) throw malformed('a snapshot');
  return { ...message, nowMs, state: translated(stateWith(message.state), nowMs - message.nowMs) };
};

/**
 * The same for a batch. Only what would break the fold is checked: the head of each event, and that a payload
 * exists. For a second of 200 nodes, 1,000 events, that takes 1.2 ms instead of 1.0 ms for JSON.parse alone;
 * checking every payload again, as the daemon did on arrival, would take 5.8 ms (`npm run bench --
 * stream-decode`, best of 40). A kind that only the daemon has becomes an unknown one.
 */
export const decodeBatch = (text: string, nowMs: number): BatchMessage => {
  const message = parse(text);
  if (!isJsonObject(message)) throw malformed('a batch');
  const { nowMs: sentAtMs, events } = message;
  if (!isNumber(sentAtMs) || !Array.isArray(events)) throw malformed('a batch');
  return { nowMs, events: events.map((event: unknown) => eventFrom(event, nowMs - sentAtMs)) };
};

/** The daemon's last message before it ends a stream. */
export interface DroppedMessage {
  readonly reason: DropReason;
  readonly message: string;
}

export type DropReason = InferOutput<typeof dropReasonSchema>;

export const encodeDropped = (message: DroppedMessage): string => JSON.stringify(message);

/** The reason as text; '' if it is not readable. A newer daemon may have other reasons. */
export const droppedText = (text: string): string => {
  try {
    const message: unknown = JSON.parse(text);
    return isJsonObject(message) && typeof message['message'] === 'string' ? message['message'] : '';
  } catch {
    return '';
  }
};

/** State with every receipt moved by an offset: receipts are the only part of State that belongs to one process. */
export const translated = (state: State, offsetMs: number): State =>
  mapEntries(state, entry => ({ ...entry, receivedAtMs: entry.receivedAtMs + offsetMs }));

/** State with every age counted up to a moment, for readers that do not share our clock. */
export const withAgesAt = (state: State, nowMs: number): State =>
  mapEntries(state, entry =>
    hasAge(entry)
      ? {
          ...entry,
          ageMs: Math.max(0, entry.ageMs + nowMs - entry.receivedAtMs),
          receivedAtMs: nowMs,
        }
      : // An origin's progress has only a receipt: moved to now, a silent node would look as if it had just sent something.
        entry,
  );

const shownVersion = (version: unknown): string =>
  typeof version === 'number' || typeof version === 'string' ? String(version).slice(0, 40) : 'unknown';

const hasAge = (entry: object): entry is { readonly ageMs: number; readonly receivedAtMs: number } =>
  'ageMs' in entry;

const isSnapshot = (
  message: unknown,
): message is Omit<SnapshotMessage, 'state'> & { state: Partial<State> } =>
  isJsonObject(message) &&
  isNodeId(message['nodeId']) &&
  isNumber(message['nowMs']) &&
  typeof message['daemonStart'] === 'string' &&
  typeof message['plimsollVersion'] === 'string' &&
  isJsonObject(message['state']) &&
  Object.values(message['state']).every(isJsonObject);

const eventFrom = (sent: unknown, offsetMs: number): Event => {
  if (!isSentEvent(sent)) throw malformed('an event');
  const event = { ...sent, receivedAtMs: sent.receivedAtMs + offsetMs };
  if (isKnown(event)) return event;
  const { kind, unknownKind = kind } = event;
  return { ...event, kind: 'unknown', unknownKind };
};

type SentEvent = EventHead & { readonly kind: string; readonly unknownKind?: string };

const isSentEvent = (sent: unknown): sent is SentEvent =>
  isJsonObject(sent) &&
  isNodeId(sent['origin']) &&
  typeof sent['kind'] === 'string' &&
  typeof sent['key'] === 'string' &&
  isNumber(sent['epoch']) &&
  isNumber(sent['seq']) &&
  isNumber(sent['ageMs']) &&
  isNumber(sent['receivedAtMs']);

const isKnown = (event: SentEvent): event is SentEvent & KnownEvent =>
  isEventKind(event.kind) && 'payload' in event && isJsonObject(event.payload);

/** Undefined if JSON cannot represent it: an infinite number, a cycle, or nesting deeper than the stack. */
const textOf = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
};

const isNumber = (value: unknown): value is number => typeof value === 'number';

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformed('a message', error);
  }
};

const malformed = (what: string, cause?: unknown): StreamMessageError =>
  new StreamMessageError('malformed', `the daemon sent ${what} that cannot be read`, { cause });
