import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { proxyNotices, requestHeaders } from '../../../src/cli/bench/request-headers.ts';
import { targetsOfUrls } from '../../../src/cli/bench/url-options.ts';
import { parseCommandLine } from '../../../src/cli/command-line.ts';
import { allCommands } from '../../../src/cli/commands.ts';
import { madeUpProcess } from '../../support/made-up-process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const COMMANDS = await allCommands();

const headersOf = async (url: string, args: readonly string[], env: Record<string, string> = {}) => {
  const line = parseCommandLine(['bench', ...url.split(' '), ...args], COMMANDS);
  if (line.kind !== 'run') throw new Error('no command');
  return await requestHeaders(
    line.invocation,
    madeUpProcess([], { env }).state,
    targetsOfUrls(line.invocation, '/'),
  );
};

const LOCAL = 'http://127.0.0.1:1';

describe('headers of requests', () => {
  test('come from the command line, a file, a key and the URL', async () => {
    using folder = temporaryDirectory();
    const file = join(folder.path, 'headers');
    const key = join(folder.path, 'key');
    writeFileSync(file, '# comment\nX-One: 1\r\n\nX-Two:two: three\n');
    writeFileSync(key, '  sk-1\n');
    expect(
      await headersOf(LOCAL, ['--header', 'X-Zero: 0', '--header-file', file, '--api-key-file', key]),
    ).toEqual({
      headers: [
        { name: 'X-Zero', value: '0' },
        { name: 'X-One', value: '1' },
        { name: 'X-Two', value: 'two: three' },
        { name: 'authorization', value: 'Bearer sk-1' },
      ],
      notices: [],
    });
    expect((await headersOf('http://a%40b:c@127.0.0.1:1', [])).headers).toEqual([
      { name: 'authorization', value: `Basic ${Buffer.from('a@b:c').toString('base64')}` },
    ]);
  });

  test('take OPENAI_API_KEY, but for an authorization of the own', async () => {
    const env = { OPENAI_API_KEY: 'sk-env' };
    expect((await headersOf(LOCAL, [], env)).headers).toEqual([
      { name: 'authorization', value: 'Bearer sk-env' },
    ]);
    const own = await headersOf(LOCAL, ['--header', 'Authorization: mine'], env);
    expect(own.headers).toEqual([{ name: 'Authorization', value: 'mine' }]);
    expect(own.notices.join()).toContain('OPENAI_API_KEY is not sent');
    expect((await headersOf('http://example.test', [], env)).notices.join()).toContain('unencrypted');
    // Whichever of several it is.
    expect((await headersOf(`${LOCAL} https://one.test http://two.test`, [], env)).notices.join()).toContain(
      'unencrypted, because http://two.test is http://',
    );
    expect((await headersOf('https://example.test', [], env)).notices).toEqual([]);
  });

  test('that cannot be combined or cannot be read are refused, without their values', async () => {
    using folder = temporaryDirectory();
    const writeFile = (name: string, content: string): string => {
      const path = join(folder.path, name);
      writeFileSync(path, content);
      return path;
    };
    mkdirSync(join(folder.path, 'folder'));
    const refusals: readonly (readonly [readonly string[], string])[] = [
      [['--header', 'x: s3cret', '--header', 'X: other'], 'given twice'],
      [
        ['--header', 'authorization: s3cret', '--api-key-file', writeFile('a', 'k')],
        'both authenticate the request',
      ],
      [['--api-key-file', writeFile('b', '')], 'it is empty'],
      [['--api-key-file', writeFile('c', 's3cret\ns3cret')], 'more than one line'],
      [['--header-file', writeFile('d', 'X-Ok: 1\ns3cret\n')], 'line 2: this is not a header'],
      [['--header-file', writeFile('e', '\n')], 'there is no header in it'],
      [['--header-file', join(folder.path, 'none')], 'there is no such file'],
      [['--header-file', join(folder.path, 'folder')], 'cannot be read: it is a folder'],
      [['--header-file', writeFile('f', 'x'.repeat(70_000))], 'larger than 64 KiB'],
    ];
    for (const [args, reason] of refusals) {
      const error: unknown = await headersOf(LOCAL, args).catch((caught: unknown) => caught);
      expect(String(error), args.join(' ')).toContain(reason);
      expect(String(error)).not.toContain('s3cret');
    }
  });

  test('of proxies are named, without what is in them', () => {
    expect(proxyNotices({ HTTP_PROXY: 'http://u:s3cret@x', https_proxy: 'y', ALL_PROXY: '' })).toEqual([
      'HTTP_PROXY and https_proxy are set and ignored: requests go directly to the target',
    ]);
    expect(proxyNotices({})).toEqual([]);
  });
});
