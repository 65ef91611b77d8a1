// A sweep: the loads that a person named, one stage after another. The state is in a document that is rewritten when
// a stage begins and when it has ended, so that a crash costs at most the current stage.

import { pause } from '../../clock/clock.ts';
import { errorCode } from '../../core/problem.ts';
import { failedStop, failedStopReason } from '../../core/run/failed-stop.ts';
import type { Stage, StageLoad } from '../../core/sweep/stage.ts';
import type { SweepDocument } from '../../core/sweep/sweep-document.ts';
import { isUnknown } from '../../core/unknown.ts';
import { diskReason } from '../../process/disk-reason.ts';
import { loadText, stageLabel } from '../../render/sweep/line-text.ts';
import { BenchError } from '../bench-error.ts';
import type { StartedRun } from '../run/bench-parts.ts';
import type { Warmup } from '../run/bench-request.ts';
import { type EndedStage, laneRampMs, runStage, type StageParts } from './run-stage.ts';

export interface SweepOrder {
  /** Duration of each stage, ms. */
  readonly durationMs: number;
  readonly warmup: Warmup;
  /** Pause between two stages, for the server to become idle, ms. */
  readonly pauseMs: number;
  /** Continue beyond a load that is over capacity. */
  readonly isStubborn: boolean;
}

interface SweepParts {
  readonly stage: Omit<StageParts, 'observer'>;
  /** The document before the first stage: empty, or from an earlier attempt. */
  readonly document: SweepDocument;
  /** @throws the file system's error */
  write(document: SweepDocument): Promise<void>;
  readonly observer: SweepObserver;
}

interface SweepObserver extends Pick<StageParts['observer'], 'phase' | 'snapshot' | 'notice'> {
  /** Called when the run of a stage has begun. */
  stageBegan(run: StartedRun, stage: Stage): void;
  /** Called when it is over and nothing of it is in flight. */
  stageEnded(ended: EndedStage): Promise<void>;
  /** About once a second, and at each change. */
  changed(document: SweepDocument): void;
}

/** @throws BenchError if not even the first stage could begin. */
export const runSweep = async (order: SweepOrder, parts: SweepParts): Promise<SweepDocument> => {
  const sweep = new Sweep(parts);
  const { clock, stop } = parts.stage.bench;
  let isFirst = true;
  for (const [index, load] of parts.document.requested.entries()) {
    const number = index + 1;
    if (sweep.hasStage(number) || (!order.isStubborn && sweep.isBeyondCapacity(load))) continue;
    if (!isFirst) await pause(clock, order.pauseMs, stop);
    if (stop.aborted) break;
    isFirst = false;
    const isOver = await sweep.run(number, load, order);
    if (isOver) break;
  }
  return await sweep.end();
};

class Sweep {
  readonly #parts: SweepParts;
  #document: SweepDocument;
  #writing: Promise<void> = Promise.resolve();
  #diskProblem: unknown;

  constructor(parts: SweepParts) {
    this.#parts = parts;
    this.#document = { ...parts.document, state: 'running' };
  }

  hasStage(number: number): boolean {
    return this.#document.stages.some(stage => stage.number === number);
  }

