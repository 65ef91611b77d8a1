// How far this node's own records reached, in a small file next to the journal: the write-ahead log is read
// up to its first damaged byte, and without a second record nothing would show that it continued. Written
// after each commit and not synchronised, so that after a power cut it may be behind, never ahead: what it
// shows to be missing is missing.

import { closeSync, constants, openSync, writeSync } from 'node:fs';
import * as v from 'valibot';
import type { NodeId } from '../core/ids.ts';
import { nodeIdSchema } from '../core/schema.ts';
import { readInputTextSync } from '../process/input-file.ts';
import type { OriginPosition } from '../wire/version-vector.ts';

export const storedCountPath = (journalPath: string): string => `${journalPath}-stored`;

/** Undefined if there is none, it is incomplete, or another node wrote it. */
export const readStoredCount = (journalPath: string, ownNode: NodeId): OriginPosition | undefined => {
  try {
    const read = v.safeParse(COUNT, JSON.parse(readInputTextSync(storedCountPath(journalPath), 'homeFile')));
    return read.success && read.output.origin === ownNode ? read.output : undefined;
  } catch {
    // Without it, nothing shows what is missing.
    return undefined;
  }
};

export class StoredCount implements Disposable {
  readonly #path: string;
  #descriptor: number | undefined;

  constructor(journalPath: string) {
    this.#path = storedCountPath(journalPath);
  }

  /** One write at the same offset and of the same length: a kill leaves the one before or this one. */
  set(position: OriginPosition): void {
    try {
      this.#descriptor ??= openSync(this.#path, FLAGS, 0o600);
      writeSync(this.#descriptor, JSON.stringify(position).padEnd(LENGTH), 0);
    } catch {
      // On a full or failing disk the records may still be stored, and the count falls behind.
      this[Symbol.dispose]();
    }
  }

  [Symbol.dispose](): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

/** How many of this node's records are known to have been stored and are missing. */
export const missingRecords = (stored: OriginPosition | undefined, current: OriginPosition): number => {
  if (stored === undefined || stored.epoch < current.epoch) return 0;
  return Math.max(0, stored.through - (stored.epoch === current.epoch ? current.through : 0));
};

const COUNT_NUMBER = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const COUNT: v.GenericSchema<unknown, OriginPosition> = v.object({
  origin: nodeIdSchema,
  epoch: COUNT_NUMBER,
  through: COUNT_NUMBER,
});
/** A named pipe in its place, whose opening would wait forever for a reader, is an error instead. */
const FLAGS = constants.O_WRONLY | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);
/** Two numbers of 16 digits, an id and padding: one sector of any disk. */
const LENGTH = 128;
