import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LEASE_MS } from '../../../src/core/document/document-views.ts';
import type { Fact } from '../../../src/core/event-kinds.ts';
import type { RunStart } from '../../../src/core/run/run.ts';
import { runView } from '../../../src/core/run/run-selectors.ts';
import { isUnknown, unknown } from '../../../src/core/unknown.ts';
import { ABANDONED_MS } from '../../../src/daemon/runs/document-kind.ts';
import { PROGRESS_MS_MIN, RunRegistry } from '../../../src/daemon/runs/run-registry.ts';
import { reportToJson, runConfigToJson } from '../../../src/wire/stored-json.ts';
import { madeUpCalibration } from '../../support/made-up-model.ts';
import { MadeUpRun } from '../../support/made-up-run.ts';
import { REGISTRY_NODE, registryParts } from '../../support/registry-parts.ts';
import { madeUpFigures, madeUpRunEntry, runIdOf } from '../../support/run-entry.ts';
import { runConfig } from '../../support/run-records.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/temporary-directory.ts';
import type { VirtualClock } from '../../support/virtual-clock.ts';

const RUN = runIdOf('r1');

describe('a run in the registry', () => {
  let directory: TemporaryDirectory;
  let made: Made;
  beforeEach(() => {
    directory = temporaryDirectory();
    made = makeRegistry(directory.path);
  });
  afterEach(() => directory[Symbol.dispose]());

  test('is bound to this node when its target is this machine, and to none otherwise', () => {
    const targets = [
      'http://127.0.0.1:8000',
      'http://localhost:8000',
      'http://[::1]:8000',
      'http://192.0.2.7:8000',
      'http://192.0.2.8:8000',
      'http://spark:8000',
    ];
    const bound = targets.map((target, index) => {
      made.registry.start({ ...begun(`r${index}`), target });
      return made.run(`r${index}`)?.targetNode;
    });
    expect(bound.map(node => !isUnknown(node))).toEqual([true, true, true, true, false, false]);
    expect(bound[5]).toEqual({ kind: 'unknown', reason: 'not a known node' });
  });

  test('is published without the parts of its target other than host and path', () => {
    made.registry.start({ ...begun(), target: 'https://user:secret@spark:8000/v1?key=secret#secret' });
    expect(made.run('r1')?.target).toBe('https://spark:8000/v1');
  });

  test('is published at most ten times a second', async () => {
    made.registry.start(begun());
    for (let index = 0; index < 100; index += 1) {
      made.registry.update(progress());
      await made.clock.advance(PROGRESS_MS_MIN / 10);
    }
    expect(made.facts.filter(({ kind }) => kind === 'progress.reported')).toHaveLength(10);
  });

  test('that fell silent is shown as interrupted at once and written down after a minute, with its last figures', async () => {
    made.registry.start(begun());
    made.registry.update(progress());
    await made.clock.advance(LEASE_MS + 1);
    await made.registry.look();
    expect(made.view()?.state).toBe('interrupted');
    expect(made.run('r1')?.state).toBe('running');
    await made.clock.advance(ABANDONED_MS);
    await made.registry.look();
    expect(made.run('r1')).toMatchObject({
      state: 'interrupted',
      reason: expect.stringContaining('exited unexpectedly'),
      figures: progress().figures,
    });
  });

  test('that wrote its report while nobody listened ends with it', async () => {
    const run = new MadeUpRun({
      directory: join(directory.path, 'runs', 'r1'),
      config: runConfig({ id: 'r1' }),
    });
    made.registry.start({ ...begun(), directory: run.directory });
    run.samples(50, { fromMs: 0, untilMs: 5_000 });
    const report = run.report();
    await made.clock.advance(LEASE_MS + 1);
    await made.registry.look();
    expect(made.run('r1')).toMatchObject({ state: 'complete', figures: { counts: report.counts } });
  });

  test('that wrote its report while nobody listened keeps the texts of the errors that were read before', async () => {
    const run = new MadeUpRun({
      directory: join(directory.path, 'r1'),
      config: runConfig({ id: 'r1' }),
      failureShare: 0.5,
    });
    made.registry.start({ ...begun(), directory: run.directory });
    run.samples(50, { fromMs: 0, untilMs: 5_000 });
    await made.registry.look();
    run.report();
    await made.clock.advance(LEASE_MS + 1);
    await made.registry.look();
    const figures = made.run('r1')?.figures;
    const errors = figures !== undefined && !isUnknown(figures) ? figures.errors : [];
    expect(errors.map(({ detail }) => detail)).toEqual(['first byte, 30 s', '503, queue full']);
  });

  test('that was killed has the figures of its files, also when its reports are forgotten', async () => {
    const run = new MadeUpRun({ directory: join(directory.path, 'r1'), config: runConfig({ id: 'r1' }) });
    writeFileSync(join(run.directory, 'config.json'), runConfigToJson(run.config));
    made.registry.start({ ...begun(), directory: run.directory });
    run.samples(50, { fromMs: 0, untilMs: 5_000 });
    const second = made.restarted();
    await made.clock.advance(ABANDONED_MS + 1);
    await second.look();
    expect(made.run('r1')).toMatchObject({
      state: 'interrupted',
      figures: { counts: { completed: 50 }, series: { ttftNs: { count: 50 } } },
    });
  });

  test('that comes back after it was given up is running again', async () => {
    made.registry.start(begun());
    await made.clock.advance(ABANDONED_MS + LEASE_MS);
    await made.registry.look();
    expect(made.run('r1')?.state).toBe('interrupted');
    expect(made.registry.update(progress())).toBe('unknown');
    made.registry.start(begun());
    expect(made.view()).toMatchObject({ state: 'running', isLive: true });
  });

  test('that ran when the daemon was restarted is taken up, and given time to connect', async () => {
    made.registry.start(begun());
    await made.clock.advance(ABANDONED_MS);
    const second = made.restarted();
    await second.look();
    expect(made.run('r1')?.state).toBe('running');
    expect(second.lease(RUN, 2)).toBe('taken');
    expect(made.view()).toMatchObject({ state: 'running', isLive: true });
  });

  test('whose report is of another run is not shown with it', async () => {
    const other = new MadeUpRun({
      directory: join(directory.path, 'other'),
      config: runConfig({ id: 'other' }),
    });
    other.report();
    made.registry.start({ ...begun(), directory: other.directory });
    made.registry.end({ ...ended(), directory: other.directory });
    expect(await made.registry.report(RUN)).toBeUndefined();
  });

  test('that was a depth profile leaves what it measured of the engine, bound to the node that it loaded', async () => {
    const run = new MadeUpRun({
      directory: join(directory.path, 'runs', 'r1'),
      config: runConfig({ id: 'r1' }),
    });
    const calibration = madeUpCalibration({ runId: RUN });
    writeFileSync(join(run.directory, 'report.json'), reportToJson({ ...run.report(), calibration }));
    made.registry.start({ ...begun(), directory: run.directory, dataset: 'depth profile: 0, 4096 tokens' });
    made.registry.end({ ...ended(), directory: run.directory });
    await made.registry.look();
    expect(made.facts.at(-1)).toEqual({
      kind: 'engine.calibrated',
      payload: { ...calibration, targetNode: REGISTRY_NODE },
    });
  });

  test('that was a depth profile is taken up by the next daemon where this one ended too soon, once, and never over a newer one', async () => {
    const profile = (id: string, startedAt: string): void => {
      const run = new MadeUpRun({ directory: join(directory.path, id), config: runConfig({ id }) });
      const calibration = madeUpCalibration({ runId: runIdOf(id) });
      writeFileSync(join(run.directory, 'report.json'), reportToJson({ ...run.report(), calibration }));
      const start = { ...begun(id), directory: run.directory, dataset: 'depth profile: 0 tokens', startedAt };
      made.registry.start(start);
      made.registry.end({ ...ended(), runId: runIdOf(id), directory: run.directory });
    };
    const stored = (): readonly string[] =>
      made.facts.flatMap(fact => (fact.kind === 'engine.calibrated' ? [fact.payload.runId] : []));
    profile('r1', '2026-11-20T10:00:00Z');
    const second = made.restarted();
    await second.look();
    expect(stored()).toEqual(['r1']);
    await second.look();
    await made.restarted().look();
    expect(stored()).toEqual(['r1']);
    // Both of the same engine and model: the newer one is known already, the older one was missed.
    profile('r3', '2026-11-20T12:00:00Z');
    await made.registry.look();
    profile('r2', '2026-11-20T11:00:00Z');
    await made.restarted().look();
    expect(stored()).toEqual(['r1', 'r3']);
  });

  test('has the words of its errors from its samples', async () => {
    const run = new MadeUpRun({ directory: join(directory.path, 'runs', 'r1'), failureShare: 0.5 });
    made.registry.start({ ...begun(), directory: run.directory });
    run.samples(50, { fromMs: 0, untilMs: 5_000 });
    await made.registry.look();
    const errors = madeUpFigures().errors.map(error => ({
      ...error,
      detail: { kind: 'unknown', reason: 'not stored' } as const,
      lastAtMs: { kind: 'unknown', reason: 'not stored' } as const,
    }));
    made.registry.update({ ...progress(), figures: madeUpFigures({ errors }) });
    expect(made.view()?.progress?.figures.errors[0]).toMatchObject({
      kind: 'timeout',
      detail: 'first byte, 30 s',
      lastAtMs: expect.any(Number),
    });
  });
});

