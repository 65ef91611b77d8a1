// DNS rebinding against an agent, through the system's resolver and a name server of the test's own: the load goes to the address
// that was checked, or nowhere.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import { isLongRun } from '../support/counts.ts';
import { PROGRAM } from '../support/program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { Namespaces, reasonAgainstNamespaces } from './namespaces.ts';
import type { RebindingName } from './rebinding-name.ts';
import { lineOf, outputOf } from './two-hosts.ts';

const URL_BY_NAME = 'http://model.test:8000';
const SERVER = '10.99.0.1';
const ELSEWHERE = '169.254.169.254';

/** A run from an agent whose name server gives the server's address so often, and then that of a cloud's credentials. */
const benchBehind = async (
  firstAnswers: number,
  context: TestContext,
): Promise<{ readonly code: number | null; readonly reported: string; readonly name: string }> => {
  using folder = temporaryDirectory();
  await using net = new Namespaces();
  net.addHost('one');
  for (const address of [SERVER, '10.99.0.53', ELSEWHERE])
    net.ip('one', 'addr', 'add', `${address}/32`, 'dev', 'lo');
  const etc = `/etc/netns/${net.nameOf('one')}`;
  mkdirSync(etc, { recursive: true });
  using _etc: Disposable = { [Symbol.dispose]: () => rmSync(etc, { recursive: true }) };
  writeFileSync(join(etc, 'resolv.conf'), 'nameserver 10.99.0.53\n');
  const reported: RebindingName = {
    server: '10.99.0.53',
    first: SERVER,
    later: ELSEWHERE,
    firstAnswers,
    trapPort: 8000,
  };
  const node = (...args: readonly string[]) => net.spawn('one', process.execPath, args);
  const plimsoll = (home: string, ...args: readonly string[]) =>
    node(PROGRAM, ...args, '--home', join(folder.path, home));
  const name = node(join(import.meta.dirname, 'rebinding-process.ts'), JSON.stringify(reported));
  await lineOf(name, /^ready$/, context.signal);
  let reportedName = '';
  name.stdout.on('data', (chunk: Buffer) => {
    reportedName += chunk.toString();
  });
  const mock = plimsoll('mock', 'mock', '--host', SERVER, '--port', '8000', '--output-tokens', '2');
  await lineOf(mock, /Serving/, context.signal);
  const agent = plimsoll('agent', 'agent', '--target', URL_BY_NAME);
  const code = /=([0-9A-Z-]{20,})$/.exec(await lineOf(agent, /--agents \S+=/, context.signal))?.[1] ?? '';
  const load = ['--rate', '40', '--requests', '80', '--agents', `127.0.0.1=${code}`];
  const bench = plimsoll('bench', 'bench', URL_BY_NAME, ...load, '--out', join(folder.path, 'run'));
  const ended = new Promise<number | null>(resolve => bench.once('exit', resolve));
  const agentOutput = lineOf(agent, /has all samples|was refused/, context.signal);
  const output = await outputOf(bench);
  return { code: await ended, reported: `${output}${await agentOutput}`, name: reportedName };
};

describe('a name that leads elsewhere', { timeout: 120_000 }, () => {
  const need = (context: TestContext): void => {
    if (!isLongRun) context.skip('four processes each: in the long run');
    const reason = reasonAgainstNamespaces();
    if (reason !== undefined) context.skip(reason);
  };

  test('once the load was admitted changes nothing: it is not looked up again', async context => {
    need(context);
    // To ask the server what it is, and for the load.
    const { code, reported, name } = await benchBehind(2, context);
    expect(code, reported).toBe(0);
    expect(name).toBe(`gave ${SERVER}\n`.repeat(2));
  });

  test('before the load was admitted is refused, and nothing goes there', async context => {
    need(context);
    const { code, reported, name } = await benchBehind(1, context);
    expect(code).toBe(15);
    expect(reported).toContain(`model.test leads to ${ELSEWHERE}`);
    expect(name).toBe(`gave ${SERVER}\ngave ${ELSEWHERE}\n`);
  });
});
