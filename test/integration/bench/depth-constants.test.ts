// From a server whose clock is known to a forecast: a depth profile over real sockets, the constants that the daemon keeps of it,
// and `plimsoll headroom` that counts with them.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clusterStream } from '../../../src/cli/cluster-stream.ts';
import { findDaemon } from '../../../src/cli/daemon-client.ts';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { decodeStep } from '../../../src/core/model/decode-step.ts';
import { type EngineCalibration, engineLaw } from '../../../src/core/model/engine-calibration.ts';
import type { State } from '../../../src/core/state.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { spawnMock } from '../../../src/mock/spawn-mock.ts';
import { readModel } from '../../../src/model/read-model.ts';
import { type StartedCommand, startCommand } from '../../e2e/started-command.ts';
import { childEnv } from '../../support/child-env.ts';
import { isLongRun } from '../../support/counts.ts';
import { madeUpProcess } from '../../support/made-up-process.ts';
import { PROGRAM } from '../../support/program.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { benchHere, readReport } from './bench-here.ts';

/** Far below what any machine's memory carries, so that the node's own ceiling bounds nothing. */
const BANDWIDTH = 4e9;
const LAYER_US = 800;
const CONFIG = {
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  hidden_size: 256,
  intermediate_size: 512,
  num_hidden_layers: 24,
  num_attention_heads: 8,
  num_key_value_heads: 4,
  head_dim: 64,
  vocab_size: 512,
  max_position_embeddings: 32_768,
  torch_dtype: 'bfloat16',
};

test('a depth profile of a server with a known clock leaves constants that headroom counts with, also where its daemon was down', {
  timeout: 240_000,
}, async ({ skip, signal }) => {
  if (!isLongRun) skip('two profiles on a real clock, and a probe: in npm run test:long');
  using folder = temporaryDirectory();
  const home = join(folder.path, 'home');
  const model = join(folder.path, 'model');
  mkdirSync(model);
  writeFileSync(join(model, 'config.json'), JSON.stringify(CONFIG));
  const { gapMs, contextGapMs } = await clockOf(model, signal);
  await using mock = await spawnMock(
    { ttftMs: 20, gapMs, contextGapMs },
    { nodePath: process.execPath, env: childEnv },
  );
  // A command in this process finds a daemon of another one only where it may take that for alive.
  const daemons = new Set<number>();
  const isAlive = (pid: number): boolean => daemons.has(pid);
  const startDaemon = async (): Promise<StartedCommand> => {
    const daemon = await startCommand(['up', '--home', home], { program: PROGRAM });
    daemons.add(daemon.pid);
    return daemon;
  };
  const profile = async (out: string, ...args: readonly string[]) => {
    const run = await benchHere(
      folder.path,
      [
        ...[mock.url, '--profile', 'depth', '--input-tokens', '32', '--output-tokens', '64'],
        ...['--facts', model, '--out', join(home, 'runs', out), ...args],
      ],
      { isAlive },
    );
    expect(run.exit, run.stderr).toBe('ok');
    return join(home, 'runs', out);
  };
  const calibrationOf = async (directory: string): Promise<EngineCalibration> => {
    const { calibration } = readReport(directory);
    if (calibration === undefined) throw new Error('the profile was not asked for constants');
    if (isUnknown(calibration)) return skip(calibration.reason);
    return calibration;
  };

  const first = await startDaemon();
  try {
    // Without a ceiling there is nothing that constants could be a share of.
    await stateWith({ home, isAlive, signal }, state => Object.keys(state.nodeGpuProfiles).length > 0);
    const measured = await calibrationOf(
      await profile('first', '--depths', '0,1k,2k,4k', '--repetitions', '2'),
    );
    const law = engineLaw(measured.points.map(point => ({ ...measured, ...point })));
    if (isUnknown(law)) throw new Error(law.reason);
    expect(law.form).toBe('overhead-and-bytes');
    expect(Math.abs(law.layerUs / LAYER_US - 1)).toBeLessThan(0.02);
    expect(Math.abs(law.weightBytesPerSecond / BANDWIDTH - 1)).toBeLessThan(0.02);

    await stateWith({ home, isAlive, signal }, state => holds(state, measured));
    const { value, constants } = await expected({ home, isAlive }, model);
    expect(constants).toMatch(/measured here 0 min ago, 4 points of this model$/);
    expect(Math.abs(value * (gapMs + contextGapMs * 2) * 1e-3 - 1)).toBeLessThan(0.02);
  } finally {
    await first.end('SIGKILL');
    daemons.clear();
  }

  const missed = await calibrationOf(await profile('missed', '--depths', '0,2k', '--repetitions', '1'));
  await using _second = await startDaemon();
  await stateWith({ home, isAlive, signal }, state => holds(state, missed));
  expect((await expected({ home, isAlive }, model)).constants).toContain('2 points of this model');
});

/** What a token takes: its layers and the bytes that it reads, and what each 1,000 tokens of context add. */
const clockOf = async (
  path: string,
  signal: AbortSignal,
): Promise<{ readonly gapMs: number; readonly contextGapMs: number }> => {
  const model = await readModel(path, signal);
  const bytesAt = (contextTokens: number): number => {
    const step = decodeStep(model, { batch: 1, contextTokens, cacheBytesPerElement: 2 });
    if (isUnknown(step)) throw new Error(step.reason);
    return step.bytes.low;
  };
  return {
    gapMs: (LAYER_US * CONFIG.num_hidden_layers) / 1e3 + (bytesAt(0) / BANDWIDTH) * 1e3,
    contextGapMs: ((bytesAt(1_000) - bytesAt(0)) / BANDWIDTH) * 1e3,
  };
};

const holds = (state: State, { runId }: EngineCalibration): boolean =>
  Object.values(state.engineCalibrations).some(of =>
    Object.values(of).some(({ value }) => value.runId === runId && !isUnknown(value.targetNode)),
  );

interface RunningHome {
  readonly home: string;
  readonly isAlive: (pid: number) => boolean;
}

const stateWith = async (
  { home, isAlive, signal }: RunningHome & { readonly signal: AbortSignal },
  isThere: (state: State) => boolean,
): Promise<void> => {
  const client = await findDaemon(home, madeUpProcess([], { isAlive }).state);
  for await (const { state } of clusterStream(client, systemClock, signal)) if (isThere(state)) return;
};

/** Of 2,000 tokens of context on this machine, as the command prints it. */
const expected = async (
  { home, isAlive }: RunningHome,
  model: string,
): Promise<{ readonly value: number; readonly constants: string }> => {
  const { run, stdout } = madeUpProcess(['headroom', model, '--home', home, '--context', '2000', '--json'], {
    isAlive,
  });
  expect(await run()).toBe(0);
  const [best] = JSON.parse(stdout.text).placements;
  return { value: best.decode.expectedTokensPerSecond.value, constants: best.decode.constants };
};
