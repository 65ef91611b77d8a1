// Sessions whose history the server is to keep: whether it did.

import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { answeringServer } from './answering-server.ts';
import { benchHere } from './bench-here.ts';

const chats = ['--api', 'responses', '--history', 'server', '--turns', '3', '--sessions', '2'];
const few = [...chats, '--concurrency', '1', '--warmup', '1', '--events', 'off'];

/** @param inputOf the turn, from 0, in tokens */
const responses = (
  inputOf: (turn: number) => number,
  idOf = (number: number): object => ({ id: `r${number}` }),
) =>
  answeringServer(({ number, response }) => {
    const turn = (number + 2) % 3;
    const event = (type: string, more: object): string => `data: ${JSON.stringify({ type, ...more })}\n\n`;
    const usage = { input_tokens: inputOf(turn), output_tokens: 2, total_tokens: inputOf(turn) + 2 };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(
      event('response.created', { response: idOf(number) }) +
        event('response.output_text.delta', { delta: 'a' }) +
        event('response.output_text.delta', { delta: 'b' }) +
        event('response.completed', { response: { ...idOf(number), status: 'completed', usage } }),
    );
  });

test('a server that ignores the id of the answer before is found by prompts that do not grow', {
  timeout: 60_000,
}, async () => {
  await using server = await responses(turn => 30 - turn);
  using folder = temporaryDirectory();
  const run = await benchHere(folder.path, [server.url, ...few]);
  expect(run.exit).toBe('ok');
  expect(server.requested.at(-1)).toHaveProperty('previous_response_id');
  const { contamination } = run.report();
  expect(contamination).toContainEqual(
    expect.objectContaining({ code: 'history-lost', count: 4, of: 4, unit: 'later turns' }),
  );
  const text = run.stdout.replace(/\s+/g, ' ');
  expect(text).toContain('history stored by the server');
  expect(text).toContain(
    '! The server did not store the history of sessions: the prompts of later turns are too short to contain the previous turns (4 of 4 later turns). Leave out --history server, so that each request has its history, or let the server store responses.',
  );
});

test('a server that keeps it is not reported', { timeout: 60_000 }, async () => {
  await using server = await responses(turn => 10 * (turn + 1));
  using folder = temporaryDirectory();
  const run = await benchHere(folder.path, [server.url, ...few]);
  expect(run.exit).toBe('ok');
  expect(run.report().contamination).not.toContainEqual(expect.objectContaining({ code: 'history-lost' }));
});

test('replies without an id end the run with the code of failures', { timeout: 60_000 }, async () => {
  await using server = await responses(
    () => 10,
    () => ({}),
  );
  using folder = temporaryDirectory();
  const run = await benchHere(folder.path, [server.url, ...few]);
  expect(run.exit).toBe('benchFailures');
  expect(run.stderr).toContain('4 turns not sent, because replies have no id (0 allowed) (code 10)');
  expect(run.stdout.replace(/\s+/g, ' ')).toContain(
    'THE SERVER DID NOT STORE THE HISTORY: 4 OF 6 TURNS NOT SENT, BECAUSE ITS REPLIES HAVE NO ID.',
  );
  expect(run.report().contamination).toContainEqual(
    expect.objectContaining({ code: 'history-lost', count: 4, of: 6, unit: 'turns' }),
  );
});