  /** Capacity of the endpoint, or of this client: more load would only make the queue grow faster. */
  isBeyondCapacity(load: StageLoad): boolean {
    return this.#document.stages.some(
      stage =>
        isCutShort(stage) && stage.load.kind === load.kind && loadAmount(load) >= loadAmount(stage.load),
    );
  }

  /** @returns whether the sweep ends with it. */
  async run(number: number, load: StageLoad, { durationMs, warmup }: SweepOrder): Promise<boolean> {
    const { stage, document, observer } = this.#parts;
    const rampMs = stage.request.shape.rampMs > 0 ? undefined : laneRampMs(load, this.#document.stages);
    try {
      const ended = await runStage(
        {
          number,
          load,
          purpose: 'asked',
          seed: document.seed + number - 1,
          durationMs,
          warmup,
          ...(rampMs === undefined ? {} : { rampMs }),
          goal: { kind: 'measure' },
        },
        {
          ...stage,
          observer: {
            run: (run, begun) => {
              const { model, serverKind, dataset } = run.config.run;
              const isFirst = this.#document.stages.length === 0;
              // Prompts are drawn again for each stage: the facts of the first apply to all.
              const known = { model, serverKind, ...(isFirst ? { dataset } : {}) };
              this.#publish({ ...this.#document, ...known }, begun);
              this.#write();
              observer.stageBegan(run, begun);
            },
            phase: phase => observer.phase(phase),
            snapshot: snapshot => observer.snapshot(snapshot),
            changed: changed => this.#publish(this.#document, changed),
            notice: text => observer.notice(text),
          },
        },
      );
      this.#publish(this.#document, ended.stage);
      this.#write();
      await observer.stageEnded(ended);
      const stopped = failedStop(ended.report, stageLabel(ended.stage));
      if (stopped !== undefined) {
        const endedEarly = `it ended ${failedStopReason(stopped)}`;
        this.#document = { ...this.#document, state: 'interrupted', endedEarly, stopped };
        return true;
      }
      return ended.stage.verdict === 'stopped' || (await this.#cannotWrite());
    } catch (error) {
      // What had not begun is no stage.
      const stages = this.#document.stages.filter(({ state }) => state === 'ended');
      this.#document = { ...this.#document, stages };
      if (stages.length === 0) throw error;
      if (stage.bench.stop.aborted) return true;
      if (!(error instanceof BenchError)) throw error;
      // Earlier results are kept although the server has disappeared.
      const endedEarly = `${loadText(load)} could not be tried: ${error.problem.problem}`;
      this.#document = { ...this.#document, state: 'interrupted', endedEarly };
      return true;
    }
  }

  async end(): Promise<SweepDocument> {
    const document = this.#document;
    const isStopped = this.#parts.stage.bench.stop.aborted;
    const left = document.requested.filter((_, index) => !this.hasStage(index + 1));
    const state = document.state !== 'running' ? document.state : isStopped ? 'stopped' : 'complete';
    const { endedEarly = earlyEnd(left, isStopped), ...rest } = document;
    this.#document = { ...rest, state, ...(endedEarly === undefined ? {} : { endedEarly }) };
    this.#write();
    await this.#cannotWrite();
    this.#parts.observer.changed(this.#document);
    return this.#document;
  }

  /** The sweep ends: results so far are reported, and no load is measured whose result could be lost. */
  async #cannotWrite(): Promise<boolean> {
    await this.#writing;
    const problem = this.#diskProblem;
    if (problem === undefined) return false;
    if (errorCode(problem) === undefined) throw problem;
    const { state } = this.#document;
    if (state !== 'stopped') {
      const endedEarly = `sweep.json could not be written: ${diskReason(problem)}`;
      this.#document = { ...this.#document, state: 'interrupted', endedEarly };
    }
    return true;
  }

  /** Reports the document with the current state of a stage. */
  #publish(document: SweepDocument, stage: Stage): void {
    const others = document.stages.filter(({ number }) => number !== stage.number);
    const stages = [...others, stage].sort((a, b) => a.number - b.number);
    this.#document = { ...document, stages };
    this.#parts.observer.changed(this.#document);
  }

  /** Writes one after another, the newest last. */
  #write(): void {
    const document = this.#document;
    this.#writing = this.#writing
      .then(() => this.#parts.write(document))
      .then(
        () => {
          this.#diskProblem = undefined;
        },
        // A later write may succeed; the last one counts.
        (error: unknown) => {
          this.#diskProblem = error;
        },
      );
  }
}

const isCutShort = ({ verdict, figures }: Stage): boolean =>
  verdict === 'over-capacity' || (verdict === 'client-bound' && !isUnknown(figures) && figures.cancelled > 0);

const earlyEnd = (left: readonly StageLoad[], isStopped: boolean): string | undefined => {
  if (left.length === 0) return undefined;
  const loads = left.map(loadText).join(', ');
  return isStopped
    ? `it was stopped before ${loads}`
    : `${loads} ${left.length === 1 ? 'was' : 'were'} not tried: at a load below the queue grew`;
};

const loadAmount = (load: StageLoad): number =>
  load.kind === 'rate' ? load.requestsPerSecond : load.concurrency;
