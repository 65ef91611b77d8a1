// Server-sent events on the wire (WHATWG HTML, section 9.2), the ids that a reader resumes by, and the last batches for
// streams that were cut and come back: bounded in batches and in bytes as they were sent; a reader that is further behind
// gets a snapshot.

import type { Event } from '../../../core/event.ts';
import { showable } from '../../../core/text/single-line.ts';

interface EventFrame {
  readonly event: 'snapshot' | 'batch' | 'fleet' | 'heartbeat' | 'dropped';
  readonly id?: string;
  /** One line: JSON has no line breaks outside strings, and escapes them inside. */
  readonly data: string;
}

export const encodeServerEvent = ({ event, id, data }: EventFrame): Buffer =>
  Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${showable(data)}\n\n`);

/** How long a browser waits before it connects again. */
export const RETRY_FRAME: Buffer = Buffer.from('retry: 1000\n\n');

/** Contains the daemon's start: what was streamed by an earlier one cannot be resumed. */
export const streamId = (daemonStart: string, sequence: number): string => `${daemonStart}.${sequence}`;

/** The sequence of an id of this start; undefined for any other text. */
export const sequenceOf = (id: string | undefined, daemonStart: string): number | undefined => {
  if (id === undefined || !id.startsWith(`${daemonStart}.`)) return undefined;
  const digits = id.slice(daemonStart.length + 1);
  return /^\d{1,15}$/.test(digits) ? Number(digits) : undefined;
};

interface QueuedBatch {
  readonly sequence: number;
  readonly events: readonly Event[];
  readonly bytes: number;
}

interface RingLimits {
  readonly batchesMax: number;
  readonly bytesMax: number;
}

export class BatchRing {
  readonly #limits: RingLimits;
  #batches: QueuedBatch[] = [];
  #bytes = 0;

  constructor(limits: RingLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get length(): number {
    return this.#batches.length;
  }

  /** Sequences ascend by one; a gap is made by `clear`. */
  push(batch: QueuedBatch): void {
    this.#batches.push(batch);
    this.#bytes += batch.bytes;
    while (this.#batches.length > this.#limits.batchesMax || this.#bytes > this.#limits.bytesMax) {
      const dropped = this.#batches.shift();
      if (dropped === undefined) break;
      this.#bytes -= dropped.bytes;
    }
  }

  clear(): void {
    this.#batches = [];
    this.#bytes = 0;
  }

  /** What followed a sequence up to `newest`, in order; undefined when part of it is no longer stored. */
  eventsAfter(sequence: number, newest: number): readonly Event[] | undefined {
    if (sequence > newest) return undefined;
    if (sequence === newest) return [];
    const [oldest] = this.#batches;
    if (oldest === undefined || oldest.sequence > sequence + 1) return undefined;
    return this.#batches.filter(batch => batch.sequence > sequence).flatMap(batch => batch.events);
  }
}
