import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { describe, expect, test } from 'vitest';
import { fetchDaemon, refusal } from '../../../dashboard/src/shell/fetch-daemon.ts';
import { apiProblem } from '../../../src/wire/api/api-problem.ts';
import { linksAnswerSchema } from '../../../src/wire/api/cluster-answers.ts';
import { serveCluster } from '../../daemon/http/served-cluster.ts';

describe('what a page reports of a refusal', () => {
  test('is what the daemon reports, and what it advises', () => {
    const body = apiProblem({
      code: 'run-elsewhere',
      problem: 'The process of this run is on bosun.',
      advice: 'Stop it there.',
    });
    expect(refusal(409, body)).toEqual({
      kind: 'refused',
      code: 'run-elsewhere',
      reason: 'The process of this run is on bosun. Stop it there.',
    });
  });

  test('to a browser without access is how to get it', () => {
    expect(refusal(401, undefined)).toMatchObject({ reason: expect.stringContaining('plimsoll open') });
  });

  test.each([undefined, null, 'text', {}, { error: 'text' }])(
    'is the status where the body contains nothing (%j)',
    body => {
      expect(refusal(503, body)).toEqual({ kind: 'refused', code: 'http-503', reason: 'HTTP 503' });
    },
  );
});

describe('what a page asks the daemon', () => {
  test('is here when the answer is what its schema states', async () => {
    await using served = await serveCluster();
    const reply = await fetchDaemon(`http://127.0.0.1:${served.port}/api/links`, linksAnswerSchema);
    expect(reply).toEqual({ kind: 'here', value: { links: [] } });
  });

  test('is refused in words when the daemon refuses, answers something else, or is not there', async () => {
    const served = await serveCluster();
    const url = `http://127.0.0.1:${served.port}`;
    const reasonOf = async (path: string) => {
      const reply = await fetchDaemon(`${url}${path}`, linksAnswerSchema);
      return reply.kind === 'refused' ? reply.reason : '';
    };
    expect(await reasonOf('/api/runs/none')).toContain('No run none is known here.');
    expect(await reasonOf('/api/daemon')).toContain('does not understand');
    expect(await reasonOf('/metrics')).toContain('does not understand');
    await served[Symbol.asyncDispose]();
    expect(await reasonOf('/api/links')).toMatch(/^the daemon does not answer: \S+/);
  });

  test('is refused with what is wrong with the answer', async () => {
    await using served = await serveCluster();
    const reply = await fetchDaemon(`http://127.0.0.1:${served.port}/api/daemon`, linksAnswerSchema);
    expect(reply).toMatchObject({ code: 'not-understood', reason: expect.stringContaining('links') });
  });

  test('is refused with the cause when the reply breaks off', async () => {
    await using server = await listening((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"links":', () => response.destroy());
    });
    const reply = await fetchDaemon(`http://127.0.0.1:${server.port}/api/links`, linksAnswerSchema);
    expect(reply).toMatchObject({ code: 'no-answer', reason: expect.stringMatching(/does not answer: .+/) });
  });

  test('is refused when what comes is no JSON', async () => {
    await using server = await listening((_, response) => response.end('<html>a proxy</html>'));
    const reply = await fetchDaemon(`http://127.0.0.1:${server.port}/api/links`, linksAnswerSchema);
    expect(reply).toMatchObject({ code: 'not-understood' });
  });

  test('is refused with the code that the daemon gives', async () => {
    await using served = await serveCluster();
    const reply = await fetchDaemon(`http://127.0.0.1:${served.port}/api/runs/none`, linksAnswerSchema);
    expect(reply).toMatchObject({ kind: 'refused', code: 'no-such-run' });
  });
});

const listening = async (answer: RequestListener): Promise<AsyncDisposable & { readonly port: number }> => {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
