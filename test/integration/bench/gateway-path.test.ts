// A gateway that serves two teams below paths of their own: a run against one of them shows nothing of the other.

import { expect, test } from 'vitest';
import { isKnown, knownOr } from '../../../src/core/unknown.ts';
import { rebuildReport } from '../../../src/metrics/report-sources.ts';
import { startGatewayStub } from '../../support/engine-stub.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { benchHere } from './bench-here.ts';

const LOAD = ['--requests', '8', '--concurrency', '2', '--output-tokens', '8'];

test('the pages of a server are read below the path of the gateway, and none of another server', async () => {
  using folder = temporaryDirectory();
  await using gateway = await startGatewayStub(
    { 'team-a': { model: 'm', fingerprint: 'vllm-a' }, 'team-b': { model: 'm' } },
    'team-b',
  );
  const run = await benchHere(folder.path, [`${gateway.url}/team-a/v1`, ...LOAD]);
  const report = run.report();
  expect(run.exit).toBe('ok');
  expect(knownOr(report.server, undefined)?.figures.generatedTokens?.rose).toBe(64);
  expect(knownOr(report.contamination, undefined)).toEqual([]);
  expect(gateway.engines['team-b']?.requests).toEqual([]);
});

test('a path without metrics takes those of the root only of the same server', async () => {
  using folder = temporaryDirectory();
  const engine = { model: 'm' };
  // The gateway passes on completions and the list of models alone; its root is the engine itself.
  await using gateway = await startGatewayStub({ 'team-a': engine }, 'team-a', ['/metrics', '/version']);
  const run = await benchHere(folder.path, [`${gateway.url}/team-a`, ...LOAD]);
  const report = run.report();
  expect(knownOr(report.server, undefined)?.figures.generatedTokens?.rose).toBe(64);
  const reported = isKnown(report.provenance) ? knownOr(report.provenance.server, []) : [];
  expect(reported.flatMap(({ facts }) => facts)).toContainEqual({ name: 'version', value: '0.32.0' });
});

test('metrics of another server at the root are not shown, although it serves the same model', async () => {
  using folder = temporaryDirectory();
  await using gateway = await startGatewayStub(
    { 'team-a': { model: 'm' }, 'team-b': { model: 'm' } },
    'team-b',
    ['/metrics'],
  );
  const run = await benchHere(folder.path, [`${gateway.url}/team-a`, ...LOAD]);
  const report = run.report();
  const reason =
    'no metrics at /team-a/metrics, and the root of the host may be another server: a request through the gateway did not move its counters';
  expect(report.server).toEqual({ kind: 'unknown', reason });
  expect((await rebuildReport(run.directory)).server).toEqual(report.server);
  expect(report.notices).toContain(reason);
  expect(isKnown(report.contamination) ? report.contamination : 'unknown').toEqual([]);
});

test('a root that lists other models gets no request of the run', async () => {
  using folder = temporaryDirectory();
  await using gateway = await startGatewayStub(
    { 'team-a': { model: 'm' }, 'team-b': { model: 'other' } },
    'team-b',
    ['/metrics'],
  );
  const run = await benchHere(folder.path, [`${gateway.url}/team-a`, ...LOAD]);
  expect(run.report().notices).toContain(
    'no metrics at /team-a/metrics, and the root of the host may be another server: it lists other models',
  );
  expect(gateway.engines['team-b']?.requests).toEqual(['GET /v1/models']);
});
