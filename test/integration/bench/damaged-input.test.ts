// A file of the person's own that is damaged ends the command with its line and the exit code of bad input, before a request is
// sent and before a run directory is there.

import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { benchHere } from './bench-here.ts';

/** Replies 404 to every request, and counts the requests. */
const countingServer = async () => {
  const server = createServer((request, response) => {
    if (request.method === 'POST') reported.posts += 1;
    response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const reported = {
    url: `http://127.0.0.1:${port}`,
    posts: 0,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return reported;
};

test.each([
  {
    name: 'prompts.jsonl',
    text: '{"prompt":"one"}\n{"prompt":"tw',
    option: '--dataset',
    location: /prompts\.jsonl:2: /,
  },
  {
    name: 'chats.json',
    text: '[{"conversations":[]},\n{"conv',
    option: '--dataset',
    location: /chats\.json:2: /,
  },
  { name: 'rows.csv', text: 'id,prompt\n1,"never\nclosed', option: '--dataset', location: /rows\.csv:2: / },
  {
    name: 'trace.jsonl',
    text: '{"timestamp":0,"input_length":9,"output_length":5,"hash_ids":[1]}\n{"timestamp":1,"inpu',
    option: '--trace',
    location: /trace\.jsonl:2: /,
  },
  {
    name: 'stages.toml',
    text: '[[stage]]\nrate = \n',
    option: '--stages',
    location: /stages\.toml: line 2: /,
  },
])('$name', async ({ name, text, option, location }) => {
  using folder = temporaryDirectory();
  await using server = await countingServer();
  const file = join(folder.path, name);
  writeFileSync(file, text);
  const limit = option === '--dataset' ? ['--requests', '2'] : [];
  const run = await benchHere(folder.path, [server.url, '--model', 'm', option, file, ...limit]);
  expect(run.exit).toBe('benchInput');
  expect(run.stderr).toMatch(location);
  expect(run.stderr).not.toMatch(/\n\s+at /);
  expect(existsSync(run.directory)).toBe(false);
  expect(readdirSync(folder.path).filter(entry => entry !== 'home')).toEqual([name]);
  expect(server.posts).toBe(0);
});
