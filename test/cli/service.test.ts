// The daemon as a service: what is written, what is refused, and a whole life under a real systemd where one can be started.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { launchdAgent } from '../../src/cli/service/launchd-manager.ts';
import {
  homeNote,
  installedService,
  type ServiceMachine,
  servicePlan,
} from '../../src/cli/service/service-plan.ts';
import { systemdUnit } from '../../src/cli/service/systemd-manager.ts';
import { type StandInTools, standInTools } from '../gather/stand-in-tools.ts';
import { isLongRun } from '../support/counts.ts';
import { madeUpProcess } from '../support/made-up-process.ts';
import { documentFaults } from '../support/published-schema.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const LINUX: ServiceMachine = {
  platform: 'linux',
  userId: 1000,
  homeDirectory: '/home/ada',
  configFolder: undefined,
  nodePath: '/usr/bin/node',
  script: '/usr/lib/node_modules/plimsoll/bin/plimsoll.js',
};

const planned = (options: { isUser?: boolean; home?: string }, machine: Partial<ServiceMachine> = {}) => {
  const plan = servicePlan(
    { isUser: options.isUser ?? false, home: options.home, usualHome: '/home/ada/.plimsoll' },
    { ...LINUX, ...machine },
  );
  if (plan.kind === 'wrong') throw new Error(plan.problem);
  return plan.value;
};

const BARE = { supplementaryGroups: [], hasRdma: false };

describe('the plan of a service', () => {
  test("the machine's own has its home in /var/lib, and reads no home of a person", () => {
    expect(planned({})).toMatchObject({
      file: '/etc/systemd/system/plimsoll.service',
      home: '/var/lib/plimsoll',
    });
    expect(() => planned({}, { nodePath: '/home/ada/.nvm/bin/node' })).toThrow(
      '/home/ada/.nvm/bin/node is in',
    );
    expect(() => planned({ home: '/srv/plimsoll' })).toThrow('has its home in /var/lib/plimsoll');
  });

  test("a user's is next to the user's units, with any home", () => {
    expect(planned({ isUser: true, home: '/srv/x' })).toMatchObject({
      file: '/home/ada/.config/systemd/user/plimsoll.service',
      command: [LINUX.nodePath, LINUX.script, 'up', '--no-open', '--home', '/srv/x'],
    });
  });

  test('macOS has an agent of the user; other systems have none', () => {
    expect(planned({}, { platform: 'darwin', homeDirectory: '/Users/ada' })).toMatchObject({
      manager: 'launchd',
      file: '/Users/ada/Library/LaunchAgents/dev.plimsoll.daemon.plist',
    });
    expect(() => planned({}, { platform: 'win32' })).toThrow('no service manager is known for win32');
  });
});

describe('a path with a character that would begin a line of its own in the file', () => {
  const ODD = ['\n', '\r', '\t', '\u001b', '\u0085', '\u2028', '\u2029', '\u202e', '\u200b', '\u{e0041}'];

  test.each(ODD)('%j is refused, wherever it comes from', character => {
    const path = `/srv/a${character}ExecStartPre=/bin/sh -c id`;
    for (const platform of ['linux', 'darwin']) {
      const attempts = [
        () => planned({ isUser: true, home: path }, { platform }),
        () => planned({ isUser: true }, { platform, nodePath: path }),
        () => planned({ isUser: true }, { platform, script: path }),
        () => planned({ isUser: true }, { platform, homeDirectory: path, configFolder: path }),
      ];
      for (const attempt of attempts) expect(attempt).toThrow('has a control character');
    }
  });

  test('is distinguished from letters of any language', () => {
    const plan = planned({ isUser: true, home: '/srv/Größe 数据 مركز' });
    expect(systemdUnit(plan, BARE)).toContain('--home "/srv/Größe 数据 مركز"');
  });
});

