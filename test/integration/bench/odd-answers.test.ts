// Whether a server's reply is an answer, and whether its counts can be true: what a run of the whole command reports
// about it.

import { describe, expect, test } from 'vitest';
import { renderReport } from '../../../src/render/run/text-report.ts';
import { longCases } from '../../support/counts.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { answeringServer, finished, reported, streamed, used } from './answering-server.ts';
import { benchHere } from './bench-here.ts';

const few = ['--requests', '4', '--concurrency', '1', '--warmup', '1', '--events', 'off'];
const WORDS = ['one', ' two', ' three', ' four', ' five'].map(content => reported({ content }));

/** Line breaks and the clock's figures are not what these tests are about. */
const lineWith = (text: string, part: string): string => {
  const lines = text.split('\n');
  const from = lines.findIndex(line => line.includes(part));
  const rest = lines.slice(from + 1);
  const to = rest.findIndex(line => line.trim() === '' || /^ {2}\S/.test(line));
  return from < 0
    ? ''
    : [lines[from] ?? '', ...rest.slice(0, to < 0 ? rest.length : to)].map(line => line.trim()).join(' ');
};

describe('a stream whose last event lacks its blank line', { timeout: 60_000 }, () => {
  test('is an answer, as the official clients take it', async () => {
    await using server = await answeringServer(({ response }) =>
      streamed(response, [...WORDS, finished('stop'), used(9, 5)], 'data: [DONE]'),
    );
    using folder = temporaryDirectory();
    const run = await benchHere(folder.path, [server.url, ...few]);
    expect(run.exit).toBe('ok');
    expect(run.report().counts).toMatchObject({ completed: 4, failed: 0 });
  });
});

describe('an engine that gives up', { timeout: 60_000 }, () => {
  test('fails its requests by a kind of its own', async () => {
    await using server = await answeringServer(({ response }) =>
      streamed(response, [...WORDS, finished('abort'), used(9, 5), '[DONE]']),
    );
    using folder = temporaryDirectory();
    const run = await benchHere(folder.path, [server.url, ...few]);
    expect(run.exit).toBe('benchFailures');
    expect(run.report()).toMatchObject({ errors: { aborted: 4 } });
    expect(run.stdout).toContain('ALL 4 REQUESTS FAILED: given up by the server, finish reason "abort".');
  });

  test('is not mistaken for one whose reason is unknown, which is reported by its own name', async () => {
    await using server = await answeringServer(({ number, response }) =>
      streamed(response, [...WORDS, finished(number <= 1 ? 'stop' : 'eos_token'), used(9, 5), '[DONE]']),
    );
    using folder = temporaryDirectory();
    const run = await benchHere(folder.path, [server.url, ...few]);
    expect(run.exit).toBe('ok');
    const report = run.report();
    expect(report.finishReasons).toEqual({ stop: 1, other: 3 });
    expect(report.finishNames).toEqual([{ name: 'eos_token', count: 3 }]);
    const text = renderReport(report, { isUnicode: true, isFull: true }).join('\n');
    expect(text).toMatch(/Finish reasons[\s\S]*stop +1\n +eos_token +3\n/);
    expect(text).not.toMatch(/\n +other +3\n/);
  });
});

describe('an answer of tokens that are not yet text', { timeout: 60_000 }, () => {
  test('is completed, and a notice reports how many there were', async () => {
    await using server = await answeringServer(({ number, response }) =>
      streamed(response, [
        ...(number === 1 ? [reported({ content: '' })] : WORDS),
        finished('length'),
        used(9, 5),
        '[DONE]',
      ]),
    );
    using folder = temporaryDirectory();
    const run = await benchHere(folder.path, [server.url, ...few]);
    expect(run.exit).toBe('ok');
    const report = run.report();
    expect(report.counts).toMatchObject({ completed: 4, failed: 0 });
    expect(report.series['ttftNs']?.count).toBe(3);
    expect(report.notices).toContain(
      '1 request completed without text: the server counted tokens up to the limit, and their bytes were not yet text; they have no first token',
    );
  });
});

