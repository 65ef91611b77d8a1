import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { INPUT_LIMITS } from '../../src/core/input/input-limits.ts';
import { isLongRun } from '../support/counts.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import type { HostileInput } from './hostile-inputs-process.ts';

const ENTRY = fileURLToPath(new URL('./hostile-inputs-process.ts', import.meta.url));
/** What one attack may take on a busy machine. */
const TIME_MS_MAX = 60_000;
/** Of the whole process: what the largest data set may have, and again while it is read. */
const PEAK_BYTES_MAX = 3 * 2 ** 30;

const reported = async (): Promise<readonly HostileInput[]> => {
  using folder = temporaryDirectory();
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', ENTRY, folder.path]);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line): HostileInput => JSON.parse(line));
};

describe('an input that expands as far as it can', () => {
  test('is refused in words, in bounded time and memory, by the reader of each kind', {
    timeout: 600_000,
  }, async () => {
    const inputs = await reported();
    const attacked = new Set(inputs.map(({ kind }) => kind));
    const left = Object.keys(INPUT_LIMITS).filter(kind => !attacked.has(kind));
    expect(left).toEqual(isLongRun ? [] : ['dataset', 'agentSamples']);
    for (const { kind, problem, ms, peakBytes } of inputs) {
      console.info(
        `${kind}: ${Math.round(ms)} ms, ${Math.round(peakBytes / 2 ** 20)} MiB so far: ${problem.split('\n')[0]?.slice(0, 160)}`,
      );
      expect(problem, kind).toMatch(REFUSALS);
      expect(problem, kind).not.toMatch(/should not have happened|RangeError|call stack|heap/i);
      expect(ms, kind).toBeLessThan(TIME_MS_MAX);
      expect(peakBytes, kind).toBeLessThan(PEAK_BYTES_MAX);
    }
  });
});

/** Each states which limit is exceeded, or that the file is not of the expected kind. */
const REFUSALS =
  /expands to more|larger than|nested|inflates to more|more than \d+ bytes|too large|damaged|a device|longer than|has no prompt|under way/;
