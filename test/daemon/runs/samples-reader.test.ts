import { execFileSync } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readReport, runFolders } from '../../../src/daemon/runs/run-reports.ts';
import { LINE_LENGTH_MAX, SamplesReader } from '../../../src/daemon/runs/samples-reader.ts';
import { encodeSampleLine } from '../../../src/wire/sample-line.ts';
import { MadeUpRun } from '../../support/made-up-run.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/temporary-directory.ts';

const ALL = { bytesMax: 1e9, skipsAhead: false };

describe('reading samples.jsonl', () => {
  let directory: TemporaryDirectory;
  let path: string;
  beforeEach(() => {
    directory = temporaryDirectory();
    path = join(directory.path, 'samples.jsonl');
  });
  afterEach(() => directory[Symbol.dispose]());

  test('goes on where it stopped, also in the middle of a line', async () => {
    const reader = new SamplesReader(path);
    const [first, second] = [line(1), line(2)];
    writeFileSync(path, first + second.slice(0, 50));
    expect(await endsOf(reader)).toEqual([1]);
    appendFileSync(path, second.slice(50));
    expect(await endsOf(reader)).toEqual([2]);
    expect(await endsOf(reader)).toEqual([]);
  });

  test('of a file that is too long the newest part counts, and what is left out is reported', async () => {
    const lines = Array.from({ length: 100 }, (_, index) => line(index));
    writeFileSync(path, lines.join(''));
    const ends: number[] = [];
    const read = await new SamplesReader(path).read(({ endNs }) => ends.push(endNs), {
      bytesMax: 2_000,
      skipsAhead: true,
    });
    expect(ends.at(-1)).toBe(99);
    expect(ends.length).toBeLessThan(10);
    expect(read?.skippedBytes).toBe(lines.join('').length - 2_000);
  });

  test('passes over lines that are torn, foreign or endless', async () => {
    writeFileSync(path, `${line(1)}{"kind":"sa\nnot ours\n${'x'.repeat(LINE_LENGTH_MAX + 1e6)}\n${line(2)}`);
    expect(await endsOf(new SamplesReader(path))).toEqual([1, 2]);
  });

  test('a file that is not there, a folder or a pipe has no samples', async context => {
    expect(await new SamplesReader(path).read(() => undefined, ALL)).toBeUndefined();
    expect(await new SamplesReader(directory.path).read(() => undefined, ALL)).toBeUndefined();
    if (process.platform === 'win32') return context.skip('no named pipes in a folder');
    execFileSync('mkfifo', [path]);
    expect(await new SamplesReader(path).read(() => undefined, ALL)).toBeUndefined();
  });
});

describe('reading reports', () => {
  test('a file that is no report of this version is left out', async () => {
    using directory = temporaryDirectory();
    const run = new MadeUpRun({ directory: directory.path });
    run.samples(10, { fromMs: 0, untilMs: 1_000 });
    const report = run.report();
    expect((await readReport(directory.path))?.counts).toEqual(report.counts);
    for (const text of ['', '{}', 'null', '{"schema":"plimsoll.report/9"}', '[1,2']) {
      writeFileSync(join(directory.path, 'report.json'), text);
      expect(await readReport(directory.path)).toBeUndefined();
    }
  });

  test('a home without runs has no run directories', async () => {
    using directory = temporaryDirectory();
    expect(await runFolders(directory.path)).toEqual([]);
  });
});

const endsOf = async (reader: SamplesReader): Promise<readonly number[]> => {
  const ends: number[] = [];
  await reader.read(({ endNs }) => ends.push(endNs), ALL);
  return ends;
};

const line = (endNs: number): string =>
  encodeSampleLine({
    sampleId: endNs,
    window: 0,
    intendedNs: 0,
    sentNs: 0,
    connectNs: 0,
    heldBackNs: 0,
    firstByteNs: 0,
    firstContentNs: 0,
    firstAnswerNs: -1,
    chunkGapsNs: [1, 2, 3],
    chunkCount: 4,
    endNs,
    outcome: 'completed',
    failure: undefined,
    inputTokens: 1,
    outputTokens: 4,
    finishReason: 'stop',
    bytesSent: 1,
    bytesReceived: 1,
  });
