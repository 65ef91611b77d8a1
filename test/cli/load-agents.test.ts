// What a command that names agents refuses: keys do not travel.

import { describe, expect, test } from 'vitest';
import { makeAgentCode } from '../../src/bench/agent/tls/agent-code.ts';
import { benchHere } from '../integration/bench/bench-here.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const URL_PLAIN = 'http://10.0.0.7:8000';

describe('a run from agents', () => {
  test.each([
    ['a header', [URL_PLAIN, '--header', 'x-team: mine'], '--header'],
    ['a header file', [URL_PLAIN, '--header-file', 'none'], '--header-file'],
    ['a key file', [URL_PLAIN, '--api-key-file', 'none'], '--api-key-file'],
    ['credentials in its URL', ['http://user:secret@10.0.0.7:8000'], 'a URL with credentials'],
    ['a query in its URL', [`${URL_PLAIN}/v1?key=secret`], 'a URL with a query'],
  ])('with %s is refused before anybody is dialled', async (_, args, named) => {
    using folder = temporaryDirectory();
    const code = makeAgentCode();
    const { exit, stderr } = await benchHere(folder.path, [...args, '--agents', `10.0.0.2=${code}`]);
    expect(exit).toBe('usage');
    expect(stderr).toContain(`${named} cannot be combined with --agents: keys do not travel`);
    expect(stderr).not.toContain('secret');
    expect(stderr).not.toContain(code);
  });
});
