// One reader of the stream. It may be slow, stop reading, or vanish: its queue is limited, and a reader past the limit
// gets the reason and is dropped.

import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../clock/clock.ts';
import { type DropReason, encodeDropped } from '../../../wire/stream-message.ts';
import type { Grant } from '../access.ts';
import type { HttpLimits } from '../http-options.ts';
import { encodeServerEvent } from './stream-frames.ts';

interface StreamClientOptions {
  readonly response: ServerResponse;
  readonly grant: Grant;
  /** It has shown the token. */
  readonly isOwner: boolean;
  readonly clock: Clock;
  readonly limits: HttpLimits;
  readonly onDropped: (reason: DropReason) => void;
  readonly onClosed: (client: StreamClient) => void;
}

export class StreamClient {
  readonly grant: Grant;
  readonly isOwner: boolean;
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  readonly #limits: HttpLimits;
  readonly #onDropped: (reason: DropReason) => void;
  /** Bytes of snapshots on their way: a large snapshot on a slow connection is not a reason to drop its reader. */
  #snapshotBytes = 0;
  #movedAtMs: number;
  #isLive = true;

  constructor({ response, grant, isOwner, clock, limits, onDropped, onClosed }: StreamClientOptions) {
    this.grant = grant;
    this.isOwner = isOwner;
    this.#response = response;
    this.#clock = clock;
    this.#limits = limits;
    this.#onDropped = onDropped;
    this.#movedAtMs = clock.nowMs();
    response.on('error', () => response.destroy());
    response.once('close', () => {
      this.#isLive = false;
      onClosed(this);
    });
  }

  /** Bytes handed to this response that the kernel has not taken. Frames are shared, so they are counted many times. */
  get queuedBytes(): number {
    return this.#response.writableLength;
  }

  get isLive(): boolean {
    return this.#isLive;
  }

  sendSnapshot(frame: Buffer): void {
    if (!this.#isLive) return;
    this.#snapshotBytes += frame.length;
    this.#write(frame, () => {
      this.#snapshotBytes -= frame.length;
    });
  }

  send(frame: Buffer): void {
    if (!this.#isLive) return;
    const queued = this.queuedBytes;
    if (queued > 0 && queued + frame.length > this.#limits.streamQueueBytesMax + this.#snapshotBytes) {
      this.drop('slow', `this reader is more than ${this.#limits.streamQueueBytesMax} bytes behind`);
      return;
    }
    this.#write(frame, () => undefined);
  }

  /** Drops a reader whose queue has not moved for long; `send` alone would wait until the queue is full. */
  checkStall(): void {
    const { streamStallMs } = this.#limits;
    if (this.#isLive && this.#isStalledFor(streamStallMs))
      this.drop('stalled', `this reader has read nothing for ${streamStallMs} ms`);
  }

  /** While others wait for a slot: cuts it off much sooner. @returns whether it is gone */
  giveWay(): boolean {
    if (!this.#isStalledFor(this.#limits.silentUnderPressureMs)) return false;
    this.destroy();
    return true;
  }

  #isStalledFor(ms: number): boolean {
    return this.queuedBytes > 0 && this.#clock.nowMs() - this.#movedAtMs > ms;
  }

  /** Sends the reason, then ends. Data that the client has not received by `destroy` is lost. */
  drop(reason: DropReason, message: string): void {
    if (!this.#isLive) return;
    this.#isLive = false;
    this.#onDropped(reason);
    this.#response.end(encodeServerEvent({ event: 'dropped', data: encodeDropped({ reason, message }) }));
  }

  destroy(): void {
    this.#isLive = false;
    this.#response.destroy();
  }

  #write(frame: Buffer, taken: () => void): void {
    this.#response.write(frame, () => {
      this.#movedAtMs = this.#clock.nowMs();
      taken();
    });
  }
}
