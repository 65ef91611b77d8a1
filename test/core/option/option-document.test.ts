import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { BENCH, BENCH_OPTIONS } from '../../../src/cli/bench/bench-options.ts';
import { loadJobKinds } from '../../../src/cli/job-kinds.ts';
import type { Option } from '../../../src/core/option/option.ts';
import {
  documentEntries,
  documentOption,
  documentTexts,
  textWords,
} from '../../../src/core/option/option-document.ts';

const wordsOf = (name: string, value: unknown): unknown => {
  const option = documentOption(name, BENCH_OPTIONS, 'bench');
  if (option.kind === 'wrong') return option.problem;
  const texts = documentTexts(option.value, value);
  return texts.kind === 'wrong' ? texts.problem : textWords(option.value, texts.value);
};

describe('a request as a document', () => {
  test.each([
    ['concurrency', 8, ['--concurrency', '8']],
    ['no_nonce', true, ['--no-nonce']],
    ['no-nonce', false, []],
    ['slo', ['ttft=500ms', 'tpot=50ms'], ['--slo', 'ttft=500ms', '--slo', 'tpot=50ms']],
    ['weights', [3, 1], ['--weights', '3,1']],
    ['events', false, ['--events', 'off']],
    ['body', { top_k: 40 }, ['--body', '{"top_k":40}']],
    ['name', '--json', ['--name=--json']],
    ['concurency', 8, '"concurency" is not an option of plimsoll bench'],
    ['no-nonce', 'yes', 'no-nonce is neither true nor false'],
    ['rate', null, 'rate has a value that is neither text nor a number'],
  ])('has the words of a command line: %s %j', (name, value, words) => {
    expect(wordsOf(name, value)).toEqual(words);
  });

  test('has the ranges, choices and help of its options', () => {
    const schema = v.object(documentEntries(BENCH_OPTIONS));
    for (const fits of [
      { requests: 100, duration: '30s', rate: 12.5 },
      { api: 'chat', events: 'off', 'real-time': true },
      { slo: 'ttft=500ms' },
      { temperature: 0.7, 'top-p': 0.9, burstiness: 'inf', speed: 2 },
      { slo: ['ttft=500ms'], body: { top_k: 1 } },
    ])
      expect(v.is(schema, fits)).toBe(true);
    for (const fits of [
      ...[{ requests: 0 }, { rate: 'many' }, { api: 'telepathy' }, { 'real-time': 1 }],
      ...[{ temperature: 'warm' }, { 'top-p': 2 }, { burstiness: 'even' }],
    ])
      expect(v.is(schema, fits)).toBe(false);
    const { requests } = documentEntries([BENCH.requests]);
    expect(JSON.stringify(requests)).toContain('Stop after this many requests.');
  });

  test('has a range for every option of a job that is nothing but a number or a duration', async () => {
    const accepts = (option: Option<unknown>, ...texts: readonly string[]): boolean =>
      texts.some(text => option.read([text]).kind === 'ok');
    const untyped = (await loadJobKinds())
      .flatMap(({ options }) => options)
      .filter(({ schema, valueName }) => schema === undefined && valueName !== undefined)
      .filter(
        option => accepts(option, '1', '0.5', '1m') && !accepts(option, 'x', '1..2', '1,2', '1s..2s', '1%'),
      );
    expect(untyped.map(({ name }) => name)).toEqual([]);
  });
});
