// Documents that report to the daemon: what it stores of one that is in progress, goes silent, is stopped and ends.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Fastify from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { comparisonView } from '../../../src/core/comparison/comparison-selectors.ts';
import { LEASE_MS } from '../../../src/core/document/document-views.ts';
import { plainView } from '../../../src/core/document/plain-views.ts';
import { isReportedAsStage } from '../../../src/core/run/run-selectors.ts';
import { sweepView } from '../../../src/core/sweep/sweep-selectors.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { documentRoutes } from '../../../src/daemon/http/document-routes.ts';
import { RequestError } from '../../../src/daemon/http/request-error.ts';
import { addApiRoutes } from '../../../src/daemon/http/route.ts';
import { ABANDONED_MS } from '../../../src/daemon/runs/document-kind.ts';
import { DocumentRegistry, SCAN_MS } from '../../../src/daemon/runs/document-registry.ts';
import { PLAIN_DOCUMENT } from '../../../src/daemon/runs/plain-kind.ts';
import { RunRegistry } from '../../../src/daemon/runs/run-registry.ts';
import { sweepKind } from '../../../src/daemon/runs/sweep-kind.ts';
import { CAMPAIGN } from '../../../src/render/campaign/probe-campaign.ts';
import { plainReport, plainStart } from '../../../src/render/document/plain-kind.ts';
import { documentStopAnswerSchema } from '../../../src/wire/api/document-answers.ts';
import { MADE_UP_KINDS } from '../../support/document-kinds.ts';
import { madeUpCampaign } from '../../support/made-up-campaign.ts';
import { madeUpLine, sweepIdOf, writeLine } from '../../support/made-up-line.ts';
import { REGISTRY_NODE, registryParts } from '../../support/registry-parts.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/temporary-directory.ts';

describe.each(MADE_UP_KINDS)('a %s in the registry', (name, registryIn) => {
  let folder: TemporaryDirectory;
  let made: ReturnType<typeof registryIn>;
  beforeEach(() => {
    folder = temporaryDirectory();
    made = registryIn(folder.path);
  });
  afterEach(() => folder[Symbol.dispose]());

  test('that nobody announced takes neither news nor an end', () => {
    expect(made.update()).toBe('unknown');
    expect(made.end()).toBe('unknown');
    expect(made.stop()).toBe(false);
    expect(made.facts).toEqual([]);
  });

  test('is accepted up to a limit of them at once, and again when it is one of them', () => {
    for (let index = 1; index <= made.liveLimit; index += 1) expect(made.start(`d${index}`)).toBe('taken');
    expect(made.start('one-more')).toBe('full');
    expect(made.start('d1')).toBe('taken');
    made.end();
    expect(made.start('one-more')).toBe('taken');
  });

  test('that a person requests to end receives it with each reply, until it has ended', () => {
    made.start();
    expect(made.update()).toBe('taken');
    expect(made.view()).toMatchObject({ state: 'running', isLive: true });
    expect(made.stop()).toBe(true);
    expect([made.update(), made.update()]).toEqual(['stop', 'stop']);
    expect(made.end()).toBe('taken');
    expect(made.stop()).toBe(false);
    expect(made.view()).toMatchObject({ state: 'complete', isLive: false });
    // The end is reported twice, as after a lost reply.
    expect(made.end()).toBe('taken');
    // One that starts again under the same id is not the one that had to stop.
    made.start();
    expect(made.update()).toBe('taken');
  });

  test('that fell silent is shown as interrupted at once, and recorded as such after a minute', async () => {
    made.start();
    made.update();
    await made.clock.advance(LEASE_MS + 1);
    await made.look();
    expect(made.view()).toMatchObject({ state: 'interrupted', isLive: false });
    expect(made.own()?.state).toBe('running');
    await made.clock.advance(ABANDONED_MS);
    await made.look();
    expect(made.own()?.state).toBe('interrupted');
    expect(made.update()).toBe('unknown');
  });

  test('that fell silent ends as its file reports it', async () => {
    made.start();
    made.write();
    await made.clock.advance(ABANDONED_MS + 1);
    await made.look();
    expect(made.own()?.state).toBe('complete');
  });

  test('whose start or end the disk refuses takes that again', () => {
    made.disk.isFull = true;
    expect(made.start()).toBe('waiting');
    made.disk.isFull = false;
    expect(made.start()).toBe('taken');
    made.disk.isFull = true;
    expect(made.end()).toBe('waiting');
    made.disk.isFull = false;
    expect(made.end()).toBe('taken');
    expect(made.view()?.state).toBe('complete');
  });

  test('reports what it loads to keep probes away', () => {
    made.start();
    const keys = made.facts.flatMap(fact =>
      fact.kind === 'runner.reported' ? [fact.payload.runnerKey] : [],
    );
    expect(keys).toEqual(RUNNER_KEYS[name]);
  });
});

const RUNNER_KEYS: Readonly<Record<string, readonly string[]>> = {
  run: ['run d1'],
  sweep: ['sweep d1'],
  comparison: ['comparison d1 A', 'comparison d1 B'],
  document: [],
};

