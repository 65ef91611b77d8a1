// Takes what depth profiles of this machine told of an engine into the journal: from the report that the run left, once its end is
// known, so that nobody but who measured says it.

import type { Fact } from '../../core/event-kinds.ts';
import type { Run } from '../../core/run/run.ts';
import { isUnknown } from '../../core/unknown.ts';
import type { Recorded } from '../event-recorder.ts';
import { readReport } from './run-reports.ts';

export class EngineCalibrations {
  readonly #record: (fact: Fact) => Recorded;
  #waiting: Run[] = [];

  constructor(record: (fact: Fact) => Recorded) {
    this.#record = record;
  }

  /** Of other runs nothing is read. */
  ended(run: Run): void {
    if (run.dataset.startsWith(DEPTH_DATASET) && this.#waiting.length < WAITING_MAX) this.#waiting.push(run);
  }

  async look(): Promise<void> {
    const runs = this.#waiting;
    this.#waiting = [];
    for (const run of runs) {
      const calibration = (await readReport(run.directory))?.calibration;
      if (calibration === undefined || isUnknown(calibration) || calibration.runId !== run.runId) continue;
      this.#record({ kind: 'engine.calibrated', payload: { ...calibration, targetNode: run.targetNode } });
    }
  }
}

const WAITING_MAX = 16;
/** As the prompts of such a run describe themselves. */
const DEPTH_DATASET = 'depth profile:';
