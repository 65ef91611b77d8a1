import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NO_FIGURE } from '../../../src/core/run/event-record.ts';
import { samplesCsv } from '../../../src/report/csv/samples-csv.ts';
import { encodeSampleLine, encodeSamplesEnd } from '../../../src/wire/sample-line.ts';
import { sampleOf } from '../../support/sample-of.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

test('a sample is a line, with what is not known left empty and no text of the server a formula', async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, 'samples.jsonl');
  const good = sampleOf({
    sampleId: 1,
    sentNs: 100,
    intendedNs: 90,
    heldBackNs: 4,
    firstContentNs: 300,
    chunkGapsNs: [50, 0, 5],
    chunkCount: 4,
    endNs: 400,
    outputTokens: 4,
  });
  const bad = sampleOf({
    sampleId: 2,
    window: -1,
    outcome: 'failed',
    failure: { kind: 'http-status', statusCode: 503, detail: '=HYPERLINK("http://evil","x")\u001b[2J' },
    firstContentNs: NO_FIGURE,
    outputTokens: NO_FIGURE,
  });
  writeFileSync(
    path,
    `${encodeSampleLine(good)}{"torn\n${encodeSampleLine(bad)}${encodeSamplesEnd({ issued: 2, trackedIssued: 1, state: 'complete' })}`,
  );
  const [head = '', first = '', second = '', ...rest] = (await textOf(path)).split('\n');
  const row = (line: string): Record<string, string | undefined> => {
    const cells = line.match(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g) ?? [];
    return Object.fromEntries(head.split(',').map((name, index) => [name, cells[index]?.replace(/,$/, '')]));
  };
  expect(row(first)).toMatchObject({
    sample: '1',
    phase: 'measured',
    outcome: 'completed',
    ttft_ns: '200',
    last_content_ns: '355',
    latency_ns: '300',
    // 10 ns after the plan, 4 of them in the wait for a slot.
    send_lateness_ns: '6',
    held_back_ns: '4',
    tpot_ns: '18',
  });
  expect(row(second)).toMatchObject({
    phase: 'warm-up',
    failure: 'http-status',
    status: '503',
    detail: `"'=HYPERLINK(""http://evil"",""x"") [2J"`,
    ttft_ns: '',
    output_tokens: '',
  });
  expect(rest).toEqual(['']);
});

test('of a run from many machines it reports who sent each sample', async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, 'samples.jsonl');
  writeFileSync(path, [4, 3, 5].map(sampleId => encodeSampleLine(sampleOf({ sampleId }))).join(''));
  const lines = (await textOf(path, ['atlas', 'boreas'])).trimEnd().split('\n');
  expect(lines.map(line => line.split(',').at(-1))).toEqual(['agent', 'atlas', 'boreas', 'boreas']);
});

const textOf = async (path: string, agents?: readonly string[]): Promise<string> => {
  let text = '';
  for await (const part of samplesCsv(path, agents)) text += part;
  return text;
};
