// What the mock wrote and when, for each stream, for a client that requests it afterwards (`mock --stamp`, GET
// /mock/stamps): in bytes, because a calibration has a hundred thousand of them.

import { encodeTruthStream, NO_SAMPLE } from '../wire/truth-stamps.ts';
import type { HostTime } from './host-time.ts';
import type { ServedRequest } from './mock-log.ts';

export class StampLog {
  readonly #time: HostTime;
  #streams: Buffer[] = [];
  #bytes = 0;

  constructor(time: HostTime) {
    this.#time = time;
  }

  add({ sample, readMs, writtenMs }: ServedRequest): void {
    if (writtenMs === undefined || sample === NO_SAMPLE) return;
    const stream = encodeTruthStream(sample, {
      readNs: this.#time.nsAt(readMs),
      writeNs: writtenMs.map(ms => this.#time.nsAt(ms)),
    });
    if (this.#bytes + stream.length > STAMP_BYTES_MAX) return;
    this.#streams.push(stream);
    this.#bytes += stream.length;
  }

  /** Those since the last call. */
  take(): Buffer {
    const bytes = Buffer.concat(this.#streams);
    this.#streams = [];
    this.#bytes = 0;
    return bytes;
  }

  /** "4345784570780", for a client that compares clocks. */
  get nowNs(): string {
    return String(this.#time.nsAt(this.#time.nowMs()));
  }
}

/** Eight million chunks; later streams are not kept. */
const STAMP_BYTES_MAX = 67_108_864;
