import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EVENT_KINDS } from '../../../src/core/event-kinds.ts';
import { LEASE_MS } from '../../../src/core/run/run-selectors.ts';
import { sweepHeadDigest } from '../../../src/core/sweep/sweep-digest.ts';
import type { LineDocument } from '../../../src/core/sweep/sweep-document.ts';
import { sweepView } from '../../../src/core/sweep/sweep-selectors.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { ABANDONED_MS, RunRegistry, SCAN_MS } from '../../../src/daemon/runs/run-registry.ts';
import { SweepRegistry } from '../../../src/daemon/runs/sweep-registry.ts';
import type { SweepStart, SweepUpdate } from '../../../src/wire/sweep-digest-schema.ts';
import { madeUpLine, sweepIdOf, writeLine } from '../../support/made-up-line.ts';
import { registryParts } from '../../support/registry-parts.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/temporary-directory.ts';

const LINE = sweepIdOf('line-1');

describe('a search in the registry', () => {
  let folder: TemporaryDirectory;
  let made: ReturnType<typeof makeRegistry>;
  let directory: string;
  beforeEach(() => {
    folder = temporaryDirectory();
    made = makeRegistry(folder.path);
    directory = join(folder.path, 'elsewhere');
  });
  afterEach(() => folder[Symbol.dispose]());

  test('that nobody announced takes neither news nor an end', () => {
    expect(made.registry.update(update(madeUpLine(30)))).toBe('unknown');
    expect(made.registry.end(ended())).toBe('unknown');
    expect(made.registry.stop(LINE)).toBe(false);
    expect(made.facts).toEqual([]);
  });

  test('is accepted up to a limit of searches at once', () => {
    for (let index = 0; index < EVENT_KINDS['stages.reported'].entriesMax; index += 1)
      expect(made.registry.start({ ...begun(directory), sweepId: sweepIdOf(`line-${index}`) })).toBe('taken');
    expect(made.registry.start({ ...begun(directory), sweepId: sweepIdOf('one-more') })).toBe('full');
    expect(made.registry.start(begun(directory))).toBe('taken');
  });

  test('that went silent is shown as interrupted at once, and recorded after a minute with its last report', async () => {
    made.registry.start(begun(directory));
    made.registry.update(update(madeUpLine(370)));
    await made.clock.advance(LEASE_MS + 1);
    expect(made.view()).toMatchObject({ state: 'interrupted', isLive: false });
    expect(made.view()?.stages).toHaveLength(madeUpLine(370).stages.length);
    await made.clock.advance(ABANDONED_MS);
    await made.registry.look();
    expect(made.view()?.sweep).toMatchObject({ state: 'interrupted', line: madeUpLine(370).line });
    expect(made.view()?.sweep.stages).toHaveLength(madeUpLine(370).stages.length);
  });

  test.each([
    ['complete', madeUpLine()],
    ['interrupted', madeUpLine(370)],
  ])('that fell silent is %s where its document reports it', async (state, document) => {
    made.registry.start(begun(directory));
    writeLine(directory, document);
    await made.clock.advance(ABANDONED_MS + 1);
    await made.registry.look();
    expect(made.view()?.sweep).toMatchObject({ state, line: document.line });
  });

  test('whose end the disk refuses takes that again', () => {
    made.registry.start(begun(directory));
    made.disk.isFull = true;
    expect(made.registry.end(ended())).toBe('waiting');
    made.disk.isFull = false;
    expect(made.registry.end(ended())).toBe('taken');
    expect(made.registry.end(ended())).toBe('taken');
    expect(made.view()?.state).toBe('complete');
  });

  test('found on disk still running is left to its writer for a minute', async () => {
    writeLine(join(folder.path, 'runs', 'line-1'), madeUpLine(370));
    mkdirSync(join(folder.path, 'runs', 'no-search'));
    await made.registry.look();
    expect(made.view()).toBeUndefined();
    await made.clock.advance(ABANDONED_MS + SCAN_MS);
    await made.registry.look();
    expect(made.view()).toMatchObject({ state: 'interrupted', reason: expect.stringContaining('--resume') });
  });
});

const begun = (directory: string): SweepStart => ({
  sweepId: LINE,
  ...sweepHeadDigest(madeUpLine(0), directory),
});

const update = ({ line, sentence, stages, progress }: LineDocument): SweepUpdate => ({
  sweepId: LINE,
  line,
  sentence,
  stages,
  progress: progress ?? unknown('not planned'),
});

const ended = () => {
  const { line, sentence, model } = madeUpLine();
  return { sweepId: LINE, state: 'complete', reason: '', line, sentence, model } as const;
};

const makeRegistry = (home: string) => {
  const { clock, cluster, facts, disk, parts } = registryParts(home);
  const registry = new SweepRegistry({ ...parts, runs: new RunRegistry(parts) });
  return { clock, facts, disk, registry, view: () => sweepView(cluster.state, LINE, clock.nowMs()) };
};
