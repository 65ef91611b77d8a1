// The sample file of one agent as a sorted run: one sample after another with its stamps in the coordinator's time,
// and its line for the merged file. All stamps of a sample are shifted equally, by whole nanoseconds, so that its
// durations do not change.

import type { EndedSample } from '../../core/run/ended-sample.ts';
import type { SkippedTurn } from '../../core/run/session-outcome.ts';
import { type FileBlock, fileBlocks } from '../../metrics/file-lines.ts';
import { SAMPLE_LINE_BYTES_MAX } from '../../metrics/samples-file.ts';
import {
  readOwnSampleLine,
  SAMPLE_HEAD_ROOM,
  shiftedSample,
  writeSampleLineHead,
} from '../../wire/own-sample-line.ts';
import { decodeSampleLine, encodeSampleLine } from '../../wire/sample-line.ts';
import type { ClockLine } from './clock-offset.ts';

export interface AgentSamples {
  /** Its sample file as received; undefined: there is none. */
  readonly path: string | undefined;
  /** Zero of its run on its own clock: the origin of its stamps. */
  readonly runZeroNs: number;
  readonly clock: ClockLine;
  /** Called for a turn that was never sent: it has no time, and so no position among the samples. */
  readonly skipped: (turn: SkippedTurn) => void;
  /** Called for a line that is not a complete sample. */
  readonly unreadable: (reason: string) => void;
}

export class SampleRun {
  readonly agent: number;
  readonly #source: AgentSamples;
  readonly #blocks: AsyncGenerator<FileBlock, void, void> | undefined;
  /** Bytes of it that are still unread. */
  #block: Buffer = NOTHING;
  #from = 0;
  #sample: EndedSample | undefined;
  /** The part of its line that does not depend on the clock; undefined if the line was rewritten. */
  #tail: Buffer | undefined;
  #line: Buffer = NOTHING;

  constructor(agent: number, source: AgentSamples) {
    this.agent = agent;
    this.#source = source;
    const { path } = source;
    this.#blocks = path === undefined ? undefined : fileBlocks(path, { lineBytesMax: SAMPLE_LINE_BYTES_MAX });
  }

  /** The next sample; undefined past the last. */
  get sample(): EndedSample | undefined {
    return this.#sample;
  }

  /** Maximum size of the next sample's line, in bytes. */
  get lineBytesMax(): number {
    return SAMPLE_HEAD_ROOM + (this.#tail ?? this.#line)?.length;
  }

  /** Writes the next sample's line with its line feed. @returns where it ends */
  writeLine(bytes: Buffer, at: number): number {
    if (this.#sample === undefined) return at;
    if (this.#tail === undefined) return at + this.#line.copy(bytes, at);
    const end = writeSampleLineHead(this.#sample, bytes, at);
    return end + this.#tail.copy(bytes, end);
  }

  /** Moves on within the bytes read so far. @returns false if more has to be read */
  next(): boolean {
    this.#sample = undefined;
    while (this.#from < this.#block.length) {
      const from = this.#from;
      const end = this.#block.indexOf(LINE_FEED, from);
      this.#from = end + 1;
      if (this.#take(from, end)) return true;
    }
    return false;
  }

  /** @returns false past the last */
  async load(): Promise<boolean> {
    for (;;) {
      const block = (await this.#blocks?.next())?.value ?? undefined;
      if (block === undefined) return false;
      if (block.kind === 'too-long') {
        this.#source.unreadable('a line is too long');
        continue;
      }
      this.#block = block.kind === 'lines' ? block.bytes : Buffer.concat([block.bytes, LINE_END]);
      this.#from = 0;
      if (this.next()) return true;
    }
  }

  #take(from: number, to: number): boolean {
    const own = readOwnSampleLine(this.#block, { from, to, shiftOf: this.#shiftOf });
    if (own !== undefined) {
      this.#sample = own.sample;
      this.#tail = this.#block.subarray(own.tailAt, to + 1);
      return true;
    }
    const decoded = decodeSampleLine(this.#block.toString('utf8', from, to));
    if (decoded.kind === 'skipped') this.#source.skipped(decoded.turn);
    if (decoded.kind === 'unreadable') this.#source.unreadable(decoded.reason);
    if (decoded.kind !== 'sample') return false;
    this.#sample = shiftedSample(decoded.sample, this.#shiftOf(decoded.sample.sentNs));
    this.#tail = undefined;
    this.#line = Buffer.from(encodeSampleLine(this.#sample));
    return true;
  }

  readonly #shiftOf = (sentNs: number): number =>
    Math.round(this.#source.clock.toCoordinatorNs(this.#source.runZeroNs + sentNs)) - sentNs;
}

const LINE_FEED = 0x0a;
const LINE_END: Buffer = Buffer.from('\n');
const NOTHING: Buffer = Buffer.alloc(0);
