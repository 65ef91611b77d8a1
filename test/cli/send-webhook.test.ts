// A receiver that takes, refuses, is busy, or does not reply, and what a person reads of it.

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { sendWebhook } from '../../src/cli/send-webhook.ts';
import { webhookOption } from '../../src/cli/webhook-option.ts';
import { runWebhookSchema } from '../../src/core/run/run-webhook.ts';
import { madeUpProcess } from '../support/made-up-process.ts';
import { MadeUpRun } from '../support/made-up-run.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const receiver = async (reply: RequestListener): Promise<AsyncDisposable & { readonly url: string }> => {
  const server = createServer(reply).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/hooks/secret-token`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

test('the digest of a run arrives once, as its schema has it', async () => {
  using folder = temporaryDirectory();
  const report = new MadeUpRun({ directory: folder.path }).report();
  const bodies: string[] = [];
  await using taker = await receiver((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      bodies.push(body);
      response.writeHead(204).end();
    });
  });
  const own = madeUpProcess([]);
  await sendWebhook(report, taker.url, own.state);
  expect(bodies).toHaveLength(1);
  const message = v.parse(runWebhookSchema, JSON.parse(bodies[0] ?? ''));
  expect(message).toMatchObject({ event: 'run.ended', run: { id: report.run.id } });
  expect(own.stderr.text).toContain(`the digest of the run was sent to ${new URL(taker.url).origin}`);
});

test('a busy receiver is tried again, one that refuses is not, and its path is never shown', async () => {
  using folder = temporaryDirectory();
  const report = new MadeUpRun({ directory: folder.path }).report();
  const statuses = [503, 200, 403];
  let tries = 0;
  await using one = await receiver((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(statuses[tries] ?? 500, { 'retry-after': '0' }).end();
      tries += 1;
    });
  });
  const own = madeUpProcess([]);
  await sendWebhook(report, one.url, own.state);
  expect(tries).toBe(2);
  await sendWebhook(report, one.url, own.state);
  expect(tries).toBe(3);
  expect(own.stderr.text).toContain('was not taken by http://127.0.0.1:');
  expect(own.stderr.text).toContain('status 403');
  expect(own.stderr.text).not.toContain('secret-token');
});

test('a stopped command waits only until it is stopped again', async () => {
  using folder = temporaryDirectory();
  const report = new MadeUpRun({ directory: folder.path }).report();
  const own = madeUpProcess([]);
  own.stop('SIGINT');
  await using silent = await receiver(() => own.stop('SIGINT'));
  await sendWebhook(report, silent.url, own.state);
  expect(own.stderr.text).toContain('the sending to --webhook was stopped');
});

test.each(['ftp://a/b', 'no-url', 'http://user:secret@a/b'])('%s is refused without being repeated', text => {
  const read = webhookOption.read([text]);
  expect(read.kind).toBe('wrong');
  expect(read.kind === 'wrong' && `${read.problem} ${read.advice}`).not.toContain(text);
});
