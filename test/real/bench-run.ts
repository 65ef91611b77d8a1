// `plimsoll bench` on a real server, in a process and a home of its own: its exit code, its report and its text.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { childEnv } from '../support/child-env.ts';

export interface BenchRun {
  readonly code: unknown;
  readonly report: v.InferOutput<typeof reportSchema> | undefined;
  /** Of the report as a person reads it; the problem where there is none. */
  readonly text: string;
}

export const benchRun = async (args: readonly string[]): Promise<BenchRun> => {
  const home = await mkdtemp(join(tmpdir(), 'plimsoll-real-run-'));
  try {
    const out = join(home, 'run');
    const bench = await command(['bench', ...args, '--quiet', '--out', out, '--home', home]);
    const json = await command(['report', out, '--json', '--home', home]);
    const report = v.safeParse(reportSchema, parsed(json.stdout));
    return {
      code: bench.code,
      report: report.success ? report.output : undefined,
      text: bench.stdout + bench.stderr,
    };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
};

const command = async (args: readonly string[]) => {
  const child = spawn(execPath, [PROGRAM, ...args], { env: childEnv, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString('utf8');
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  const [code]: unknown[] = await once(child, 'close');
  return { code, stdout, stderr };
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const PROGRAM = fileURLToPath(new URL('../../bin/plimsoll.js', import.meta.url));

const series = v.looseObject({
  count: v.number(),
  total: v.optional(v.string()),
  mean: v.optional(v.number()),
});
const reportSchema = v.looseObject({
  counts: v.looseObject({ completed: v.number(), failed: v.number() }),
  series: v.looseObject({ ttftNs: series, inputTokens: series, outputTokens: series }),
  server: v.looseObject({}),
  sessions: v.optional(v.looseObject({ cachedShare: v.unknown() })),
});
