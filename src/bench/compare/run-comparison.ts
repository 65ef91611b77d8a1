// A comparison by pairs: both sides warmed up, then segment after segment in the order of the plan, with the same
// seed inside a pair and a rest between segments. A crash costs at most one pair.

import { join } from 'node:path';
import { pause } from '../../clock/clock.ts';
import type { ComparisonDocument, ComparisonPlan } from '../../core/comparison/comparison-document.ts';
import type { PairQuestion } from '../../core/comparison/judge-pairs.ts';
import { isLongEnough, SEGMENT_RULES } from '../../core/comparison/pair-plan.ts';
import { COMPARISON_TAG } from '../../core/comparison/reported-comparison.ts';
import { type FailedStop, failedStop } from '../../core/run/failed-stop.ts';
import type { Report } from '../../core/run/report.ts';
import { type RunTags, TAGS_MAX } from '../../core/run/run-shape.ts';
import { isUnknown } from '../../core/unknown.ts';
import { BenchError } from '../bench-error.ts';
import type { StartedRun } from '../run/bench-parts.ts';
import { ComparedSide, type SideParts, segmentDirectory } from './compared-side.ts';
import { ComparisonAccount } from './comparison-account.ts';
import type { KeptPairs } from './comparison-directory.ts';
import { spoiledApart } from './pair-refusals.ts';
import { type EndedSegment, runSegment, type SegmentOrder, type SegmentParts } from './run-segment.ts';

export interface ComparisonOrder extends PairQuestion {
  readonly isSegmentFixed: boolean;
  /** Duration of the load on each side before the first pair, which is not counted. */
  readonly warmupMs: number;
  /** Pause between two segments, after the last reply. */
  readonly restMs: number;
  readonly seed: number;
  /** Each side's server must be restarted after the other one was measured. */
  readonly isOneAtATime: boolean;
}

interface ComparisonParts {
  readonly segment: Omit<SegmentParts, 'observer'>;
  readonly a: SideParts;
  readonly b: SideParts;
  /** Absolute path of an existing, empty directory. */
  readonly directory: string;
  /** The document before the first segment. */
  readonly document: ComparisonDocument;
  /** Pairs of an earlier session that this one continues. */
  readonly kept?: KeptPairs;
  /** @throws the file system's error */
  write(document: ComparisonDocument): Promise<void>;
  readonly observer: ComparisonObserver;
}

interface ComparisonObserver extends Pick<SegmentParts['observer'], 'phase' | 'snapshot' | 'notice'> {
  /** Called when the run of a segment or warm-up has begun; `directory` is relative to the comparison's. */
  segmentBegan(run: StartedRun, directory: string): void;
  /** Called when it is over and nothing of it is in flight. */
  segmentEnded(report: Report): Promise<void>;
  changed(document: ComparisonDocument): void;
}

/** @throws BenchError if not even a warm-up could begin. */
export const runComparison = async (
  order: ComparisonOrder,
  parts: ComparisonParts,
): Promise<ComparisonDocument> => await new Comparison(order, parts).run();

type Letter = 'A' | 'B';

class Comparison {
  readonly #order: ComparisonOrder;
  readonly #parts: ComparisonParts;
  readonly #sides: { readonly A: ComparedSide; readonly B: ComparedSide };
  readonly #account: ComparisonAccount;
  readonly #warm = new Set<Letter>();
  #warmUps = 0;
  #segments = 0;
  #longestMs = 0;
  #repeated = 0;
  /** The side whose server was last started or loaded. */
  #newest: ComparedSide | undefined;
  #failed: FailedStop | undefined;
  /** Suffix of the folders of a repeated pair. */
  #again = '';