describe('the file of a service', () => {
  test('quotes the words of systemd, and names only groups that are there', () => {
    const plan = planned({ isUser: true, home: '/srv/a "b" 50% $HOME' });
    const unit = systemdUnit(plan, BARE);
    expect(unit).toContain(String.raw`--home "/srv/a \"b\" 50%% $$HOME"`);
    expect(unit).not.toMatch(/SupplementaryGroups|LimitMEMLOCK/);
    expect(systemdUnit(planned({}), { supplementaryGroups: ['render'], hasRdma: true })).toMatch(
      /SupplementaryGroups=render\nLimitMEMLOCK=infinity/,
    );
  });

  test('systemd finds nothing wrong with it', context => {
    if (spawnSync('systemd-analyze', ['--version']).error !== undefined)
      context.skip('there is no systemd-analyze');
    using folder = temporaryDirectory();
    for (const isUser of [false, true]) {
      const file = join(folder.path, 'plimsoll.service');
      const plan = planned({ isUser }, { nodePath: process.execPath });
      writeFileSync(file, systemdUnit(plan, { supplementaryGroups: ['video'], hasRdma: true }));
      const found = spawnSync(
        'systemd-analyze',
        ['verify', '--man=no', ...(isUser ? ['--user'] : []), file],
        {
          encoding: 'utf8',
          env: { ...process.env, XDG_RUNTIME_DIR: folder.path },
        },
      );
      expect(found.stderr.split('\n').filter(line => line.includes('plimsoll.service'))).toEqual([]);
      expect(found.status).toBe(0);
    }
  });

  test('keeps its home readable in a comment of either kind', async () => {
    using folder = temporaryDirectory();
    const home = '/srv/a--b "c"\\d';
    for (const text of [`# ${homeNote(home)}`, launchdAgent({ ...planned({}), home }, '/log')]) {
      const file = join(folder.path, 'file');
      writeFileSync(file, text);
      expect(await installedService(file)).toEqual({ kind: 'ours', home });
    }
    expect(homeNote(home)).not.toContain('--');
  });
});

