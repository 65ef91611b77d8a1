// `plimsoll bench` as the command runs it, in this process, with real children and threads, against any URL.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { EXIT_CODES, type ExitName } from '../../../src/cli/exit-codes.ts';
import type { Report } from '../../../src/core/run/report.ts';
import { reportFromJson } from '../../../src/wire/stored-json.ts';
import {
  type MadeUpProcess,
  type MadeUpProcessOptions,
  madeUpProcess,
} from '../../support/made-up-process.ts';

export interface BenchHere {
  readonly exit: ExitName;
  readonly stdout: string;
  readonly stderr: string;
  /** The run directory. */
  readonly directory: string;
  /** report.json as it was written. */
  report(): Report;
}

interface BenchHereOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly isTerminal?: boolean;
  readonly isAlive?: NonNullable<MadeUpProcessOptions['isAlive']>;
  /** For example, to stop it. */
  readonly during?: (process: MadeUpProcess) => void | Promise<void>;
}

/** @param folder a folder of the test's own: home and run directory are made in it. */
export const benchHere = async (
  folder: string,
  args: readonly string[],
  { during, ...options }: BenchHereOptions = {},
): Promise<BenchHere> => {
  const directory = join(folder, 'run');
  const directories = [
    '--home',
    join(folder, 'home'),
    ...(args.includes('--out') ? [] : ['--out', directory]),
  ];
  const process = madeUpProcess(['bench', ...args, ...directories], options);
  const running = process.run();
  await during?.(process);
  const code = await running;
  return {
    exit: exitName(code),
    stdout: process.stdout.text,
    stderr: process.stderr.text,
    directory,
    report: () => readReport(directory),
  };
};

export const readReport = (directory: string): Report =>
  reportFromJson(readFileSync(join(directory, 'report.json'), 'utf8'));

export const exitName = (code: number | null): ExitName => {
  for (const [name, exit] of Object.entries(EXIT_CODES))
    if (exit.code === code && isExitName(name)) return name;
  throw new Error(`no exit has code ${code}`);
};

const isExitName = (name: string): name is ExitName => name in EXIT_CODES;

/** METRICS §2, §3: the invariants of every report, after success and after any failure. */
export const expectInvariants = (report: Report): void => {
  for (const { issued, completed, failed, cancelled, unresolved } of [report.counts, report.warmup]) {
    expect(issued).toBe(completed + failed + cancelled + unresolved);
    expect(unresolved).toBeGreaterThanOrEqual(0);
  }
  if (report.complete) {
    expect(report.counts.unresolved).toBe(0);
    expect(report.droppedEvents).toBe(0);
    expect(report.source).toBe('complete-message');
    expect(Object.values(report.errors).reduce((sum, count) => sum + (count ?? 0), 0)).toBe(
      report.counts.failed,
    );
    expect(Object.values(report.finishReasons).reduce((sum, count) => sum + (count ?? 0), 0)).toBe(
      report.counts.completed,
    );
  } else {
    expect(report.incompleteReason).toMatch(/\S/);
  }
  expect(report.recordProblems).toEqual({});
  for (const { count, min, max, percentiles, histogram } of Object.values(report.series)) {
    // Values of 0 are in no logarithmic bucket.
    const inBuckets = histogram.reduce((sum, [, , n]) => sum + n, 0);
    if (min === 0) expect(inBuckets).toBeLessThan(count);
    else expect(inBuckets).toBe(count);
    if (min === null || max === null) continue;
    expect(min).toBeGreaterThanOrEqual(0);
    const ascending = Object.entries(percentiles)
      .sort(([a], [b]) => Number(a) - Number(b))
      .map(([, value]) => value);
    expect(ascending).toEqual(ascending.toSorted((a, b) => a - b));
    expect(ascending[0] ?? min).toBeGreaterThanOrEqual(min);
    expect(ascending.at(-1) ?? max).toBeLessThanOrEqual(max);
  }
  for (const name of ['latencyNs', 'ttftNs'] as const) {
    const series = report.series[name];
    if (series !== undefined) expect(series.count).toBeLessThanOrEqual(report.counts.completed);
  }
};
