// Every feature on every real server, next to that server's own counts. Prints the table of docs/verified-on.md.

import { afterAll, beforeAll, describe, it } from 'vitest';
import { isLongRun } from '../support/counts.ts';
import { FEATURES } from './features.ts';
import { missingReason, type RunningServer, startRealServer } from './running-server.ts';
import { REAL_SERVERS } from './servers.ts';

const cells = new Map<string, Map<string, string>>();

describe.each(REAL_SERVERS)('$name', server => {
  const missing = isLongRun ? missingReason(server) : 'part of the long run';
  const column = new Map<string, string>();
  cells.set(server.name, column);

  if (missing !== undefined) {
    it(`is skipped: ${missing}`, ({ skip }) => skip(missing));
    return;
  }

  let running: RunningServer;
  beforeAll(async () => {
    running = await startRealServer(server);
  }, START_MS_MAX);
  afterAll(async () => await running?.[Symbol.asyncDispose]());

  it.each(FEATURES)('$name', { timeout: FEATURE_MS_MAX }, async ({ name, run }) => {
    column.set(name, 'failed');
    column.set(name, (await run(server, running)) ?? '–');
  });
});

afterAll(() => {
  const columns = [...cells].filter(([, column]) => column.size > 0);
  if (columns.length === 0) return;
  const rows = FEATURES.map(({ name }) => [name, ...columns.map(([, column]) => column.get(name) ?? '–')]);
  const head = ['', ...columns.map(([server]) => server)];
  const lines = [head, head.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`);
  process.stdout.write(`\n${lines.join('\n')}\n`);
});

const START_MS_MAX = 620_000;
const FEATURE_MS_MAX = 900_000;
