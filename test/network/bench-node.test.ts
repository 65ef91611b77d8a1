// Two machines with two cables between them: an engine of one is loaded from the other by the name of its node, over the cable that
// probes have measured as fastest.

import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { CabledHosts, TWO_CABLES } from './cabled-hosts.ts';
import { lineOf, outputOf } from './two-hosts.ts';

it('an engine of another node is loaded at the address of the fast cable', {
  timeout: 200_000,
}, async context => {
  await using hosts = await CabledHosts.open(context, TWO_CABLES);
  const plimsoll = (host: string, ...words: readonly string[]) =>
    hosts.spawn(host, process.execPath, [MAIN, ...words, '--home', hosts.home(host)]);
  const mock = [
    '--host',
    '0.0.0.0',
    '--port',
    '8000',
    '--ttft',
    '1ms',
    '--gap',
    '0ms',
    '--output-tokens',
    '500',
  ];
  await lineOf(plimsoll('juno', 'mock', ...mock), /^Serving/, context.signal);
  await hosts.until(({ engines }) => engines.includes('juno http://127.0.0.1:8000'));

  const before = hosts.bytesSent();
  const load = ['--requests', '20', '--output-tokens', '500', '--events', 'off', '--json', '--quiet'];
  const printed = await outputOf(plimsoll('atlas', 'bench', 'juno', ...load));
  expect(JSON.parse(printed)).toMatchObject({
    run: { target: 'http://10.92.0.2:8000' },
    counts: { completed: 20 },
  });
  hosts.expectSent(before, ['fast0'], REPLY_BYTES_MIN);

  // As a shell completes it, and what is not there.
  expect(await outputOf(plimsoll('atlas', 'completion', 'targets'))).toContain(
    'juno\tPlimsoll mock mock-model\n',
  );
  const alone = plimsoll('juno', 'mock', '--port', '8080');
  await lineOf(alone, /^Serving/, context.signal);
  await hosts.until(({ engines }) => engines.includes('juno http://127.0.0.1:8080'));
  const refused = hosts.spawn('atlas', 'sh', [
    '-c',
    `${process.execPath} ${MAIN} bench juno:8080 --home ${hosts.home('atlas')} 2>&1 || true`,
  ]);
  expect(await outputOf(refused)).toContain(
    'the server of juno listens on loopback only (http://127.0.0.1:8080)',
  );
});

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
/** Of 20 replies, each of 500 tokens in an event of some 200 bytes. */
const REPLY_BYTES_MIN = 1024 * 1024;
