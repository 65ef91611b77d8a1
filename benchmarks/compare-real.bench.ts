// Whether a comparison of real servers finds the configured difference: the whole command against two mocks with
// known times, five settings. Run it on a quiet machine: `npm run bench -- compare-real` (about a quarter of an hour;
// `--segment 3s` while working on it, `--only 1,3`). If this client was the limit, the comparison is refused, and its
// row states it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { ComparisonVerdict } from '../src/core/comparison/judge-effect.ts';
import type { MockOptions } from '../src/mock/mock-settings.ts';
import { spawnMock } from '../src/mock/spawn-mock.ts';
import { comparisonFromJson } from '../src/wire/stored-json.ts';
import { requireBuild } from '../test/support/build.ts';
import { printRow } from './bench-row.ts';

const { values: requested } = parseArgs({
  options: {
    segment: { type: 'string', default: '10s' },
    only: { type: 'string' },
    anyway: { type: 'boolean', default: false },
  },
});

interface Setting {
  readonly name: string;
  readonly b: MockOptions;
  readonly args: readonly string[];
  readonly expected: ComparisonVerdict['kind'];
  readonly isAlwaysRefused?: true;
}

/** Jitter makes figures differ between requests, as those of a model do. */
const A: MockOptions = { ttftMs: 100, gapMs: 5, outputTokens: 20, jitter: 0.2 };

const SETTINGS: readonly Setting[] = [
  { name: 'the same settings', b: { ...A, seed: 2 }, args: [], expected: 'same' },
  { name: 'B 5 % slower, margin 2 %', b: { ...A, ttftMs: 105 }, args: ['--margin', '2%'], expected: 'worse' },
  { name: 'B 20 % slower', b: { ...A, ttftMs: 120 }, args: [], expected: 'worse' },
  { name: 'B 20 % faster', b: { ...A, ttftMs: 80 }, args: [], expected: 'better' },
  {
    name: 'B answers with half as many tokens',
    b: { ...A, outputTokens: 10 },
    args: [],
    expected: 'not-comparable',
    isAlwaysRefused: true,
  },
];

const RATE = '30';
const command = fileURLToPath(new URL('../bin/plimsoll.js', import.meta.url));

requireBuild();
const home = mkdtempSync(join(tmpdir(), 'plimsoll-compare-real-'));
const own = { nodePath: process.execPath, env: process.env };
try {
  for (const [index, { name, b, args, expected, isAlwaysRefused }] of SETTINGS.entries()) {
    if (requested.only !== undefined && !requested.only.split(',').includes(String(index + 1))) continue;
    await using mockA = await spawnMock(A, own);
    await using mockB = await spawnMock(b, own);
    const directory = join(home, `comparison-${index + 1}`);
    const child = spawn(
      process.execPath,
      [
        ...[command, 'compare', '--a', mockA.url, '--b', mockB.url, '--rate', RATE],
        ...['--segment', requested.segment, '--home', home, '--out', directory, '--quiet', '--events', 'off'],
        ...args,
        ...(requested.anyway && isAlwaysRefused === undefined ? ['--anyway'] : []),
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    await once(child, 'exit');
    const document = comparisonFromJson(readFileSync(join(directory, 'comparison.json'), 'utf8'));
    printRow({
      what: `${name}: says ${expected}`,
      figure: document.verdict.kind === expected ? 1 : 0,
      unit: 'of 1',
      reach: { kind: 'at-least', value: 1 },
      method: `${document.sentence}; ${document.a.units.length} pairs of ${requested.segment}, code ${child.exitCode}${document.refusals.length > 0 && document.isAnyway ? '; the client was in the way, and it was overruled' : ''}`,
    });
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
