import { describe, expect, test } from 'vitest';
import { askDaemon, refusalText } from '../../../dashboard/src/shell/ask-daemon.ts';
import { apiProblem } from '../../../src/wire/api/api-problem.ts';
import { linksAnswerSchema } from '../../../src/wire/api/cluster-answers.ts';
import { serveCluster } from '../../daemon/http/served-cluster.ts';

describe('what a page says of a refusal', () => {
  test('is what the daemon says, and what it advises', () => {
    const body = apiProblem({
      code: 'run-elsewhere',
      problem: 'The process of this run is on bosun.',
      advice: 'Stop it there.',
    });
    expect(refusalText(409, body)).toBe('The process of this run is on bosun. Stop it there.');
  });

  test('to a browser without access is how to get it', () => {
    expect(refusalText(401, undefined)).toContain('plimsoll open');
  });

  test.each([undefined, null, 'text', {}, { error: 'text' }])(
    'is the status where the body says nothing (%j)',
    body => {
      expect(refusalText(503, body)).toBe('HTTP 503');
    },
  );
});

describe('what a page asks the daemon', () => {
  test('is here when the answer is what its schema says', async () => {
    await using served = await serveCluster();
    const reply = await askDaemon(`http://127.0.0.1:${served.port}/api/links`, linksAnswerSchema);
    expect(reply).toEqual({ kind: 'here', value: { links: [] } });
  });

  test('is refused in words when the daemon refuses, answers something else, or is not there', async () => {
    const served = await serveCluster();
    const url = `http://127.0.0.1:${served.port}`;
    const reasonOf = async (path: string) => {
      const reply = await askDaemon(`${url}${path}`, linksAnswerSchema);
      return reply.kind === 'refused' ? reply.reason : '';
    };
    expect(await reasonOf('/api/runs/none')).toContain('No run none is known here.');
    expect(await reasonOf('/api/daemon')).toContain('does not understand');
    expect(await reasonOf('/metrics')).toContain('does not understand');
    await served[Symbol.asyncDispose]();
    expect(await reasonOf('/api/links')).toBe('the daemon does not answer');
  });
});
