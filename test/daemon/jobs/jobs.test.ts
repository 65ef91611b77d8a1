// Jobs of a real daemon, requested over HTTP, against a mock server: what the command line starts, started by a request.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findDaemon } from '../../../src/cli/daemon-client.ts';
import { startDaemonFor } from '../../../src/cli/daemon-start.ts';
import type { Daemon } from '../../../src/daemon/daemon-options.ts';
import { type Mock, startMock } from '../../../src/mock/mock-server.ts';
import { jobSchema } from '../../../src/wire/api/job-answers.ts';
import { writtenAs } from '../../report/imported/foreign-texts.ts';
import { madeUpProcess } from '../../support/made-up-process.ts';
import { repositoryRoot } from '../../support/repository-root.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/temporary-directory.ts';
import { type Json, until } from '../http/http-exchange.ts';

describe('jobs', { timeout: 180_000 }, () => {
  const { state } = madeUpProcess([], { isAlive: () => true });
  let folder: TemporaryDirectory;
  let home: string;
  let daemon: Daemon;
  let mock: Mock;

  beforeAll(async () => {
    folder = temporaryDirectory();
    home = join(folder.path, 'home');
    mock = await startMock({ ttftMs: 2, gapMs: 1, outputTokens: 3 });
    daemon = await startDaemonFor(
      { ...state, script: `${repositoryRoot}src/cli/main.ts` },
      {
        home,
        http: { host: '127.0.0.1', port: 0 },
        name: 'atlas',
        mesh: { keyFile: undefined, listen: 'off', peers: [] },
        probes: undefined,
        onNotice: () => undefined,
      },
    );
  }, 60_000);
  afterAll(async () => {
    await daemon[Symbol.asyncDispose]();
    await mock[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const call = async (path: string, body?: unknown): Promise<{ status: number; json: Json }> => {
    const { token } = JSON.parse(readFileSync(join(home, 'daemon.json'), 'utf8'));
    const reply = await fetch(`${daemon.url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // Polled more often than one address may: the reply states when to try again.
    const retryAfter = reply.headers.get('retry-after');
    if (reply.status === 429 && retryAfter !== null) {
      await delay(1_000 * Number(retryAfter));
      return await call(path, body);
    }
    return { status: reply.status, json: await reply.json() };
  };

  const started = async (request: object): Promise<Json> => {
    const { status, json } = await call('/api/jobs', request);
    expect(json).toMatchObject({ state: 'running', command: expect.any(String) });
    expect(status).toBe(202);
    return json;
  };

  const ended = async (jobId: string): Promise<Json> => {
    let answer: Json;
    await until(async () => {
      answer = (await call(`/api/jobs/${jobId}`)).json;
      return answer.job.state !== 'running';
    });
    return answer;
  };

  test('a run has the id of its job, and the energy, headroom and provenance of one of the command line', async () => {
    const load = { requests: 10, concurrency: 2, 'output-tokens': 3 };
    const { jobId, path } = await started({ command: 'bench', url: mock.url, ...load });
    const { job, result } = await ended(jobId);
    expect(job).toMatchObject({ state: 'ended', exitCode: 0, messages: [] });
    expect(result).toMatchObject({ run: { id: jobId }, complete: true, counts: { completed: 10 } });
    expect(path).toBe(`/api/runs/${jobId}`);
    expect((await call(path)).json).toMatchObject({ run: { run: { runId: jobId } } });
    const options = Object.entries(load).map(([name, value]) => `--${name}=${value}`);
    const typed = madeUpProcess(['bench', mock.url, ...options, '--home', home, '--json', '--quiet'], {
      isAlive: () => true,
    });
    expect(await typed.run()).toBe(0);
    const { energy, headroom, provenance } = JSON.parse(typed.stdout.text);
    expect(result.headroom).toEqual(headroom);
    // The sensors of this machine, or the same reason for having none.
    expect(result.energy.node).toBe(energy.node);
    expect(result.energy.kind).toBe(energy.kind);
    expect(result.provenance).toMatchObject({ node: provenance.node, machine: provenance.machine });
    expect(result.provenance.call.args).toEqual([
      mock.url,
      ...Object.entries(load).flatMap(([name, value]) => [`--${name}`, String(value)]),
    ]);
  });

  test('a sweep, a line, a comparison and a calibration are started, and stopped as Ctrl-C does', async () => {
    for (const request of [
      { command: 'sweep', url: mock.url, concurrency: [1, 2], duration: '60s' },
      { command: 'line', url: mock.url, budget: '10m' },
      { command: 'compare', a: mock.url, b: `${mock.url}/v1`, segment: '30s' },
    ]) {
      const { jobId, path } = await started(request);
      await until(async () => (await call(path)).status === 200);
      expect((await call(`/api/jobs/${jobId}/stop`, {})).status).toBe(202);
      expect((await ended(jobId)).job).toMatchObject({ state: 'stopped' });
      expect((await call(`/api/jobs/${jobId}/stop`, {})).json).toMatchObject({ code: 'run-not-live' });
    }
    const { jobId } = await started({ command: 'calibrate', budget: '2s' });
    expect((await ended(jobId)).result).toMatchObject({ schema: 'plimsoll.calibration/1' });
    expect((await call('/api/jobs')).json.jobs.map(({ command }: Json) => command)).toEqual(
      expect.arrayContaining(['calibrate', 'compare', 'line', 'sweep']),
    );
  });

  test('a file is imported for the user of the daemon alone', async ({ signal }) => {
    const file = join(folder.path, 'result.json');
    writeFileSync(file, await writtenAs('vllm'));
    const request = { command: 'import', file };
    expect((await call('/api/jobs', request)).json).toMatchObject({
      code: 'bad-body',
      detail: expect.stringContaining('is a file or socket of this machine'),
    });
    const client = await findDaemon(home, state);
    const { jobId } = await client.answer(jobSchema, '/api/jobs', signal, 'POST', request);
    const { runs } = (await ended(jobId)).result;
    expect(existsSync(join(runs[0].directory, 'report.json'))).toBe(true);
  });

  test.each([
    [{ command: 'rm' }, 'there is no job "rm"'],
    [{ command: 'bench', url: 'URL', requsts: 1 }, '"requsts" is not an option of plimsoll bench'],
    [{ command: 'bench', url: '--json' }, '"--json" is not a URL'],
    [{ command: 'bench', url: 'runs.toml' }, '"runs.toml" is not a URL'],
    [{ command: 'bench', url: 'URL', requests: 0 }, 'wrong at requests'],
    [{ command: 'bench', url: 'URL', requests: 1, duration: '1s' }, '--requests and --duration cannot be'],
    [{ command: 'bench', url: 'URL', dataset: '/etc/passwd' }, '"/etc/passwd" is a file'],
    [{ command: 'bench', url: 'unix:/run/docker.sock' }, 'is a file or socket of this machine'],
    [{ command: 'bench', url: 'URL', out: '/tmp/x' }, '"out" is not an option of plimsoll bench'],
    [{ command: 'bench', url: 'URL', header: 'a: b' }, '"header" is not an option of plimsoll bench'],
    [{ command: 'compare', a: 'http://a', b: 'http://b', 'a-start': 'rm' }, '"a-start" is not an option'],
    [{ command: 'compare', a: '/etc', b: 'http://b' }, '"/etc" is a file'],
    [{ command: 'line' }, 'wrong at url'],
    [{ command: 'sweep', rates: '1' }, 'wrong at url'],
  ])('%j is refused', async (request, problem) => {
    const { status, json } = await call('/api/jobs', request);
    expect(json).toMatchObject({ code: 'bad-body', detail: expect.stringContaining(problem) });
    expect(status).toBe(400);
  });

  test('are described with the options of their commands', async () => {
    const { json } = await call('/openapi.json');
    const text = JSON.stringify(json.paths['/api/jobs'].post.requestBody);
    for (const part of ['Stop after this many requests.', '"maximum":20000', '"const":"calibrate"'])
      expect(text).toContain(part);
    expect(text).not.toContain('"a-start":');
  });
});