describe('reasoning', { timeout: 60_000 }, () => {
  test.each(
    longCases<readonly [string, readonly object[]]>(
      [
        ['reasoning_content', [{ reasoning_content: 'hm' }, { reasoning_content: ' hm' }]],
        ['tags', [{ content: '<thi' }, { content: 'nk>hm' }, { content: ' hm</think>' }]],
      ],
      [
        ['reasoning', [{ reasoning: 'hm' }, { reasoning: ' hm' }]],
        ['thinking', [{ thinking: 'hm' }, { thinking: ' hm' }]],
        [
          'reasoning_details',
          [
            { reasoning_details: [{ type: 'reasoning.summary', summary: 'hm' }] },
            { reasoning_details: [{ type: 'reasoning.encrypted', data: 'b2s=' }] },
          ],
        ],
      ],
    ),
  )('in %s is content, and the first answer comes after it', async (_, thoughts) => {
    await using server = await answeringServer(({ response }) =>
      streamed(response, [
        ...thoughts.map(delta => reported(delta)),
        ...WORDS,
        finished('stop'),
        used(9, 12, { completion_tokens_details: { reasoning_tokens: 4 } }),
        '[DONE]',
      ]),
    );
    using folder = temporaryDirectory();
    const run = await benchHere(folder.path, [server.url, ...few]);
    expect(run.exit).toBe('ok');
    const { series } = run.report();
    expect(series.chunkGapNs?.count).toBe(4 * (thoughts.length + WORDS.length - 1));
    expect(series.firstAnswerNs?.count).toBe(4);
    expect(series.reasoningTokens).toMatchObject({ count: 4, total: '16', min: 4, max: 4 });
  });
});

describe('counts of tokens that cannot be true', { timeout: 60_000 }, () => {
  test.each(
    longCases(
      [
        ['fewer output tokens than chunks with text in 4', used(9, 2)],
        ['0 input tokens for a prompt in 4', used(0, 7)],
      ],
      [
        ['0 output tokens for an answer in 4', used(9, 0)],
        ['two counts that contradict each other in 4', used(9, 7, { total_tokens: 99 })],
        [
          'more reasoning tokens than output tokens in 4',
          used(9, 7, { completion_tokens_details: { reasoning_tokens: 8 } }),
        ],
      ],
    ),
  )('are reported, as %s, and what rests on them is marked', async (problem, usage) => {
    await using server = await answeringServer(({ response }) =>
      streamed(response, [...WORDS, finished('stop'), usage, '[DONE]']),
    );
    using folder = temporaryDirectory();
    const run = await benchHere(folder.path, [server.url, ...few]);
    expect(run.exit).toBe('ok');
    expect(lineWith(run.stdout, "The server's counts of tokens")).toBe(
      `! The server's counts of tokens cannot be true: ${problem} (4 of 4 requests). Do not trust these figures: count the answers with the tokenizer of the model, --tokenizer DIR.`,
    );
    const full = renderReport(run.report(), { isUnicode: true, isFull: true }).join('\n');
    expect(full).toContain(problem.includes('input') ? 'input tokens/s !' : 'output tokens/s !');
    if (!problem.includes('input')) expect(run.stdout).toMatch(/Output ! +/);
  });

  test('are not those of a server that counts what it sends', async () => {
    await using server = await answeringServer(({ response }) =>
      streamed(response, [
        ...WORDS,
        finished('stop'),
        used(9, 7, { completion_tokens_details: { reasoning_tokens: 0 } }),
        '[DONE]',
      ]),
    );
    using folder = temporaryDirectory();
    const run = await benchHere(folder.path, [server.url, ...few]);
    expect(run.report().contamination).toEqual(
      expect.not.arrayContaining([expect.objectContaining({ code: 'token-counts' })]),
    );
  });
});

describe('several choices', { timeout: 60_000 }, () => {
  test('have figures of one choice each', async () => {
    await using server = await answeringServer(({ response }) =>
      streamed(response, [
        ...[0, 1, 2].flatMap(() => [0, 1].map(index => reported({ content: 'a' }, index))),
        finished('stop', 0),
        finished('stop', 1),
        used(9, 8),
        '[DONE]',
      ]),
    );
    using folder = temporaryDirectory();
    const run = await benchHere(folder.path, [server.url, ...few, '--body', '{"n":2}']);
    const report = run.report();
    expect(report.series.chunkGapNs?.count).toBe(4 * 2 * 2);
    expect(report.series.outputTokens?.mean).toBe(8);
    expect(report.notices).toContain(
      '4 requests had 2 choices each: time per output token, gaps and speed per user are those of one choice, output tokens those of all',
    );
  });
});
