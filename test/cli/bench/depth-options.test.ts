import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SERVER_APIS } from '../../../src/bench/target/api/server-apis.ts';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import { madeUpProcess } from '../../support/made-up-process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

test.each(SERVER_APIS.filter(({ canStream }) => !canStream).map(({ name }) => name))(
  'a depth profile over the API %s, which has no streams, is refused before anything is sent',
  async api => {
    using folder = temporaryDirectory();
    const home = ['--home', join(folder.path, 'home')];
    const made = madeUpProcess([
      ...['bench', 'http://127.0.0.1:9', '--api', api, '--model', 'm', '--profile', 'depth'],
      ...home,
    ]);
    expect(await made.run()).toBe(EXIT_CODES.usage.code);
    expect(made.stderr.text).toContain(`--profile depth needs streams, which the API ${api} does not have`);
  },
);
