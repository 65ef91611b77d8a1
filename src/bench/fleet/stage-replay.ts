// What the load of a stage tells its tap, told afterwards: samples of agents come when the load is over. For each its records
// and its line, as a load on this machine would have told them.

import type { EndedSample } from '../../core/run/ended-sample.ts';
import { OUTSIDE_WINDOWS } from '../../core/run/ended-sample.ts';
import { NO_FIGURE } from '../../core/run/event-record.ts';
import { EventBatchWriter } from '../../wire/event-batch-writer.ts';
import { encodeSampleLine } from '../../wire/sample-line.ts';
import type { LoadTap } from '../run/bench-parts.ts';

export class StageReplay {
  readonly #tap: LoadTap | undefined;
  readonly #writer = new EventBatchWriter({ sourceId: 1, runZeroNs: 0 });

  constructor(tap: LoadTap | undefined) {
    this.#tap = tap;
  }

  sample(sample: EndedSample): void {
    const tap = this.#tap;
    if (tap === undefined) return;
    const { sampleId, sentNs, intendedNs, connectNs, heldBackNs, firstContentNs, firstByteNs } = sample;
    const isWarmup = sample.window === OUTSIDE_WINDOWS;
    this.#writer.write({
      kind: 'sample.issued',
      sampleId,
      atNs: sentNs,
      intendedNs,
      connectNs,
      heldBackNs,
      isWarmup,
    });
    if (firstContentNs !== NO_FIGURE)
      this.#writer.write({ kind: 'sample.recv_first', sampleId, atNs: firstContentNs, firstByteNs });
    this.end();
    tap.sampleLines(Buffer.from(encodeSampleLine(sample)));
  }

  end(): void {
    const batch = this.#writer.take();
    if (batch !== undefined) this.#tap?.batch(batch);
  }
}
