import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ShownConfig } from '../../src/config/config-document.ts';
import { madeUpProcess } from '../support/made-up-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const config = async (folder: string, ...args: string[]) => {
  const process = madeUpProcess(['config', ...args, '--home', folder]);
  const code = await process.run();
  return { code, stdout: process.stdout.text, stderr: process.stderr.text };
};

describe('plimsoll config', () => {
  test('path prints the path and creates nothing', async () => {
    using folder = temporaryDirectory();
    expect(await config(folder.path, 'path')).toEqual({
      code: 0,
      stdout: `${folder.path}/config.toml\n`,
      stderr: '',
    });
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('check reports that a file is in order', async () => {
    using folder = temporaryDirectory();
    writeFileSync(join(folder.path, 'config.toml'), 'name = "atlas"');
    expect(await config(folder.path, 'check')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is valid'),
    });
  });

  test('check prints every problem and ends with 3', async () => {
    using folder = temporaryDirectory();
    writeFileSync(join(folder.path, 'config.toml'), 'nmae = "atlas"\n[probes]\ngpu_ttl = 5\n');
    const { code, stdout, stderr } = await config(folder.path, 'check');
    expect(code).toBe(3);
    expect(stdout).toBe('');
    expect(stderr).toContain('config.toml:1:1: unknown key "nmae"');
    expect(stderr).toContain('config.toml:3:11: probes.gpu_ttl');
  });

  test('check of a file that is named and not there ends with 3, of the home without one with 0', async () => {
    using folder = temporaryDirectory();
    expect((await config(folder.path, 'check', join(folder.path, 'other.toml'))).code).toBe(3);
    expect((await config(folder.path, 'check')).code).toBe(0);
  });

  test('show prints the values in effect with their source', async () => {
    using folder = temporaryDirectory();
    writeFileSync(join(folder.path, 'config.toml'), '\n[probes]\nenabled = false\n');
    const { code, stdout } = await config(folder.path, 'show');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^enabled = false +# config.toml:3$/m);
    expect(stdout).toMatch(/^gpu_ttl = "1h" +# default$/m);
  });

  test('--json has the values as JSON, which source they are of, and where the file is wrong', async () => {
    using folder = temporaryDirectory();
    const json = async (...args: string[]) => {
      const { code, stdout, stderr } = await config(folder.path, ...args, '--json');
      expect(stderr).toBe('');
      return { code, document: JSON.parse(stdout) };
    };
    const settingOf = (document: ShownConfig, wanted: string) =>
      document.settings.find(({ key }) => key === wanted);
    const missing = await json('show');
    expect(missing).toMatchObject({ code: 0, document: { source: 'defaults', problems: [] } });
    expect(settingOf(missing.document, 'name')).toEqual({ section: '', key: 'name', value: null });
    writeFileSync(join(folder.path, 'config.toml'), 'name = "atlas"\n[probes]\nenabled = false\n');
    const shown = await json('show');
    expect(shown.document.source).toBe('file');
    expect(settingOf(shown.document, 'name')).toEqual({ section: '', key: 'name', value: 'atlas', line: 1 });
    expect(settingOf(shown.document, 'enabled')).toMatchObject({ section: 'probes', value: false, line: 3 });
    writeFileSync(join(folder.path, 'config.toml'), 'nmae = "atlas"');
    writeFileSync(join(folder.path, 'config.last-good.toml'), 'name = "bosun"');
    const broken = await json('show');
    expect(broken).toMatchObject({ code: 3, document: { source: 'last-good' } });
    expect(settingOf(broken.document, 'name')).toMatchObject({ value: 'bosun' });
    expect(await json('check')).toMatchObject({
      code: 3,
      document: { isMissing: false, problems: [{ line: 1, column: 1, lineText: 'nmae = "atlas"' }] },
    });
    expect((await json('path')).document.path).toBe(join(folder.path, 'config.toml'));
  });

  test('show of a broken file prints the last good values, reports it and ends with 3', async () => {
    using folder = temporaryDirectory();
    writeFileSync(join(folder.path, 'config.last-good.toml'), 'name = "atlas"');
    writeFileSync(join(folder.path, 'config.toml'), 'name =');
    const { code, stdout, stderr } = await config(folder.path, 'show');
    expect(code).toBe(3);
    expect(stdout).toMatch(/^name = "atlas" +# config.last-good.toml:1$/m);
    expect(stderr).toContain('the last good values stay in effect');
  });
});
