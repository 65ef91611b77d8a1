// Comparisons that report to the daemon: what it stores of one that is in progress, goes silent, is stopped and ends.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ComparisonDocument } from '../../../src/core/comparison/comparison-document.ts';
import { comparisonView } from '../../../src/core/comparison/comparison-selectors.ts';
import {
  comparisonEnd,
  findingsOfComparison,
  reportedComparison,
  reportedPairs,
} from '../../../src/core/comparison/reported-comparison.ts';
import { EVENT_KINDS } from '../../../src/core/event-kinds.ts';
import { type ComparisonId, isComparisonId } from '../../../src/core/ids.ts';
import { isReportedAsStage, LEASE_MS } from '../../../src/core/run/run-selectors.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { ComparisonRegistry } from '../../../src/daemon/runs/comparison-registry.ts';
import { ABANDONED_MS } from '../../../src/daemon/runs/run-registry.ts';
import { comparisonToJson } from '../../../src/wire/comparison-schema.ts';
import { madeUpComparison } from '../../support/made-up-comparison.ts';
import { registryParts } from '../../support/registry-parts.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/temporary-directory.ts';

const idOf = (text: string): ComparisonId => {
  if (isComparisonId(text)) return text;
  throw new Error(`not the id of a comparison: ${text}`);
};

const ID = idOf('compare-1');
const TWO_PAIRS = madeUpComparison([
  [318, 280],
  [322, 283],
]);
const RUNNING: ComparisonDocument = {
  ...TWO_PAIRS,
  state: 'running',
  progress: { pairsDone: 2, segment: { pair: 3, side: 'b' }, nextLookMs: 240_000 },
};

describe('a comparison in the registry', () => {
  let folder: TemporaryDirectory;
  let made: ReturnType<typeof makeRegistry>;
  let directory: string;
  beforeEach(() => {
    folder = temporaryDirectory();
    made = makeRegistry(folder.path);
    directory = join(folder.path, 'elsewhere');
    mkdirSync(directory);
  });
  afterEach(() => folder[Symbol.dispose]());

  const begun = (comparisonId = ID) => ({
    comparisonId,
    ...reportedComparison(madeUpComparison([]), directory),
  });
  const update = () => ({ comparisonId: ID, ...findingsOfComparison(RUNNING), ...reportedPairs(RUNNING) });
  const ended = (document: ComparisonDocument = TWO_PAIRS) => {
    const { a, b } = reportedComparison(document, directory);
    return { comparisonId: ID, a, b, ...findingsOfComparison(document), ...comparisonEnd(document) };
  };

  test('that nobody announced takes neither news nor an end', () => {
    expect(made.registry.update(update())).toBe('unknown');
    expect(made.registry.end(ended())).toBe('unknown');
    expect(made.registry.stop(ID)).toBe(false);
    expect(made.facts).toEqual([]);
  });

  test('is accepted up to a limit of comparisons at once', () => {
    for (let index = 0; index < EVENT_KINDS['pairs.reported'].entriesMax; index += 1)
      expect(made.registry.start(begun(idOf(`compare-${index}`)))).toBe('taken');
    expect(made.registry.start(begun(idOf('one-more')))).toBe('full');
    expect(made.registry.start(begun())).toBe('taken');
  });

  test('is seen with its pairs as they come in, is asked to stop, and ends with its answer', () => {
    made.registry.start(begun());
    made.registry.update(update());
    expect(made.view()).toMatchObject({
      state: 'running',
      isLive: true,
      pairsDone: 2,
      segment: { pair: 3, side: 'b' },
      nextLookMs: 240_000,
    });
    made.registry.stop(ID);
    expect(made.registry.update(update())).toBe('stop');
    made.registry.end(ended({ ...TWO_PAIRS, state: 'stopped', endedEarly: 'it was stopped after 2 pairs' }));
    expect(made.view()).toMatchObject({
      state: 'stopped',
      isLive: false,
      reason: 'it was stopped after 2 pairs',
      segment: unknown('nothing runs'),
    });
    // The end is reported twice, as after a lost reply.
    expect(made.registry.end(ended())).toBe('taken');
  });

  test('keeps probes away from both its targets between two segments', () => {
    made.registry.start(begun());
    const runners = made.facts.filter(({ kind }) => kind === 'runner.reported');
    expect(runners.map(({ payload }) => payload)).toMatchObject([
      { runnerKey: 'comparison compare-1 A' },
      { runnerKey: 'comparison compare-1 B' },
    ]);
  });

  test('has its segments marked as parts of it, and other runs with such a tag not', () => {
    const segment = (id: string) => ({ sweep: unknown('no stage'), tags: ['gpu=h200', `comparison=${id}`] });
    expect(isReportedAsStage(made.cluster.state, segment(ID))).toBe(false);
    made.registry.start(begun());
    expect(isReportedAsStage(made.cluster.state, segment(ID))).toBe(true);
    expect(isReportedAsStage(made.cluster.state, segment('of-nobody'))).toBe(false);
    expect(isReportedAsStage(made.cluster.state, segment('constructor'))).toBe(false);
  });

  test.each([
    ['interrupted', RUNNING, 'its process exited unexpectedly: the pairs done by then are stored'],
    ['complete', TWO_PAIRS, ''],
  ])('that fell silent is %s where its document reports it', async (state, document, reason) => {
    made.registry.start(begun());
    writeFileSync(join(directory, 'comparison.json'), comparisonToJson(document));
    await made.clock.advance(LEASE_MS + 1);
    expect(made.view()).toMatchObject({ state: 'interrupted', isLive: false });
    await made.clock.advance(ABANDONED_MS);
    await made.registry.look();
    expect(made.view()?.reported).toMatchObject({ state, reason, pairsDone: 2 });
  });

  test('that went silent without a document keeps its last report', async () => {
    made.registry.start(begun());
    made.registry.update(update());
    await made.clock.advance(ABANDONED_MS + 1);
    await made.registry.look();
    expect(made.view()?.reported).toMatchObject({ state: 'interrupted', pairsDone: 2 });
    expect(await made.registry.document(ID)).toContain('there is no');
  });

  test('whose end the disk refuses takes that again', () => {
    made.registry.start(begun());
    made.disk.isFull = true;
    expect(made.registry.end(ended())).toBe('waiting');
    made.disk.isFull = false;
    expect(made.registry.end(ended())).toBe('taken');
    expect(made.view()).toMatchObject({ state: 'complete' });
  });
});

const makeRegistry = (home: string) => {
  const { parts, ...more } = registryParts(home);
  const registry = new ComparisonRegistry(parts);
  const view = () => comparisonView(more.cluster.state, ID, more.clock.nowMs());
  return { ...more, registry, view };
};
