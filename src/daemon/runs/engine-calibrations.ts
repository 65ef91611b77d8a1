// Stores the engine constants from depth profiles of this machine in the journal: read from the report of the run after its end,
// so that only the measuring machine reports them. If the daemon stopped in between, or its disk was full, it catches up after
// its next start.

import type { Clock } from '../../clock/clock.ts';
import type { Fact } from '../../core/event-kinds.ts';
import type { NodeId } from '../../core/ids.ts';
import type { EngineCalibration } from '../../core/model/engine-calibration.ts';
import type { Run } from '../../core/run/run.ts';
import type { State } from '../../core/state.ts';
import { isUnknown } from '../../core/unknown.ts';
import type { Recorded } from '../event-recorder.ts';
import { readReport } from './run-reports.ts';

export interface CalibrationParts {
  readonly nodeId: NodeId;
  readonly clock: Clock;
  readonly state: () => State;
  /** @param ageMs how long it has been true already; 0 without it. */
  readonly record: (fact: Fact, ageMs?: number) => Recorded;
}

export class EngineCalibrations {
  readonly #parts: CalibrationParts;
  #waiting: Run[] = [];
  #isTakenUp = false;

  constructor(parts: CalibrationParts) {
    this.#parts = parts;
  }

  /** Of other runs nothing is read. */
  ended(run: Run): void {
    if (isDepthProfile(run) && this.#waiting.length < WAITING_MAX) this.#waiting.push(run);
  }

  async look(): Promise<void> {
    this.#takeUp();
    const runs = this.#waiting;
    this.#waiting = [];
    for (const run of runs) {
      const calibration = (await readReport(run.directory))?.calibration;
      if (calibration === undefined || isUnknown(calibration) || calibration.runId !== run.runId) continue;
      const payload = { ...calibration, targetNode: run.targetNode };
      if (!this.#isKnown(payload))
        this.#parts.record({ kind: 'engine.calibrated', payload }, this.#ageMs(run));
    }
  }

  /** Once after a start: finished profiles of the journal without stored constants; the newest. */
  #takeUp(): void {
    if (this.#isTakenUp) return;
    this.#isTakenUp = true;
    const calibrated = new Set(this.#calibrations().map(({ runId }) => runId));
    Object.values(this.#parts.state().runs[this.#parts.nodeId] ?? {})
      .map(({ value }) => value)
      .filter(run => run.state !== 'running' && isDepthProfile(run) && !calibrated.has(run.runId))
      .toSorted((a, b) => (a.startedAt < b.startedAt ? 1 : -1))
      .slice(0, WAITING_MAX)
      .toReversed()
      .forEach(run => {
        this.ended(run);
      });
  }

  /** Stored already, or of an engine and model that were measured again since. */
  #isKnown({ calibrationKey, targetNode, runId }: EngineCalibration): boolean {
    const stored = this.#calibrations().find(
      one =>
        one.calibrationKey === calibrationKey &&
        (isUnknown(one.targetNode) ? isUnknown(targetNode) : one.targetNode === targetNode),
    );
    if (stored === undefined) return false;
    return stored.runId === runId || this.#startOf(stored.runId) > this.#startOf(runId);
  }

  /** ISO 8601; '' for a run that the state has let go, which is older than all that it holds. */
  #startOf(runId: EngineCalibration['runId']): string {
    return this.#parts.state().runs[this.#parts.nodeId]?.[runId]?.value.startedAt ?? '';
  }

  /** How long ago it was measured, by this machine's own clock. */
  #ageMs({ startedAt }: Run): number {
    const atMs = Date.parse(startedAt);
    return Number.isNaN(atMs) ? 0 : Math.max(0, this.#parts.clock.wallMs() - atMs);
  }

  #calibrations(): readonly EngineCalibration[] {
    const { nodeId, state } = this.#parts;
    return Object.values(state().engineCalibrations[nodeId] ?? {}).map(({ value }) => value);
  }
}

const isDepthProfile = ({ dataset }: Run): boolean => dataset.startsWith(DEPTH_DATASET);

const WAITING_MAX = 16;
/** As the prompts of such a run describe themselves. */
const DEPTH_DATASET = 'depth profile:';
