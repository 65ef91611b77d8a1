// The scripts of the repository are CommonJS that Node runs directly; tests load them with the types declared here.

import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export interface Counts {
  readonly passed: number;
  readonly failed: readonly string[];
  readonly skipped: readonly { readonly name: string; readonly reason?: string }[];
  /** Files that had not ended. */
  readonly running: readonly string[];
  readonly hasEnded: boolean;
}

interface ListedTest {
  readonly test: string;
  readonly owner: string;
  readonly since: string;
}

interface Tally {
  readonly passed: number;
  readonly failed: readonly string[];
  readonly skipped: Counts['skipped'];
  readonly listed: readonly ListedTest[];
  readonly failedListed: readonly ListedTest[];
}

export const tally: {
  newTally(listed?: readonly ListedTest[]): Tally;
  readCounts(file: string): Counts;
  readFlakyList(file: string): readonly ListedTest[];
  addVitest(
    tally: Tally,
    run: { counts: Counts; exitCode: number; isNameFiltered: boolean; overdueMinutes?: number },
  ): void;
  tallyText(tally: Tally): string;
} = require('../../scripts/tally.js');

export const sources: {
  sourcesHash(): string;
  sourceFiles(): readonly string[];
  isBuilt(hash: string): boolean;
} = require('../../scripts/sources.js');

export const lock: {
  withLock<T>(file: string, onWait: (pid: number) => void, work: () => Promise<T>): Promise<T>;
} = require('../../scripts/lock.js');

interface Load {
  readonly busyMs: number;
  readonly totalMs: number;
  readonly stolenMs?: number;
}

interface LoadShares {
  readonly busy: number;
  readonly stolen: number | undefined;
}

export const machineLoad: {
  readLoad(): Load;
  loadBetween(before: Load, after: Load): LoadShares | undefined;
  loadText(load: LoadShares): string;
} = require('../../scripts/machine-load.js');
