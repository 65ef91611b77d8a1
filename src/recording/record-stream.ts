// From the stream of a daemon to a recording: each snapshot starts a section, each batch continues it.

import type { State } from '../core/state.ts';
import type { BatchMessage, SnapshotMessage } from '../wire/stream-message.ts';
import type { Anonymiser } from './anonymiser.ts';
import {
  eventsOf,
  originsOf,
  RECORDING_FORMAT,
  RECORDING_VERSION,
  type RecordedEvent,
  type RecordingLine,
  recordedEvent,
} from './recording-line.ts';
import type { RecordingWriter } from './recording-writer.ts';

export class StreamRecorder {
  readonly #writer: RecordingWriter;
  /** Undefined: everything stays as it is. */
  readonly #anonymiser: Anonymiser | undefined;
  #beganAtMs: number | undefined;

  constructor(writer: RecordingWriter, anonymiser: Anonymiser | undefined) {
    this.#writer = writer;
    this.#anonymiser = anonymiser;
  }

  /** Of this process's clock, as the message's receipts are. */
  async snapshot({
    nodeId,
    plimsollVersion,
    state,
    nowMs,
  }: Omit<SnapshotMessage, 'version' | 'daemonStart'>): Promise<void> {
    this.#anonymiser?.learn(state);
    if (this.#beganAtMs === undefined) {
      this.#beganAtMs = nowMs;
      await this.#write(
        {
          kind: 'header',
          format: RECORDING_FORMAT,
          version: RECORDING_VERSION,
          plimsollVersion,
          nodeId: this.#anonymiser?.nodeId(nodeId) ?? nodeId,
          areNamesKept: this.#anonymiser === undefined,
        },
        nowMs,
      );
    }
    await this.#write({ kind: 'begin', atMs: this.#atMs(nowMs) }, nowMs);
    for (const line of this.#originLines(state, nowMs)) await this.#write(line, nowMs);
    await this.#write({ kind: 'ready' }, nowMs);
    await this.#writer.flush();
  }

  async batch({ events, nowMs }: BatchMessage): Promise<void> {
    if (this.#beganAtMs === undefined) return;
    this.#anonymiser?.learnEvents(events);
    const recorded = events.flatMap(event => {
      const one = recordedEvent(event, nowMs);
      return one === undefined ? [] : [this.#hidden(one)];
    });
    if (recorded.length > 0)
      await this.#write({ kind: 'batch', atMs: this.#atMs(nowMs), events: recorded }, nowMs);
  }

  async end(nowMs: number): Promise<void> {
    if (this.#beganAtMs === undefined) return;
    await this.#write({ kind: 'end', atMs: this.#atMs(nowMs) }, nowMs);
    await this.#writer.flush();
  }

  *#originLines(state: State, nowMs: number): Generator<RecordingLine> {
    for (const origin of originsOf(state)) {
      const position = state.origins[origin];
      const events = eventsOf(state, origin).flatMap(event => {
        const one = recordedEvent(event, nowMs);
        return one === undefined ? [] : [this.#hidden(one)];
      });
      yield {
        kind: 'origin',
        origin: this.#anonymiser?.nodeId(origin) ?? origin,
        epoch: position?.epoch ?? 0,
        through: position?.seq ?? 0,
        lastSeenMs: position === undefined ? 0 : Math.round(Math.max(0, nowMs - position.receivedAtMs)),
        events,
      };
    }
  }

  #hidden(event: RecordedEvent): RecordedEvent {
    return this.#anonymiser?.event(event) ?? event;
  }

  #atMs(nowMs: number): number {
    return Math.round(Math.max(0, nowMs - (this.#beganAtMs ?? nowMs)));
  }

  #write(line: RecordingLine, nowMs: number): Promise<void> {
    return this.#writer.write(line, this.#atMs(nowMs));
  }
}
