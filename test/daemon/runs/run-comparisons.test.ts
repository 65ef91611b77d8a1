import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { isRunId, type RunId } from '../../../src/core/ids.ts';
import { RunComparisons } from '../../../src/daemon/runs/run-comparisons.ts';
import { comparisonToJson } from '../../../src/wire/stored-json.ts';
import { madeUpComparison } from '../../support/made-up-comparison.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { writeTimedRun } from '../../support/timed-runs.ts';

const id = (text: string): RunId => {
  if (isRunId(text)) return text;
  throw new RangeError(text);
};

const comparisonsOf = (home: string, known: readonly string[] = []): RunComparisons =>
  new RunComparisons({
    clock: systemClock,
    home,
    version: '0.0.0-test',
    directoryOf: runId => (known.includes(runId) ? join(home, 'runs', runId) : undefined),
  });

describe('a daemon that compares runs', () => {
  test('does so by the rule of the command line, once for each two', async () => {
    using home = temporaryDirectory();
    for (const [seed, name] of ['a', 'b'].entries())
      writeTimedRun(join(home.path, 'runs', name), { seed, requests: 100, stepNs: 3e9, run: { id: name } });
    const comparisons = comparisonsOf(home.path, ['a', 'b']);
    const [one, other] = await Promise.all([
      comparisons.compare(id('a'), id('b')),
      comparisons.compare(id('a'), id('b')),
    ]);
    expect(one).toBe(other);
    expect(one).toMatchObject({ kind: 'compared', document: { mode: 'runs', refusals: [] } });
  });

  test('reports of a run that it has no files of that they are elsewhere, and why one cannot be read', async () => {
    using home = temporaryDirectory();
    mkdirSync(join(home.path, 'runs', 'empty'), { recursive: true });
    const comparisons = comparisonsOf(home.path, ['empty']);
    expect(await comparisons.compare(id('empty'), id('nobody'))).toBe('elsewhere');
    expect(await comparisons.compare(id('empty'), id('empty'))).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('is not the directory of a run'),
    });
  });

  test('asks again of what it could not compare, once its files are there', async () => {
    using home = temporaryDirectory();
    const comparisons = comparisonsOf(home.path, ['late', 'there']);
    const put = (seed: number, name: string) =>
      writeTimedRun(join(home.path, 'runs', name), { seed, requests: 20, stepNs: 3e9, run: { id: name } });
    put(1, 'there');
    expect(await comparisons.compare(id('late'), id('there'))).toMatchObject({ kind: 'refused' });
    put(2, 'late');
    expect(await comparisons.compare(id('late'), id('there'))).toMatchObject({ kind: 'compared' });
  });

  test('lists comparisons that can be read, the newest first, and leaves out the others', async () => {
    using home = temporaryDirectory();
    const put = (name: string, text: string): void => {
      mkdirSync(join(home.path, 'runs', name), { recursive: true });
      writeFileSync(join(home.path, 'runs', name, 'comparison.json'), text);
    };
    const document = madeUpComparison([
      [318, 280],
      [320, 284],
    ]);
    for (const name of ['20261101-a', '20261102-b']) put(name, comparisonToJson({ ...document, id: name }));
    put('20261103-c', '{"__proto__": 1}');
    put('20261104-d', comparisonToJson(document).slice(0, 200));
    const comparisons = comparisonsOf(home.path);
    expect((await comparisons.list()).map(each => each.id)).toEqual(['20261102-b', '20261101-a']);
    expect(await comparisons.read('20261101-a')).toMatchObject({ id: '20261101-a' });
    for (const name of ['20261103-c', '20261104-d', 'nobody', '../runs/20261101-a'])
      expect(await comparisons.read(name)).toBeUndefined();
  });
});
