// The search for a load line with real stages: requests the next load from the pure search, runs it, and rewrites
// line.json after each. If it ends for any reason, the document contains what is known by then.

import { join } from 'node:path';
import { errorMessage } from '../../core/problem.ts';
import { type FailedStop, failedStop } from '../../core/run/failed-stop.ts';
import { judgedObjectives, judgedText, type Objective, objectiveFields } from '../../core/run/objective.ts';
import type { Report } from '../../core/run/report.ts';
import { lineCost } from '../../core/sweep/line-cost.ts';
import { type Stage, stageConfidence } from '../../core/sweep/stage.ts';
import {
  LINE_SCHEMA,
  type LineDocument,
  type LoadLine,
  type SweepHead,
  type SweepResume,
} from '../../core/sweep/sweep-document.ts';
import { knownOr, type Reported, unknown } from '../../core/unknown.ts';
import { writeFileAtomic } from '../../process/atomic-file.ts';
import { diskReason } from '../../process/disk-reason.ts';
import { judgedObjectiveText } from '../../render/run/objective-text.ts';
import { stageLabel } from '../../render/sweep/line-text.ts';
import { FILE_COLUMNS, sweepText } from '../../render/sweep/sweep-text.ts';
import { sweepDocumentToJson } from '../../wire/stored-json.ts';
import { BenchError } from '../bench-error.ts';
import { foundLine, lineSentence, type SearchEnd } from '../line/found-line.ts';
import { NO_EVIDENCE } from '../line/line-estimate.ts';
import {
  capacityChange,
  capacityEstimate,
  idleLatencyNs,
  loadOf,
  nextStep,
  type SearchOptions,
  stepsExpected,
} from '../line/line-search.ts';
import { nextTierStep, searchedStages, type TierStep } from '../line/searched-stages.ts';
import { type BenchRequest, datasetLabel } from '../run/bench-request.ts';
import { laneRampMs, runStage, type StageParts } from './run-stage.ts';

interface LineRequest {
  readonly search: SearchOptions;
  readonly budgetMs: number;
  /** Of a new search, or one that is resumed, with the stages that count. */
  readonly start: SweepHeadOptions | LineDocument;
}

interface LineObserver {
  /** After each change, about once a second while a stage runs. */
  changed(document: LineDocument): void;
  /** Called when its run has its report; the next stage waits. */
  stageEnded(report: Report): Promise<void>;
}

export interface LineResult {
  readonly document: LineDocument;
  readonly diskProblems: readonly string[];
}

/** @throws BenchError when not even the first stage could begin. */
export const runLine = async (
  request: LineRequest,
  parts: StageParts,
  observer: LineObserver,
): Promise<LineResult> => {
  const line = new LineRun(request, parts, observer);
  return await line.run();
};

class LineRun {
  readonly #request: LineRequest;
  readonly #parts: StageParts;
  readonly #observer: LineObserver;
  readonly #stages: Stage[];
  readonly #startMs: number;
  #usedMs = 0;
  #head: ReturnType<typeof sweepHead>;
  #step: TierStep | undefined;
  #failed: FailedStop | undefined;

