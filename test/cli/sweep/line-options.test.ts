import { expect, test } from 'vitest';
import { parseBenchOptions } from '../../../src/cli/bench/parse-bench-options.ts';
import { parseCommandLine } from '../../../src/cli/command-line.ts';
import { compareCommand } from '../../../src/cli/commands/compare.ts';
import { lineCommand } from '../../../src/cli/commands/line.ts';
import { attainmentOfLine, requestedTiers, searchOptions } from '../../../src/cli/sweep/line-options.ts';

const attainmentOf = (...args: readonly string[]): number => {
  const line = parseCommandLine(['line', 'http://127.0.0.1:8000', ...args], [lineCommand]);
  if (line.kind !== 'run') throw new Error('it asks for help');
  return attainmentOfLine(line.invocation, parseBenchOptions(line.invocation, '/').objectives);
};

test('a load line is not searched under what no number of requests proves', () => {
  expect(() => attainmentOf('--slo', 'error-rate=0%')).toThrow(
    'no number of requests proves that none will fail',
  );
  expect(() => attainmentOf('--slo', 'ttft=500ms', '--attainment', '100%')).toThrow('can hold at no load');
  expect(attainmentOf('--slo', 'error-rate=0.1%')).toBe(0.95);
  expect(attainmentOf('--slo', 'ttft=500ms', '--attainment', '99.9%')).toBe(0.999);
});

test.each([
  ['line', lineCommand, ['http://127.0.0.1:8000'], 'decides while a load runs'],
  ['compare', compareCommand, [], 'by what both servers reported'],
] as const)('%s refuses a tokenizer in words: it would count too late', (name, command, urls, reason) => {
  expect(() => parseCommandLine([name, ...urls, '--tokenizer', 'dir'], [command])).toThrow(reason);
});

const searchOf = (...options: readonly string[]) => {
  const words = ['line', 'http://127.0.0.1:8000', '--slo', 'ttft=1s', ...options];
  const line = parseCommandLine(words, [lineCommand]);
  if (line.kind !== 'run') throw new Error('it asks for help');
  return searchOptions(line.invocation);
};

test.each([
  ['--turns', '4'],
  ['--multi-turn', '--dataset', 'f'],
])('sessions are searched by their number at a time: %s', (...options) => {
  expect(searchOf(...options, '--by', 'sessions')).toMatchObject({
    by: 'concurrency',
    concurrencyOf: 'sessions',
    loadMax: 1_024,
  });
  expect(() => searchOf(...options)).toThrow('turns wait for each other');
  expect(() => searchOf(...options, '--by', 'concurrency')).toThrow('turns wait for each other');
});

test('a line by sessions is refused without sessions, and from agents', () => {
  expect(() => searchOf('--by', 'sessions')).toThrow('--by sessions needs sessions');
  expect(() => searchOf('--by', 'sessions', '--turns', '4', '--from', 'other')).toThrow('agents');
  expect(() => searchOf('--by', 'sessions', '--turns', '4', '--sessions', '9')).toThrow(
    'unknown option --sessions',
  );
});

test('conversations of a trace are searched by sessions alone', () => {
  expect(searchOf('--trace', 'f', '--by', 'sessions')).toMatchObject({ concurrencyOf: 'sessions' });
  expect(() => searchOf('--trace', 'f')).toThrow('there is no rate to search');
  expect(() => searchOf('--trace', 'f', '--by', 'concurrency')).toThrow('there is no concurrency to search');
});

test('a load line of bursts so long that a stage has too few of them is refused with the reason', () => {
  const searched = (burstiness: string) => {
    const line = parseCommandLine(
      ['line', 'http://127.0.0.1:8000', '--slo', 'ttft=1s', '--burstiness', burstiness],
      [lineCommand],
    );
    if (line.kind !== 'run') throw new Error('it asks for help');
    return searchOptions(line.invocation);
  };
  expect(searched('0.5').arrival).toEqual({ kind: 'gamma', burstiness: 0.5 });
  expect(() => searched('0.09')).toThrow('too few bursts');
});

const tiersOf = (...args: readonly string[]) => {
  const line = parseCommandLine(
    ['line', 'http://127.0.0.1:8000', '--slo', 'ttft.p95=1s', ...args],
    [lineCommand],
  );
  if (line.kind !== 'run') throw new Error('it asks for help');
  return requestedTiers(line.invocation, {
    pattern: { kind: 'poisson', requestsPerSecond: 1 },
    isStreaming: true,
  });
};

test('a tier has a name and objectives as --slo has them', () => {
  expect(tiersOf('--slo-tier', 'gold=ttft.p95=200ms,error-rate=1%')).toEqual([
    {
      name: 'gold',
      objectives: [
        { kind: 'percentile', name: 'ttft', percentile: 95, limitNs: 200e6 },
        { kind: 'error-rate', limitShare: 0.01 },
      ],
    },
  ]);
});

test.each([
  [['--slo-tier', 'ttft.p95=200ms'], 'is not a tier'],
  [['--slo-tier', 'gold=p95'], 'is not an objective'],
  [['--slo-tier', 'gold=error-rate=0%'], 'can hold at no load'],
  [['--slo-tier', 'a=ttft=1s', '--slo-tier', 'a=tpot=1s'], '--slo-tier a is given twice'],
  [['a', 'b', 'c', 'd'].flatMap(name => ['--slo-tier', `${name}=ttft=1s`]), '--slo-tier is given 4 times'],
])('%j is refused in words', (args, problem) => {
  expect(() => tiersOf(...args)).toThrow(problem);
});
