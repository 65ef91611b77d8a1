// `plimsoll agent`, and the error of `bench --from` for a node that makes no load.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandDaemon } from '../support/command-daemon.ts';
import { madeUpProcess } from '../support/made-up-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const TARGET = 'http://10.0.0.7:8000';

describe('plimsoll agent', () => {
  test('without a target ends with 2, because it could load nothing', async () => {
    using folder = temporaryDirectory();
    const { run, stderr } = madeUpProcess(['agent', '--home', folder.path]);
    expect(await run()).toBe(2);
    expect(stderr.text).toContain('no target is listed');
  });

  test('with an error in config.toml ends with 3, because the caps that somebody wrote there would not hold', async () => {
    using folder = temporaryDirectory();
    writeFileSync(join(folder.path, 'config.toml'), '[bench]\nconnections_max = 20\nrequests_max = 5\n');
    const { run, stderr, stdout } = madeUpProcess(['agent', '--home', folder.path, '--target', TARGET]);
    expect(await run()).toBe(3);
    expect(stderr.text).toContain('the caps of this agent cannot be read');
    expect(stderr.text).toMatch(/config\.toml:3: unknown key "requests_max"/);
    expect(stdout.text).toBe('');
  });

  test('refuses a wildcard, and what is more than an origin', async () => {
    using folder = temporaryDirectory();
    for (const target of ['https://*.example.net', 'http://10.0.0.7:8000/v1']) {
      const { run } = madeUpProcess(['agent', '--home', folder.path, '--target', target]);
      expect(await run()).toBe(2);
    }
  });

  test.each([
    'http://169.254.169.254',
    'http://[fe80::1]:8000',
    'http://0.0.0.0:8000',
    'http://[::ffff:127.0.0.1]:8000',
    'http://[fd00:ec2::254]',
    'http://2852039166',
  ])('refuses %s at the start, because no setting allows that address', async target => {
    using folder = temporaryDirectory();
    const { run, stderr } = madeUpProcess(['agent', '--home', folder.path, '--target', target]);
    expect(await run()).toBe(2);
    expect(stderr.text).toContain('No setting allows');
  });

  test.each([
    [`${TARGET} NOPE_VAR`, 'the environment variable that is named for http://10.0.0.7:8000 is not there'],
    [`${TARGET} /nowhere/key`, 'the file /nowhere/key that is named for http://10.0.0.7:8000 is not there'],
    ['http://10.0.0.8:8000 SET_VAR', 'http://10.0.0.8:8000 is not among the targets'],
  ])('refuses --key "%s" at the start', async (key, reported) => {
    using folder = temporaryDirectory();
    const args = ['agent', '--home', folder.path, '--target', TARGET, '--key', key];
    const { run, stderr } = madeUpProcess(args, { env: { SET_VAR: 'sk-1' } });
    expect(await run()).toBe(2);
    expect(stderr.text).toContain(reported);
  });

  test('prints what to type at the coordinator and what it may load, and ends with 0 when it is stopped', async () => {
    using folder = temporaryDirectory();
    const agent = madeUpProcess(['agent', '--home', folder.path, '--target', 'http://10.0.0.7:8000']);
    const ended = agent.run();
    await agent.stdout.until(/--agents \S+=([0-9A-Z]{4}-){6}[0-9A-Z]{4}/);
    expect(agent.stdout.text).toContain('May load: http://10.0.0.7:8000');
    expect(agent.stdout.text).toMatch(/At most 5000 requests a second/);
    agent.stop('SIGINT');
    expect(await ended).toBe(0);
  });

  test('with the code of a file prints its path and not the code, and refuses a file without one', async () => {
    using folder = temporaryDirectory();
    const file = join(folder.path, 'code');
    const args = ['agent', '--home', folder.path, '--target', TARGET, '--code-file', file];
    const missing = madeUpProcess(args);
    expect(await missing.run()).toBe(2);
    expect(missing.stderr.text).toContain(`${file} cannot be read`);
    writeFileSync(file, '7QKF-M2XW\n');
    const short = madeUpProcess(args);
    expect(await short.run()).toBe(2);
    expect(short.stderr.text).toContain('28 letters and digits');
    expect(short.stderr.text).not.toContain('7QKF');
    writeFileSync(file, '7qkfm2xw9tbd0c4hvn8s3jyre6ga\n');
    const agent = madeUpProcess(args);
    const ended = agent.run();
    await agent.stdout.until(/The code is the one in \S+code\./);
    expect(agent.stdout.text).toContain('=CODE');
    expect(agent.stdout.text.toUpperCase()).not.toContain('7QKF');
    agent.stop('SIGINT');
    expect(await ended).toBe(0);
  });
});

test('bench --from a node that makes no load ends with 16, and reports who can allow it', async () => {
  await using daemon = await commandDaemon();
  const url = 'http://127.0.0.1:9';
  const { run, stderr } = madeUpProcess(['bench', url, '--from', 'atlas', '--home', daemon.home]);
  expect(await run()).toBe(16);
  expect(stderr.text).toContain('atlas makes no load for others');
  expect(stderr.text).toContain('[bench] agent = true');
});
