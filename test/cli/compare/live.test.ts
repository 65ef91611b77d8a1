// What `plimsoll compare` of two servers refuses before it loads anything.

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COMPARE } from '../../../src/cli/compare/compare-options.ts';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import { COMPARED_SERIES } from '../../../src/core/run/run-series.ts';
import { madeUpProcess } from '../../support/made-up-process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const A = 'http://127.0.0.1:9';
const B = 'http://127.0.0.1:10';

const compare = async (...args: string[]) => {
  using home = temporaryDirectory();
  const made = madeUpProcess(['compare', ...args, '--home', home.path, '--out', join(home.path, 'out')]);
  const code = await made.run();
  return { code, problems: made.stderr.text, isKept: existsSync(join(home.path, 'out')) };
};

describe('plimsoll compare of two servers', () => {
  test.each([
    [['--a', A, '--b', B, '--one-at-a-time'], '--one-at-a-time needs --a-start and --b-start'],
    [['--a', A, '--b', A, '--a-start', 'true'], 'A and B have the same address'],
    [['--a', A, '--b', B, '--streaming', 'off', '--rate', '1', '--primary', 'ttft.p50'], 'needs a stream'],
    [['--a', A, '--b', B, '--primary', 'goodput.rate'], '--primary goodput.rate needs objectives'],
    [
      ['--a', 'some-run', '--b', 'other-run', '--a-start', 'true'],
      '--a-start has no effect on finished runs',
    ],
    [
      ['--a', A, '--b', A, '--facts', 'one.gguf', '--b-facts', 'other.gguf'],
      '--b-facts cannot be distinguished from --facts',
    ],
    [['--a', 'some-run', '--b', 'other-run', '--facts', 'm'], '--facts has no effect on finished runs'],
    [['--a', 'some-run', '--b', 'other-run', '--pairs', '8'], '--pairs has no effect on finished runs'],
    [['--a', 'some-run', '--b', 'other-run', '--turns', '4'], '--turns has no effect on finished runs'],
    [['--a', A, '--b', B, '--turns', '4'], 'a comparison of sessions needs their number'],
    [['--a', A, '--b', B, '--turns', '4', '--sessions', '31'], '--sessions 31 is too few for 8 at a time'],
    [
      ['--a', A, '--b', B, '--turns', '4', '--sessions', '64', '--segment', '1m'],
      '--segment and --sessions cannot be combined',
    ],
    [['--a', A, '--b', B, '--primary', 'session.p90'], '--primary session.p90 needs sessions'],
    [['--a', A, '--b', B, '--slo', 'session.p90=1m'], '--slo session.p90 needs sessions'],
    [['--a', A, '--b', B, '--margin', 'tfft=2%'], 'Did you mean --margin ttft'],
    [['--a', A, '--b', B, '--margin', '0%'], 'is not a margin'],
  ])('%j is refused: %s', async (args, problem) => {
    const { code, problems, isKept } = await compare(...args);
    expect(problems).toContain(problem);
    expect([code, isKept]).toEqual([EXIT_CODES.usage.code, false]);
  });

  test('a server that is not there is reported, and no folder is left', async () => {
    const { code, problems, isKept } = await compare('--a', A, '--b', B);
    expect(problems).toContain(`${A} cannot be reached`);
    expect([code, isKept]).toEqual([EXIT_CODES.benchUnreachable.code, false]);
  });

  test('a server is not started where something answers already', async () => {
    const other = createServer((_, reply) => reply.end('{}')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    const { code, problems, isKept } = await compare('--a', url, '--b', B, '--a-start', 'false');
    expect(problems).toContain(`something answers at ${url} already`);
    expect([code, isKept]).toEqual([EXIT_CODES.benchUnreachable.code, false]);
    other.close();
  });

  test('a margin is one of everything, of a group, of a figure or of one percentile', () => {
    const margins = (...texts: string[]) => {
      const read = COMPARE.margin.read(texts);
      if (read.kind === 'wrong') throw new Error(read.problem);
      return Object.assign({}, ...read.value);
    };
    expect(margins('3%', 'ttft.p90=1.5%')).toMatchObject({
      'requests.rate': 0.03,
      'ttft.p50': 0.03,
      'ttft.p90': 0.015,
    });
    expect(Object.keys(margins('rates=1%'))).toEqual(['requests.rate', 'output.rate', 'goodput.rate']);
    expect(Object.keys(margins('tpot=1%'))).toEqual(['tpot.p50', 'tpot.p90', 'tpot.p99']);
    expect(Object.keys(margins('latencies=1%'))).toHaveLength(3 * (COMPARED_SERIES.length + 1));
  });
});
