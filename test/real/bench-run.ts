// `plimsoll bench` on a real server, in a process and a home of its own: its exit code, its report and its text.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { EndedSample } from '../../src/core/run/ended-sample.ts';
import type { Report } from '../../src/core/run/report.ts';
import { decodeSampleLine } from '../../src/wire/sample-line.ts';
import { reportFromJson } from '../../src/wire/stored-json.ts';
import { childEnv } from '../support/child-env.ts';

export interface BenchRun {
  readonly code: unknown;
  readonly report: Report | undefined;
  /** Its requests, each with what its reply counts. */
  readonly samples: readonly EndedSample[];
  /** Of the report as a person reads it; the problem where there is none. */
  readonly text: string;
}

export const benchRun = async (args: readonly string[]): Promise<BenchRun> => {
  const home = await mkdtemp(join(tmpdir(), 'plimsoll-real-run-'));
  try {
    const out = join(home, 'run');
    const bench = await command(['bench', ...args, '--quiet', '--out', out, '--home', home]);
    const json = await command(['report', out, '--json', '--home', home]);
    return {
      code: bench.code,
      report: json.code === 0 ? reportFromJson(json.stdout) : undefined,
      samples: json.code === 0 ? samplesOf(await readFile(join(out, 'samples.jsonl'), 'utf8')) : [],
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

const samplesOf = (lines: string): readonly EndedSample[] =>
  lines.split('\n').flatMap(line => {
    const decoded = decodeSampleLine(line);
    return decoded.kind === 'sample' ? [decoded.sample] : [];
  });

const PROGRAM = fileURLToPath(new URL('../../bin/plimsoll.js', import.meta.url));
