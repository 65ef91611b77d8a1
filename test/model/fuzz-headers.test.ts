import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { isLongRun, longCount } from '../support/counts.ts';

const ENTRY = fileURLToPath(new URL('./fuzz-headers-process.ts', import.meta.url));
const COUNT = longCount(2_000, 1_000_000);
/** The whole heap of the process, so that no header can make a reader allocate more. */
const HEAP = ['--max-old-space-size=64', '--max-semi-space-size=4'];
const EXTERNAL_BYTES_MAX = 64 * 2 ** 20;

test(
  'a damaged header of a model is read or refused in words, at once and without much memory',
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...HEAP,
      ENTRY,
      String(COUNT),
      '20260101',
    ]);
    const reported = JSON.parse(stdout);
    const { perSecond, p99Ms, longestMs, refused, read } = reported;
    console.info(
      `${COUNT} damaged headers, ${perSecond} a second; p99 ${p99Ms.toFixed(2)} ms, longest ${longestMs.toFixed(1)} ms; ${refused} refused, read: ${JSON.stringify(read)}`,
    );
    expect(reported.externalBytesMax).toBeLessThan(EXTERNAL_BYTES_MAX);
    // Both ends of a reader are reached: what is refused, and what is used.
    expect(refused).toBeGreaterThan(COUNT / 10);
    for (const kind of ['gguf', 'safetensors', 'config']) expect(read[kind]).toBeGreaterThan(COUNT / 200);
    if (isLongRun) expect(p99Ms).toBeLessThan(50);
  },
  longCount(60_000, 30 * 60_000),
);