interface Made {
  readonly registry: RunRegistry;
  readonly clock: VirtualClock;
  readonly facts: readonly Fact[];
  readonly disk: { isFull: boolean };
  run(id: string): ReturnType<typeof madeUpRunEntry> | undefined;
  view(): ReturnType<typeof runView>;
  /** The registry of the next daemon of this home. */
  restarted(): RunRegistry;
}

const makeRegistry = (home: string): Made => {
  const { clock, cluster, facts, disk, parts } = registryParts(home, { ownAddresses: ['192.0.2.7'] });
  return {
    registry: new RunRegistry(parts),
    clock,
    facts,
    disk,
    run: id => cluster.state.runs[REGISTRY_NODE]?.[id]?.value,
    view: () => runView(cluster.state, RUN, clock.nowMs()),
    restarted: () => new RunRegistry(parts),
  };
};

const begun = (id = 'r1'): RunStart => {
  const {
    targetNode: _node,
    state: _state,
    reason: _reason,
    figures: _figures,
    ...start
  } = madeUpRunEntry(id);
  return { ...start, directory: '/nowhere' };
};

const progress = () => ({
  runId: RUN,
  phase: 'measuring' as const,
  elapsedMs: 5_000,
  measuredMs: 5_000,
  figures: madeUpFigures(),
  recent: { requestsPerSecond: 8, outputTokensPerSecond: 900 },
  contentArrived: { chunks: 12, tokensPerChunk: 1 },
  agents: unknown('one machine makes the load'),
  updatesDropped: 0,
});

const ended = () => ({
  runId: RUN,
  state: 'complete' as const,
  reason: '',
  model: 'made-up',
  directory: '/nowhere',
  figures: madeUpFigures(),
});
