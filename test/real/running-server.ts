// One real server in a process of its own on loopback, with its model, until it is disposed of.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childEnv } from '../support/child-env.ts';
import { freePort } from '../support/free-port.ts';
import {
  MODELS_FOLDER,
  type RealProgram,
  type RealServer,
  SERVERS_FOLDER,
  type ServerEnvironment,
} from './servers.ts';

export interface RunningServer extends AsyncDisposable {
  readonly url: string;
  /** Of its group of processes. */
  readonly pid: number;
  /** The sum of the series of these names on its page of metrics: with the label that a name has, else with any. */
  total(names: readonly string[]): Promise<number>;
}

/** Undefined where it can be started; else why not. */
export const missingReason = (server: RealProgram): string | undefined =>
  existsSync(join(SERVERS_FOLDER, server.program)) && existsSync(MODELS_FOLDER)
    ? undefined
    : `${server.name} is not installed (node test/real/install.ts)`;

/** @throws Error with what it printed when it ends, or is not ready in time. */
export const startRealServer = async (
  server: RealServer,
  extraArgs: readonly string[] = [],
): Promise<RunningServer> => {
  const scratch = await mkdtemp(join(tmpdir(), 'plimsoll-real-'));
  const environment: ServerEnvironment = { port: await freePort(), models: MODELS_FOLDER, scratch };
  const program = join(SERVERS_FOLDER, server.program);
  const env = { ...childEnv, ...server.env(environment) };
  const child = spawn(program, [...server.args(environment), ...extraArgs], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const url = `http://127.0.0.1:${environment.port}`;
  const dispose = async (): Promise<void> => {
    await endGroup(child);
    await rm(scratch, { recursive: true, force: true });
  };
  try {
    await untilReady(child, `${url}${server.readyPath}`);
    const prepared = server.prepare(environment);
    if (prepared !== undefined) await runOnce(program, prepared, env);
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    url,
    pid: child.pid ?? 0,
    async total(names) {
      const page = await (await fetch(`${url}/metrics`)).text();
      return page
        .split('\n')
        .filter(line => names.some(name => isOf(line, name)))
        .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
    },
    [Symbol.asyncDispose]: dispose,
  };
};

/** @param name "requests_total", or with one of its labels: 'tokens_total{position="0"}' */
const isOf = (line: string, name: string): boolean => {
  const [metric = '', label = ''] = name.split(/[{}]/);
  return (line.startsWith(`${metric}{`) || line.startsWith(`${metric} `)) && line.includes(label);
};

const untilReady = async (child: ChildProcess, url: string): Promise<void> => {
  let printed = '';
  const listen = (chunk: Buffer): void => {
    printed = `${printed}${chunk.toString('utf8')}`.slice(-OUTPUT_CHARACTERS_MAX);
  };
  child.stdout?.on('data', listen);
  child.stderr?.on('data', listen);
  const deadlineMs = performance.now() + READY_MS_MAX;
  while (performance.now() < deadlineMs) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${printed}`);
    const status = await fetch(url).then(
      reply => reply.status,
      () => 0,
    );
    if (status === 200) return;
    await new Promise(resolve => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`it was not ready within ${READY_MS_MAX / 1_000} s: ${printed}`);
};

const runOnce = async (program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> => {
  const child = spawn(program, args, { env, stdio: 'ignore' });
  const [code]: unknown[] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}`);
};

/** vLLM and Ollama start processes of their own: the group ends. */
const endGroup = async (child: ChildProcess): Promise<void> => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  process.kill(-child.pid, 'SIGTERM');
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), END_MS_MAX);
  await ended;
  clearTimeout(timer);
};

/** vLLM imports PyTorch and compiles nothing: a minute on two quiet processors. */
const READY_MS_MAX = 600_000;
const POLL_MS = 500;
const END_MS_MAX = 15_000;
const OUTPUT_CHARACTERS_MAX = 4_000;