  constructor(request: LineRequest, parts: StageParts, observer: LineObserver) {
    this.#request = request;
    const { attainment } = parts.request;
    this.#parts = {
      ...parts,
      request: withFailuresCounted(parts.request),
      tiers: (parts.tiers ?? []).map(({ name, objectives }) => ({
        name,
        objectives: failuresCounted(objectives, attainment),
      })),
    };
    this.#observer = observer;
    const { start } = request;
    if ('stages' in start) {
      this.#stages = [...start.stages];
      this.#usedMs = knownOr(start.usedMs, 0);
      this.#head = start;
    } else {
      this.#stages = [];
      this.#head = sweepHead(start, this.#parts);
    }
    // As if nothing had interrupted it.
    this.#startMs = parts.bench.clock.nowMs() - this.#usedMs;
  }

  async run(): Promise<LineResult> {
    const { search } = this.#request;
    const problems: string[] = [];
    const stagesBefore = this.#stages.length;
    for (;;) {
      this.#step = this.#parts.bench.stop.aborted
        ? undefined
        : nextTierStep(this.#stages, this.#tierNames, search, this.#leftMs);
      if (this.#step === undefined) break;
      try {
        this.#failed = await this.#stage(this.#step, this.#stages.length === stagesBefore);
      } catch (error) {
        // What had not begun is no stage.
        this.#stages.length = this.#stages.filter(({ state }) => state === 'ended').length;
        // A failing first stage means that there is nothing to search; a later one, that the endpoint is gone.
        if (this.#stages.length === 0) throw error;
        if (this.#parts.bench.stop.aborted) break;
        if (!(error instanceof BenchError)) throw error;
        problems.push(errorMessage(error));
        break;
      }
      await this.#write(this.#document('running'), problems);
      // After a crash, the results of a later stage would be lost.
      if (problems.length > 0 || this.#failed !== undefined) break;
    }
    const isStopped = this.#parts.bench.stop.aborted;
    const isCut = problems.length > 0 || this.#failed !== undefined;
    const document = this.#document(isStopped ? 'stopped' : isCut ? 'interrupted' : 'complete');
    const text = sweepText(document, { isUnicode: true, columns: FILE_COLUMNS });
    await this.#write(document, problems, text);
    this.#observer.changed(document);
    return { document, diskProblems: problems };
  }

  /** @returns why the search ends with it; undefined: it continues */
  async #stage({ step, tier }: TierStep, isFirst: boolean): Promise<FailedStop | undefined> {
    const number = this.#stages.length + 1;
    const { seed } = this.#head;
    const searched = searchedStages(this.#stages, tier);
    const rampMs = laneRampMs(step.load, this.#stages);
    const { stage, report } = await runStage(
      {
        number,
        load: step.load,
        purpose: step.purpose,
        tier,
        // Each has its own arrivals and prompts, so that a second measurement is independent.
        seed: seed + number - 1,
        durationMs: Math.max(STAGE_MS_LEAST, Math.min(step.durationMs, this.#leftMs - (rampMs ?? 0))),
        ...(rampMs === undefined ? {} : { rampMs }),
        // Compilers, caches and connections are cold only once; later stages cut their own start.
        warmup: isFirst ? this.#parts.request.warmup : LATER_WARMUP,
        goal:
          step.count === undefined
            ? {
                kind: 'decide',
                idleLatencyNs: idleLatencyNs(searched),
                capacityPerSecond: searched.length === 0 ? undefined : capacityEstimate(searched),
              }
            : { kind: 'count', ended: step.count },
      },
      {
        ...this.#parts,
        confidence: stageConfidence(step.purpose, this.#parts.confidence),
        observer: {
          phase: phase => this.#parts.observer.phase(phase),
          snapshot: snapshot => this.#parts.observer.snapshot(snapshot),
          run: (run, begun) => {
            this.#head = {
              ...this.#head,
              model: run.config.run.model,
              serverKind: run.config.run.serverKind,
            };
            this.#parts.observer.run(run, begun);
          },
          changed: changed => {
            this.#stages[number - 1] = changed;
            this.#parts.observer.changed(changed);
            this.#observer.changed(this.#document('running'));
          },
          notice: text => this.#parts.observer.notice(text),
        },
      },
    );
    await this.#observer.stageEnded(report);
    if (stage.verdict !== 'stopped') this.#usedMs = this.#request.budgetMs - this.#leftMs;
    const stopped = failedStop(report, stageLabel(stage));
    // At too high a load, all requests may fail, and the search then continues below it.
    const hasSucceeded = searchedStages(this.#stages, tier).some(each => each.completedPerSecond > 0);
    return stopped?.cause === 'nothing-succeeded' && hasSucceeded ? undefined : stopped;
  }

  /** The search's own objectives first. */
  get #tierNames(): readonly (string | undefined)[] {
    return [undefined, ...(this.#parts.tiers ?? []).map(({ name }) => name)];
  }

  get #leftMs(): number {
    return this.#request.budgetMs - (this.#parts.bench.clock.nowMs() - this.#startMs);
  }

  #document(state: LineDocument['state']): LineDocument {
    const { search, budgetMs } = this.#request;
    const end: SearchEnd =
      state === 'stopped'
        ? 'stopped'
        : state !== 'running' && this.#leftMs < BUDGET_END_MS
          ? 'budget'
          : undefined;
    const failed = this.#failed;
    const { request, tiers = [] } = this.#parts;
    const { by } = search;
    const stages = [...this.#stages];
    const { line, sentence } = this.#result(undefined, request.objectives, end);
    const cost = lineCost({ line, stages, by });
    return {
      ...this.#head,
      schema: LINE_SCHEMA,
      state,
      stages,
      ...(failed === undefined ? {} : { stopped: failed }),
      by,
      ...(search.concurrencyOf === undefined ? {} : { concurrencyOf: search.concurrencyOf }),
      resolution: search.resolution,
      confidence: this.#parts.confidence,
      budgetMs,
      usedMs: this.#usedMs,
      line,
      sentence,
      ...(cost === undefined ? {} : { cost }),
      ...(tiers.length === 0
        ? {}
        : {
            tiers: tiers.map(({ name, objectives }) => ({
              name,
              objectives: judgedBy(objectives, request.attainment).map(judgedText),
              ...this.#result(name, objectives, end),
            })),
          }),
      ...(state === 'running' ? { progress: this.#progress() } : {}),
    };
  }

  #result(
    tier: string | undefined,
    objectives: readonly Objective[],
    end: SearchEnd,
  ): Pick<LineDocument, 'line' | 'sentence'> {
    const { search } = this.#request;
    const searched = searchedStages(this.#stages, tier);
    const found = foundLine(searched, search, end);
    const line: LoadLine =
      this.#failed !== undefined && found.kind === 'unknown'
        ? { ...found, reason: this.#failed.problem }
        : found;
    const sentence = lineSentence(line, {
      ...search,
      objectives: judgedBy(objectives, this.#parts.request.attainment).map(judgedObjectiveText),
      change: capacityChange(searched, search),
    });
    return { line, sentence };
  }

  #progress(): NonNullable<LineDocument['progress']> {
    const { search } = this.#request;
    const tiers = this.#tierNames;
    const stagesDone = this.#stages.filter(({ evidence }) => evidence !== undefined).length;
    const after = (verdict: 'held' | 'missed') => {
      const step = this.#step?.step;
      if (step === undefined || step.load.kind !== search.by || step.purpose === 'alone')
        return unknown('the search has only begun');
      if (tiers.length > 1) return unknown('it depends on the results of every tier');
      const searched = searchedStages(this.#stages, undefined);
      const then = nextStep(
        [...searched, { ...step, verdict, completedPerSecond: 0, evidence: NO_EVIDENCE }],
        search,
        this.#leftMs,
      );
      return then === undefined ? unknown('the line would be found') : loadOf(then.load);
    };
    const expected = tiers.map(tier => stepsExpected(searchedStages(this.#stages, tier), search));
    const isRunning = this.#stages.length > stagesDone;
    return {
      stagesDone,
      stagesExpected:
        stagesDone +
        Math.max(
          isRunning ? 1 : 0,
          expected.reduce((sum, steps) => sum + steps, 0),
        ),
      leftMs: Math.max(0, this.#leftMs),
      next: { ifHeld: after('held'), ifFailed: after('missed') },
    };
  }

  async #write(document: LineDocument, problems: string[], text?: readonly string[]): Promise<void> {
    const { directory } = this.#parts;
    try {
      await writeFileAtomic(join(directory, LINE_NAME), sweepDocumentToJson(document));
      if (text !== undefined) await writeFileAtomic(join(directory, 'line.txt'), `${text.join('\n')}\n`);
    } catch (error) {
      const problem = `${LINE_NAME} could not be written: ${diskReason(error)}`;
      if (!problems.includes(problem)) problems.push(problem);
    }
  }
}

/**
 * A load is not met if requests are refused: without an objective that counts failed requests, such as one for a mean
 * or none at all, at most as many may fail as may miss the objectives of a request.
 */
export const withFailuresCounted = (request: BenchRequest): BenchRequest => ({
  ...request,
  objectives: failuresCounted(request.objectives, request.attainment),
});

const failuresCounted = (objectives: readonly Objective[], attainment: number): readonly Objective[] =>
  objectives.some(({ kind }) => kind !== 'mean')
    ? objectives
    : [...objectives, { kind: 'error-rate', limitShare: 1 - attainment }];

const judgedBy = (
  objectives: readonly Objective[],
  attainment: number,
): ReturnType<typeof judgedObjectives> => judgedObjectives(objectiveFields(objectives, attainment));

const LINE_NAME = 'line.json';
/** A stage has to begin and to end. */
const LATER_WARMUP = { kind: 'requests', count: 1 } as const;
const BUDGET_END_MS = 1_000;
const STAGE_MS_LEAST = 1_000;

// The part of sweep.json and line.json about how they were requested.
interface SweepHeadOptions {
  readonly id: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** The command that repeats it, without secrets. */
  readonly command: string;
  readonly resume: Reported<SweepResume>;
}

const sweepHead = (
  { id, startedAt, command, resume }: SweepHeadOptions,
  { request, bench }: Pick<StageParts, 'request' | 'bench'>,
): Omit<SweepHead, 'state' | 'stages'> => ({
  id,
  plimsoll: { version: bench.version },
  name: request.name ?? unknown('not named'),
  tags: request.tags,
  startedAt,
  target: request.target.shown,
  model: request.model ?? unknown('the server has not been queried yet'),
  serverKind: unknown('the server has not been queried yet'),
  dataset: datasetLabel(request.dataset),
  objectives: judgedBy(request.objectives, request.attainment).map(judgedText),
  attainment: request.attainment,
  seed: request.seed,
  command,
  resume,
  environment: bench.environment,
});
