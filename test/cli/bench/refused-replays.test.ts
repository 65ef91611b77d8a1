// Options that have no effect on a trace, which is known only once the trace is read: nothing is sent then.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import { madeUpProcess } from '../../support/made-up-process.ts';
import { agenticConversations, azureLines } from '../../support/made-up-trace.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const TRACES = {
  conversations: agenticConversations({ seed: 1, requests: 20 }),
  'single requests': azureLines({ seed: 1, requests: 20 }),
};

test.each([
  ['conversations', ['--recycle'], '--recycle has no effect without --duration', '--duration 30m --recycle'],
  ['conversations', ['--requests', '5'], '--requests', '--sessions 100'],
  [
    'single requests',
    ['--recycle', '--duration', '1s'],
    '--recycle',
    'a trace with the time of each request',
  ],
] as const)('a trace of %s with %j is refused, with the reason', async (kind, options, problem, more) => {
  using folder = temporaryDirectory();
  const path = join(folder.path, 'trace.jsonl');
  writeFileSync(path, TRACES[kind].map(line => `${line}\n`).join(''));
  const home = join(folder.path, 'home');
  const made = madeUpProcess(['bench', 'http://127.0.0.1:9', '--trace', path, '--home', home, ...options]);
  expect(await made.run()).toBe(EXIT_CODES.usage.code);
  expect(made.stderr.text).toContain(problem);
  expect(made.stderr.text).toContain(more);
});
