import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandDaemon } from '../support/command-daemon.ts';
import { type MadeUpProcessOptions, madeUpProcess } from '../support/made-up-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const doctor = async (home: string, options: MadeUpProcessOptions = {}) => {
  const process = madeUpProcess(['doctor', '--home', home, '--json'], options);
  const code = await process.run();
  const { checks }: { checks: { section: string; verdict: string; text: string; advice: string }[] } =
    JSON.parse(process.stdout.text);
  return { code, checks, problems: checks.filter(({ verdict }) => verdict === 'problem') };
};

/** A home of its own, with a port that nobody else uses. */
const privateHome = (path: string): string => {
  const home = join(path, 'home');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'config.toml'), '[http]\nlisten = "127.0.0.1:0"\n', { mode: 0o600 });
  return home;
};

describe('plimsoll doctor', () => {
  test('finds nothing wrong with a home that does not exist yet, and does not create it', async () => {
    using folder = temporaryDirectory();
    const { code, problems } = await doctor(join(folder.path, 'home'));
    expect(problems).toEqual([]);
    expect(code).toBe(0);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('fits a terminal, and has whole lines in a pipe', async () => {
    using folder = temporaryDirectory();
    const printed = async (isTerminal: boolean) => {
      const home = join(folder.path, 'home');
      const made = madeUpProcess(['doctor', '--home', home], { isTerminal, columns: 50 });
      await made.run();
      return made.stdout.text.split('\n');
    };
    const [lines, whole] = [await printed(true), await printed(false)];
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(50);
    expect(lines.length).toBeGreaterThan(whole.length);
  });

  test('shows the age of every reading of a running daemon, or why there is none', async () => {
    await using daemon = await commandDaemon();
    const { code, checks, problems } = await doctor(daemon.home);
    expect(problems).toEqual([]);
    expect(code).toBe(0);
    const readings = checks.filter(({ section }) => section === 'readings').map(({ text }) => text);
    for (const name of ['Identity', 'Memory', 'System', 'Network', 'RDMA', 'Disks']) {
      expect(readings).toContainEqual(expect.stringMatching(new RegExp(`^${name}: `)));
    }
  });

  test('finds a journal that was deleted under a running daemon', async () => {
    await using daemon = await commandDaemon();
    for (const suffix of ['', '-wal', '-shm'])
      rmSync(join(daemon.home, `journal.sqlite${suffix}`), { force: true });
    const { code, problems } = await doctor(daemon.home);
    expect(code).toBe(8);
    expect(problems).toMatchObject([
      { section: 'home', text: expect.stringContaining('journal does not exist') },
    ]);
  });

  test('finds a home and files that are open to others, with the command that closes them', async () => {
    using folder = temporaryDirectory();
    const home = privateHome(folder.path);
    writeFileSync(join(home, 'token'), 'secret');
    chmodSync(join(home, 'token'), 0o644);
    chmodSync(home, 0o755);
    const { code, problems } = await doctor(home);
    expect(code).toBe(8);
    expect(problems.map(({ advice }) => advice)).toEqual([
      `Run: chmod 700 ${home}`,
      `Run: chmod 600 ${home}/token`,
    ]);
  });

  test('finds a broken config, a damaged journal, a daemon that was killed, and an old Node', async () => {
    using folder = temporaryDirectory();
    const home = privateHome(folder.path);
    writeFileSync(join(home, 'config.toml'), 'nmae = "x"\n', { mode: 0o600 });
    writeFileSync(join(home, 'journal.sqlite'), 'not a database at all', { mode: 0o600 });
    const file = {
      url: 'http://127.0.0.1:9',
      token: 't',
      pid: 999_999_999,
      startedAtWallMs: 0,
      nodeId: 'n'.repeat(26),
      version: '1',
    };
    writeFileSync(join(home, 'daemon.json'), JSON.stringify(file), { mode: 0o600 });
    const { code, problems } = await doctor(home, { nodeVersion: '22.1.0' });
    expect(code).toBe(8);
    expect(problems.map(({ section }) => section).slice(0, 4)).toEqual([
      'this computer',
      'home',
      'settings',
      'daemon',
    ]);
    expect(problems.every(({ advice }) => advice !== '')).toBe(true);
  });

  test('reports which tools are missing and what each would add', async () => {
    using folder = temporaryDirectory();
    const { checks } = await doctor(join(folder.path, 'home'), { env: { PATH: folder.path } });
    const tools = checks.filter(({ section }) => section === 'tools');
    if (process.platform === 'linux')
      expect(tools).toContainEqual(
        expect.objectContaining({ verdict: 'note', text: expect.stringMatching(/^ip is not on PATH/) }),
      );
    expect(tools.every(({ verdict, advice }) => verdict === 'ok' || advice !== '')).toBe(true);
  });

  test('prints for a person what it prints for a program', async () => {
    using folder = temporaryDirectory();
    const home = privateHome(folder.path);
    chmodSync(home, 0o755);
    const { run, stdout } = madeUpProcess(['doctor', '--home', home]);
    expect(await run()).toBe(8);
    expect(stdout.text).toMatch(
      /^Home\n {2}WRONG {3}.* can be read by others \(0755\)\n {10}Run: chmod 700 /m,
    );
    expect(stdout.text).toContain('1 thing is wrong.');
  });
});