  constructor(order: ComparisonOrder, parts: ComparisonParts) {
    this.#order = order;
    this.#parts = parts;
    const { kept } = parts;
    this.#sides = {
      A: new ComparedSide('a', parts.a, kept?.a),
      B: new ComparedSide('b', parts.b, kept?.b),
    };
    for (const { unit } of [...(kept?.a ?? []), ...(kept?.b ?? [])])
      this.#lengthen(isUnknown(unit.windowNs) ? 0 : unit.windowNs / 1e6);
    this.#account = new ComparisonAccount({
      pairs: kept?.a.length ?? 0,
      question: order,
      restMs: order.restMs,
      a: this.#sides.A,
      b: this.#sides.B,
      document: parts.document,
      write: document => parts.write(document),
      changed: document => parts.observer.changed(document),
    });
  }

  async run(): Promise<ComparisonDocument> {
    try {
      // Written first, so that after any failure the request is known and the comparison can be resumed.
      await this.#account.write();
      if (this.#account.document.endedEarly === undefined) {
        for (const letter of this.#firstWarmUps()) await this.#warmUp(letter);
        this.#account.judge();
        await this.#account.write();
        await this.#measure();
      }
    } catch (error) {
      // A stop ends it with the results so far, and so does a server that disappears after the first segment.
      const hasSome = this.#segments > 0 || this.#account.pairs > 0;
      const isKept = this.#isStopped || (hasSome && error instanceof BenchError);
      if (!isKept) throw error;
      if (this.#failed !== undefined) this.#account.endStopped(this.#failed);
      else if (error instanceof BenchError) {
        const side = this.#newest === undefined ? '' : ` with ${sideTarget(this.#newest)}`;
        this.#account.endEarly(
          `pair ${this.#account.pairs + 1} could not be measured${side}: ${error.problem.problem}`,
        );
      }
    }
    return await this.#account.end(this.#isStopped);
  }

  /**
   * With one server at a time, each side is started and warmed up right before its first segment: starting may take
   * minutes.
   */
  #firstWarmUps(): readonly Letter[] {
    return this.#order.isOneAtATime ? [] : ['A', 'B'];
  }

  get #isStopped(): boolean {
    return this.#parts.segment.bench.stop.aborted;
  }

  async #measure(): Promise<void> {
    const account = this.#account;
    const { order } = this.#order.plan;
    while (!account.isRefused && account.document.endedEarly === undefined) {
      const number = account.pairs + 1;
      const letters = order.slice(2 * account.pairs, 2 * number);
      if (letters === '' || !(await this.#pair(number, letters))) return;
      if (this.#isToBeRepeated(number)) continue;
      const isOver = account.pairEnded();
      await account.write();
      if (isOver) return;
    }
  }

  /** Before the first pair, and whenever its server was restarted. */
  async #warmUp(letter: Letter): Promise<void> {
    const { warmupMs, seed } = this.#order;
    const side = this.#sides[letter];
    this.#newest = side;
    const { stop } = this.#parts.segment.bench;
    if ((await side.parts.ready(stop)) === 'known' && this.#warm.has(letter)) return;
    this.#warm.add(letter);
    this.#warmUps += 1;
    this.#account.segmentBegan(undefined);
    await this.#segment(side, {
      directory: `warm-up-${String(this.#warmUps).padStart(2, '0')}-${side.letter}`,
      seed,
      rules: { durationMs: warmupMs, requests: 0, latencies: 0 },
      isFixed: true,
    });
  }

  /** A segment that took longer than planned makes all later ones as long. */
  #lengthen(elapsedMs: number): void {
    if (elapsedMs > this.#order.plan.segment.durationMs + LENGTH_SLACK_MS)
      this.#longestMs = Math.max(this.#longestMs, elapsedMs - LENGTH_SLACK_MS);
  }

  /** Before the first pair is done: a different model is detected as soon as both sides have replied. */
  #isRefusedUnmeasured(): boolean {
    if (this.#account.pairs > 0 || this.#warm.size < 2) return false;
    this.#account.judge();
    return this.#account.isRefused;
  }

  /** @returns false if it was stopped, or refused, before the end. */
  async #pair(number: number, letters: string): Promise<boolean> {
    const { plan, isSegmentFixed, restMs } = this.#order;
    const { clock, stop } = this.#parts.segment.bench;
    const seed = this.#order.seed + number + SEEDS_APART * this.#repeated;
    for (const order of [1, 2] as const) {
      const letter = letters[order - 1] === 'A' ? 'A' : 'B';
      const side = this.#sides[letter];
      await pause(clock, restMs, stop);
      if (this.#isStopped) return false;
      await this.#warmUp(letter);
      if (this.#isStopped || this.#isRefusedUnmeasured()) return false;
      this.#account.segmentBegan({ pair: number, side: side.letter });
      const directory = `${segmentDirectory(number, side.letter)}${this.#again}`;
      const ended = await this.#segment(side, {
        directory,
        seed,
        // Both segments of a pair have the same length, also when the length was extended because requests are few.
        rules: { ...plan.segment, durationMs: Math.max(plan.segment.durationMs, this.#longestMs) },
        isFixed: isSegmentFixed,
      });
      // An interrupted segment does not match the other one of its pair.
      if (this.#isStopped) return false;
      const { elapsedMs } = ended.soFar;
      this.#account.segmentEnded(elapsedMs);
      this.#lengthen(elapsedMs);
      side.add(ended.report, { number, seed, order }, directory);
      this.#account.addNotices(segmentNotes(ended, letter, this.#order));
    }
    return true;
  }

  /**
   * A pair in which the client was the limit shows nothing about the servers, and a pair of which one segment alone
   * was contaminated may show nothing either: a few are measured again, independent of their figures. A side that is
   * contaminated twice has it as a property.
   */
  #isToBeRepeated(number: number): boolean {
    const { A, B } = this.#sides;
    const [ofA, ofB] = [A.reports[number - 1], B.reports[number - 1]];
    const why = ofA === undefined || ofB === undefined ? undefined : this.#disturbance(ofA, ofB);
    const isRepeatable = !this.#account.document.isAnyway && this.#repeated < REPEATED_PAIRS_MAX;
    if (!isRepeatable || why === undefined) {
      this.#again = '';
      return false;
    }
    A.dropNewest();
    B.dropNewest();
    this.#repeated += 1;
    this.#again = `-again-${this.#repeated}`;
    this.#account.addNotices([
      `Pair ${number} was measured again, because ${why}; its first figures are stored, but not counted`,
    ]);
    return true;
  }

  #disturbance(a: Report, b: Report): string | undefined {
    if (this.#account.isHindered([a, b])) return 'this client was in the way';
    const apart = this.#again === '' ? spoiledApart(a, b) : [];
    return apart.length === 0 ? undefined : `one of its segments alone was spoiled (${apart.join(', ')})`;
  }

  async #segment(
    side: ComparedSide,
    order: Pick<SegmentOrder, 'directory' | 'seed' | 'rules' | 'isFixed'>,
  ): Promise<EndedSegment> {
    const { segment, observer, directory } = this.#parts;
    const { request } = side.parts;
    this.#newest = side;
    segment.bench.stop.throwIfAborted();
    const ended = await runSegment(
      {
        ...order,
        number: this.#segments + 1,
        request: { ...request, tags: { ...request.tags, ...this.#segmentTags(side, order.directory) } },
        directory: join(directory, order.directory),
      },
      {
        ...segment,
        observer: {
          run: run => {
            side.began(run);
            this.#segments += 1;
            observer.segmentBegan(run, order.directory);
          },
          phase: phase => observer.phase(phase),
          snapshot: snapshot => observer.snapshot(snapshot),
          notice: text => observer.notice(text),
        },
      },
    );
    await observer.segmentEnded(ended.report);
    const { stopped } = ended.report;
    this.#failed = failedStop(ended.report, sideTarget(side));
    if (stopped !== undefined)
      throw new BenchError({ code: 'rejected', problem: stopped.problem, advice: stopped.advice });
    return ended;
  }

  /** Tags that separate the runs of a comparison from others in every list of runs. */
  #segmentTags({ letter, parts }: ComparedSide, directory: string): RunTags {
    const tags: RunTags = { [COMPARISON_TAG]: this.#parts.document.id, side: letter, segment: directory };
    return Object.keys({ ...parts.request.tags, ...tags }).length <= TAGS_MAX ? tags : {};
  }
}

/** "B, http://127.0.0.1:8001" */
const sideTarget = ({ letter, parts }: ComparedSide): string =>
  `${letter.toUpperCase()}, ${parts.request.target.shown}`;

/** Limit over a whole comparison. */
const REPEATED_PAIRS_MAX = 3;
/** Distance of seeds, so that no pair has the seed of another one. */
const SEEDS_APART = 10_000;
/** How late a segment may notice that it is long enough, ms. */
const LENGTH_SLACK_MS = 1_000;

// What a segment falls short of, in sentences that are shown next to the figures.
const segmentNotes = (
  { soFar, report }: EndedSegment,
  letter: 'A' | 'B',
  { plan, isSegmentFixed }: { readonly plan: ComparisonPlan; readonly isSegmentFixed: boolean },
): readonly string[] => {
  const { latencies, requests, durationMs } = SEGMENT_RULES;
  return [
    ...(isSegmentFixed &&
    (plan.segment.sessions === undefined ? plan.segment.durationMs : soFar.elapsedMs) < durationMs
      ? [
          `Segments are shorter than the ${durationMs / 1000} s that a comparison takes by itself: what comes slower than them is not in it`,
        ]
      : []),
    ...(soFar.completed < requests
      ? [`A segment of ${letter} completed fewer than ${requests} requests: its percentiles wander`]
      : []),
    ...(isLongEnough(soFar, { durationMs: 0, requests: 0, latencies })
      ? []
      : [`A segment of ${letter} was shorter than ${latencies} times its median latency`]),
    ...(report.counts.failed > 0
      ? [`Requests of ${letter} failed; percentiles count them as longer than any`]
      : []),
  ];
};