describe('a document of a certain kind', () => {
  let folder: TemporaryDirectory;
  beforeEach(() => {
    folder = temporaryDirectory();
  });
  afterEach(() => folder[Symbol.dispose]());
  const registryOf = (kind: string) => {
    const found = MADE_UP_KINDS.find(([name]) => name === kind);
    if (found === undefined) throw new RangeError(kind);
    return found[1](folder.path);
  };

  test('a sweep that went silent without a document keeps its stages', async () => {
    const made = registryOf('sweep');
    made.start();
    made.update();
    await made.clock.advance(ABANDONED_MS + 1);
    await made.look();
    const view = sweepView(made.cluster.state, sweepIdOf('d1'), made.clock.nowMs());
    expect(view?.sweep).toMatchObject({ state: 'interrupted', line: madeUpLine(370).line });
    expect(view?.sweep.stages).toHaveLength(madeUpLine(370).stages.length);
  });

  test('a comparison is seen with its pairs as they come in, and keeps them when it goes silent', async () => {
    const made = registryOf('comparison');
    const view = () => comparisonView(made.cluster.state, 'd1', made.clock.nowMs());
    made.start();
    made.update();
    expect(view()).toMatchObject({ pairsDone: 2, segment: { pair: 3, side: 'b' }, nextLookMs: 240_000 });
    await made.clock.advance(ABANDONED_MS + 1);
    await made.look();
    expect(view()).toMatchObject({
      reported: { state: 'interrupted', pairsDone: 2 },
      segment: unknown('nothing runs'),
    });
  });

  test('segments are marked as parts of a comparison, and other runs with such a tag are not', () => {
    const made = registryOf('comparison');
    const segment = (id: string) => ({ sweep: unknown('no stage'), tags: ['gpu=h200', `comparison=${id}`] });
    expect(isReportedAsStage(made.cluster.state, segment('d1'))).toBe(false);
    made.start();
    expect(isReportedAsStage(made.cluster.state, segment('d1'))).toBe(true);
    expect(isReportedAsStage(made.cluster.state, segment('of-nobody'))).toBe(false);
    expect(isReportedAsStage(made.cluster.state, segment('constructor'))).toBe(false);
  });

  test('a search found on disk still running is left to its writer for a minute', async () => {
    const { clock, cluster, parts } = registryParts(folder.path);
    const registry = new DocumentRegistry(sweepKind(new RunRegistry(parts)), parts);
    const view = () => sweepView(cluster.state, sweepIdOf('line-1'), clock.nowMs());
    writeLine(join(folder.path, 'runs', 'line-1'), madeUpLine(370));
    mkdirSync(join(folder.path, 'runs', 'no-search'));
    await registry.look();
    expect(view()).toBeUndefined();
    await clock.advance(ABANDONED_MS + SCAN_MS);
    await registry.look();
    expect(view()).toMatchObject({ state: 'interrupted', reason: expect.stringContaining('--resume') });
  });
});

test('the routes of a kind derive from its row: start, progress, end, stop, and every refusal', async () => {
  using folder = temporaryDirectory();
  const { clock, cluster, parts } = registryParts(folder.path);
  const app = Fastify();
  app.setErrorHandler((error, _request, reply) =>
    error instanceof RequestError
      ? reply.code(error.status).send({ code: error.problem.code, detail: error.problem.problem })
      : reply.code(500).send({ code: String(error) }),
  );
  addApiRoutes(
    app,
    documentRoutes(
      { clock, cluster, nodeId: REGISTRY_NODE },
      {
        kind: PLAIN_DOCUMENT,
        registry: new DocumentRegistry(PLAIN_DOCUMENT, parts),
        stopAnswer: documentStopAnswerSchema,
        stopped: documentId => ({ documentId }),
      },
    ),
  );
  const send = async (method: 'POST' | 'PUT', path: string, body: object): Promise<string> => {
    const { statusCode, json, body: text } = await app.inject({ method, url: `/api/documents${path}`, body });
    return text === '' ? String(statusCode) : `${statusCode} ${json().code ?? 'ok'}`;
  };
  const report = plainReport(CAMPAIGN, madeUpCampaign('d1'));
  const one = { ...plainStart(report, '/nowhere'), state: 'complete', reason: '' };
  expect(await send('PUT', '/d1/progress', one)).toBe('404 no-such-document');
  expect(await send('POST', '', one)).toBe('204');
  expect(await send('PUT', '/d1/progress', one)).toBe('204');
  expect(await send('PUT', '/d2/progress', one)).toBe('400 bad-body');
  expect(await send('POST', '/d1/stop', {})).toBe('202 ok');
  expect(await send('PUT', '/d1/progress', one)).toBe('202');
  expect(await send('POST', '/d1/end', one)).toBe('204');
  expect(await send('POST', '/d1/stop', {})).toBe('409 run-not-live');
  expect(await send('POST', '/d2/stop', {})).toBe('404 no-such-document');
  expect(plainView(cluster.state, 'd1', clock.nowMs())?.state).toBe('complete');
  await app.close();
});