describe('plimsoll service', () => {
  const run = async (env: Readonly<Record<string, string>>, ...args: string[]) => {
    const process = madeUpProcess(['service', ...args], { env });
    const code = await process.run();
    return { code, stdout: process.stdout.text, stderr: process.stderr.text };
  };

  /** What `systemctl` or `launchctl` does, by its words; everything else succeeds. */
  const managed = (tools: StandInTools, name: string, cases: Readonly<Record<string, string>>): void =>
    tools.script(
      name,
      `echo "$*" >> "$HERE/calls"\ncase "$*" in\n${Object.entries(cases)
        .map(([pattern, body]) => `${pattern}) ${body} ;;`)
        .join('\n')}\nesac`,
    );
  const unitOf = (folder: string): string => join(folder, 'systemd/user/plimsoll.service');

  test('without a systemd of the session nothing is written, and it reports where to log in', async context => {
    if (process.platform !== 'linux') context.skip('units are of Linux');
    using folder = temporaryDirectory();
    using tools = standInTools();
    const no = 'echo "Failed to connect to bus: No medium found" >&2; exit 1';
    managed(tools, 'systemctl', { '*': no });
    const env = { PATH: tools.env['PATH'] ?? '', XDG_CONFIG_HOME: folder.path };
    const refused = await run(env, 'install', '--user');
    expect(refused).toMatchObject({
      code: 32,
      stderr: expect.stringMatching(
        /systemctl --user show: Failed to connect to bus.*\n.*log in .*enable-linger/,
      ),
    });
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('where systemd refuses the unit nothing of it stays, and an earlier one is there again', async context => {
    if (process.platform !== 'linux') context.skip('units are of Linux');
    using folder = temporaryDirectory();
    using tools = standInTools();
    const env = { PATH: tools.env['PATH'] ?? '', XDG_CONFIG_HOME: folder.path };
    const no = 'echo "Failed to enable unit: Access denied" >&2; exit 1';
    managed(tools, 'systemctl', { '*enable*': no });
    expect(await run(env, 'install', '--user')).toMatchObject({
      code: 32,
      stderr: expect.stringContaining('systemctl --user enable: Failed to enable unit'),
    });
    expect(existsSync(unitOf(folder.path))).toBe(false);
    const { stdout: earlier } = await run(env, 'install', '--user', '--print', '--home', '/srv/earlier');
    writeFileSync(unitOf(folder.path), earlier);
    expect((await run(env, 'install', '--user')).code).toBe(32);
    expect(readFileSync(unitOf(folder.path), 'utf8')).toBe(earlier);
  });

  test('a daemon that does not start stays installed, so that its log can be read', async context => {
    if (process.platform !== 'linux') context.skip('units are of Linux');
    using folder = temporaryDirectory();
    using tools = standInTools();
    const env = { PATH: tools.env['PATH'] ?? '', XDG_CONFIG_HOME: folder.path };
    managed(tools, 'systemctl', { '*restart*': 'echo "Job for plimsoll.service failed." >&2; exit 1' });
    expect(await run(env, 'install', '--user')).toMatchObject({
      code: 32,
      stderr: expect.stringContaining('journalctl --user --unit plimsoll'),
    });
    expect(existsSync(unitOf(folder.path))).toBe(true);
    const status = await run(env, 'status', '--user', '--json');
    expect(status).toMatchObject({ code: 32, stderr: '' });
    expect(await documentFaults(JSON.parse(status.stdout))).toEqual([]);
  });

  test('on macOS without a session at the screen, or where launchd refuses, no agent is left', async () => {
    using folder = temporaryDirectory();
    using tools = standInTools();
    const install = async (): Promise<string> => {
      const made = madeUpProcess(['service', 'install', '--home', join(folder.path, 'home')], {
        env: { PATH: tools.env['PATH'] ?? '' },
        platform: 'darwin',
        homeDirectory: folder.path,
      });
      expect(await made.run()).toBe(32);
      return made.stderr.text;
    };
    managed(tools, 'launchctl', { 'print*': 'echo "Bad request." >&2; exit 113' });
    expect(await install()).toMatch(/launchctl print gui\/\d+: Bad request\.\n.*at the screen/);
    expect(readdirSync(folder.path)).toEqual([]);
    managed(tools, 'launchctl', {
      'bootstrap*': 'echo "Bootstrap failed: 5: Input/output error" >&2; exit 5',
    });
    expect(await install()).toContain('launchctl bootstrap: Bootstrap failed: 5');
    expect(readdirSync(join(folder.path, 'Library/LaunchAgents'))).toEqual([]);
  });

  test('reports that there is none, and leaves the file of another alone', async context => {
    if (process.platform !== 'linux') context.skip('units are of Linux');
    using folder = temporaryDirectory();
    const env = { XDG_CONFIG_HOME: folder.path };
    expect(await run(env, 'status', '--user')).toMatchObject({
      code: 32,
      stderr: expect.stringContaining('no service is installed for this user'),
    });
    const file = join(folder.path, 'systemd/user/plimsoll.service');
    mkdirSync(join(folder.path, 'systemd/user'), { recursive: true });
    writeFileSync(file, '[Unit]\n');
    for (const args of [['install'], ['uninstall', '--purge']])
      expect(await run(env, ...args, '--user')).toMatchObject({
        code: 32,
        stderr: expect.stringContaining('was not written by plimsoll'),
      });
    expect(readFileSync(file, 'utf8')).toBe('[Unit]\n');
  });

  test('deletes nothing that is no home of its own', async context => {
    if (process.platform !== 'linux') context.skip('units are of Linux');
    using folder = temporaryDirectory();
    const env = { XDG_CONFIG_HOME: folder.path };
    const photos = join(folder.path, 'photos');
    mkdirSync(photos);
    const printed = await run(env, 'install', '--user', '--print', '--home', photos);
    mkdirSync(join(folder.path, 'systemd/user'), { recursive: true });
    writeFileSync(join(folder.path, 'systemd/user/plimsoll.service'), printed.stdout);
    expect(await run(env, 'uninstall', '--user', '--purge')).toMatchObject({
      code: 32,
      stderr: expect.stringContaining(`${photos} does not look like a home of Plimsoll`),
    });
    expect(existsSync(photos)).toBe(true);
  });

  test('a life under systemd: ready, killed, hung, removed without a trace', {
    timeout: 120_000,
  }, context => {
    if (!isLongRun) context.skip('takes 30 s: npm run test:long');
    const reason = reasonAgainstSystemd();
    if (reason !== undefined) context.skip(reason);
    using folder = temporaryDirectory();
    const life = execFileSync(
      'unshare',
      ['--mount', 'bash', '-eu', join(import.meta.dirname, 'service-life.sh')],
      {
        encoding: 'utf8',
        env: { ...process.env, HOME: folder.path, NODE: process.execPath, ROOT: repositoryRoot },
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    expect(life.trim().split('\n')).toEqual([
      'installed and ready',
      'another process after kill -9',
      'another process after it hung',
      'status: active (running)',
      'removed: 0 files left',
    ]);
  });
});

const reasonAgainstSystemd = (): string | undefined => {
  if (process.getuid?.() !== 0) return 'a mount namespace needs root';
  if (!existsSync('/lib/systemd/systemd')) return 'there is no systemd';
  const missing = ['unshare', 'dbus-daemon', 'systemctl'].find(
    tool => spawnSync(tool, ['--version']).error !== undefined,
  );
  return missing === undefined ? undefined : `there is no ${missing}`;
};
