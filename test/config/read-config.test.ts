import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock/system-clock.ts';
import { configTemplate } from '../../src/config/config-template.ts';
import {
  type ConfigResult,
  defaultConfig,
  effectiveConfig,
  loadConfig,
  readConfig,
} from '../../src/config/read-config.ts';
import { watchConfig } from '../../src/config/watch-config.ts';

let folder = '';
let path = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-config-'));
  path = join(folder, 'config.toml');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const nameOf = (result: ConfigResult) => effectiveConfig(result).name;

describe('config.toml on disk', () => {
  test('is written with comments on first start, private, and never written over', async () => {
    expect(await loadConfig(path)).toMatchObject({ kind: 'ok', config: defaultConfig() });
    expect(await readFile(path, 'utf8')).toBe(configTemplate());
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await writeFile(path, 'name = "atlas"');
    expect(nameOf(await loadConfig(path))).toBe('atlas');
    expect(await readFile(path, 'utf8')).toBe('name = "atlas"');
  });

  test('that is not there means the defaults, and reading does not create it', async () => {
    expect(await readConfig(path)).toMatchObject({ kind: 'ok', config: defaultConfig() });
    await expect(stat(path)).rejects.toThrow('ENOENT');
  });

  test('that breaks leaves the last good values in effect, also after a restart', async () => {
    await writeFile(path, 'name = "atlas"');
    await loadConfig(path);
    await writeFile(path, 'name = "atlas');
    const broken = await loadConfig(path);
    expect(broken).toMatchObject({ kind: 'broken', problems: [{ file: path, position: { line: 1 } }] });
    expect(nameOf(broken)).toBe('atlas');
    expect((await stat(join(folder, 'config.last-good.toml'))).mode & 0o777).toBe(0o600);
  });

  test('that was never in order leaves the defaults in effect', async () => {
    await writeFile(path, 'name = 5');
    const broken = await loadConfig(path);
    expect(broken).toMatchObject({ kind: 'broken', lastGood: undefined });
    expect(effectiveConfig(broken)).toEqual(defaultConfig());
  });

  test('that is a folder, not UTF-8, or too large is reported to be so', async () => {
    await writeFile(path, Uint8Array.of(0x6e, 0xff, 0xfe));
    expect(await readConfig(path)).toMatchObject({ problems: [{ problem: 'it is not UTF-8 text' }] });
    await writeFile(path, '#'.repeat(1_000_001));
    expect(await readConfig(path)).toMatchObject({
      problems: [{ problem: 'it has 1000001 bytes, more than 262144 bytes' }],
    });
    await rm(path);
    await mkdir(path);
    expect(await loadConfig(path)).toMatchObject({
      kind: 'broken',
      problems: [{ problem: expect.stringMatching(/^it is a (folder|named pipe)/) }],
    });
  });

  test('may begin with a byte order mark and end its lines as Windows does', async () => {
    await writeFile(path, '\ufeffname = "atlas"\r\n[probes]\r\nenabled = false\r\n');
    expect(effectiveConfig(await readConfig(path))).toMatchObject({
      name: 'atlas',
      probes: { isEnabled: false },
    });
  });

  test('whose place a pipe has taken is not waited for', async context => {
    try {
      await promisify(execFile)('mkfifo', [path]);
    } catch {
      context.skip('no mkfifo here');
    }
    expect(await readConfig(path)).toMatchObject({
      problems: [{ problem: expect.stringMatching(/^it is a (folder|named pipe)/) }],
    });
  });

  test('that may not be read is reported to be so', async context => {
    await writeFile(path, '');
    await chmod(path, 0);
    const result = await readConfig(path);
    if (result.kind === 'ok') context.skip('this user may read everything');
    expect(result).toMatchObject({ problems: [{ problem: expect.stringContaining('EACCES') }] });
  });
});

describe('a watched config.toml', () => {
  /** Starts watching; `next` waits for the next reported change. */
  const watched = (since: ConfigResult, recheckMs?: number) => {
    const stop = new AbortController();
    const results: ConfigResult[] = [];
    let wake = (): void => undefined;
    const ended = watchConfig(path, {
      signal: stop.signal,
      clock: systemClock,
      settleMs: 10,
      since,
      ...(recheckMs === undefined ? {} : { recheckMs }),
      onChange: result => {
        results.push(result);
        wake();
      },
    });
    return {
      next: async (): Promise<ConfigResult> => {
        for (;;) {
          const result = results.shift();
          if (result !== undefined) return result;
          await new Promise<void>(resolve => {
            wake = resolve;
          });
        }
      },
      [Symbol.asyncDispose]: async () => {
        stop.abort();
        await ended;
      },
    };
  };

  test('is read again when it is written, replaced, broken, fixed and removed', async () => {
    await writeFile(path, 'name = "one"');
    await using watch = watched(await readConfig(path), 50);
    await writeFile(path, 'name = "two"');
    expect(nameOf(await watch.next())).toBe('two');
    await writeFile(join(folder, '.config.toml.swp'), 'name = "three"');
    await rename(join(folder, '.config.toml.swp'), path);
    expect(nameOf(await watch.next())).toBe('three');
    await writeFile(path, 'name =');
    const broken = await watch.next();
    expect(broken.kind).toBe('broken');
    expect(nameOf(broken)).toBe('three');
    await writeFile(path, 'name = "four"');
    expect(nameOf(await watch.next())).toBe('four');
    await rm(path);
    expect(await watch.next()).toMatchObject({ kind: 'ok', config: defaultConfig() });
  });

  test('is found changed by polling if no event arrives', async () => {
    await using watch = watched(await readConfig(path), 20);
    await rm(folder, { recursive: true }); // takes the watched folder with it
    await mkdir(folder);
    await writeFile(path, 'name = "back"');
    expect(nameOf(await watch.next())).toBe('back');
  });
});
