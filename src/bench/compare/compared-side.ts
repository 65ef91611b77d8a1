// One side of a comparison in progress: its request, what is known of it, and its reports in the order of the pairs.

import {
  type ComparedUnit,
  type ComparisonSide,
  comparedUnit,
  type UnitPair,
} from '../../core/comparison/comparison-document.ts';
import type { Report } from '../../core/run/report.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import type { StartedRun } from '../run/bench-parts.ts';
import type { BenchRequest } from '../run/bench-request.ts';

export interface SideParts {
  readonly label: string;
  readonly request: BenchRequest;
  readonly isStartedHere: boolean;
  /**
   * Called before each of its segments: resolves when the server replies; 'fresh': it was restarted. @throws
   * BenchError
   */
  ready(signal: AbortSignal): Promise<'fresh' | 'known'>;
}

/** A segment of an earlier session: its figures as reported then, and its report from its folder. */
export interface KeptSegment {
  readonly unit: ComparedUnit;
  readonly report: Report;
}

export class ComparedSide {
  readonly parts: SideParts;
  /** "a" or "b". */
  readonly letter: 'a' | 'b';
  readonly reports: Report[];
  readonly #units: ComparedUnit[];
  #model: Reported<string>;
  #serverKind: Reported<string> = unknown('the server has not been queried yet');

  constructor(letter: 'a' | 'b', parts: SideParts, kept: readonly KeptSegment[] = []) {
    this.letter = letter;
    this.parts = parts;
    this.reports = kept.map(({ report }) => report);
    this.#units = kept.map(({ unit }) => unit);
    this.#model = parts.request.model ?? unknown('the server has not been queried yet');
  }

  get model(): Reported<string> {
    return this.#model;
  }

  began({ config }: StartedRun): void {
    this.#model = config.run.model;
    this.#serverKind = config.run.serverKind;
  }

  add(report: Report, pair: UnitPair, directory: string): void {
    this.reports.push(report);
    this.#units.push(comparedUnit(report, directory, pair));
  }

  dropNewest(): void {
    this.reports.pop();
    this.#units.pop();
  }

  /** Covers whole pairs only. */
  summary(pairs: number): ComparisonSide {
    const { label, request, isStartedHere } = this.parts;
    return {
      label,
      target: request.target.shown,
      model: this.#model,
      serverKind: this.#serverKind,
      isStartedHere,
      units: this.#units.slice(0, pairs),
    };
  }
}

/** "pair-03-a" */
export const segmentDirectory = (pair: number, letter: 'a' | 'b'): string =>
  `pair-${String(pair).padStart(2, '0')}-${letter}`;
