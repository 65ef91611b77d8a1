// A process that starts a child of its own and prints its process id: own-process.test.ts kills it.

import { setTimeout as pause } from 'node:timers/promises';
import { entryUrl } from '../../src/process/entry.ts';
import { startOwnProcess } from '../../src/process/own-process.ts';

await using child = await startOwnProcess({
  entry: entryUrl(import.meta.url, './watched-child.ts'),
  args: [],
  nodePath: process.execPath,
  env: process.env,
  readyTimeoutMs: 20_000,
  signal: AbortSignal.timeout(20_000),
});
process.stdout.write(`${child.pid}\n`);
await pause(120_000);
