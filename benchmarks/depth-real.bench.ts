// A depth profile of a real llama-server on this machine against llama.cpp's own llama-bench; after measuring two models of random
// weights the third is predicted; and the memory probe must bound all. Skipped, with the reason, where it cannot be built.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { depthTestName } from '../src/core/depth/depth-profile.ts';
import { isJsonObject } from '../src/core/json.ts';
import { type MeasuredEngine, measuredEngine } from '../src/core/model/calibrate-engine.ts';
import { engineLaw } from '../src/core/model/engine-calibration.ts';
import type { Report } from '../src/core/run/report.ts';
import { isUnknown } from '../src/core/unknown.ts';
import { readModel } from '../src/model/read-model.ts';
import { probeMemory } from '../src/probe/memory-bandwidth/probe-memory.ts';
import { reportFromJson } from '../src/wire/stored-json.ts';
import { requireBuild } from '../test/support/build.ts';
import { median, printRow } from './bench-row.ts';
import {
  buildLlamaBench,
  buildRealServer,
  llamaBench,
  sizedModel,
  startSizedServer,
} from './real-server/real-server.ts';

/** Layers and width: 130, 530 and 280 MB, all past a cache of tens of MB. The last one is predicted from the others. */
const SIZES = [
  [8, 768],
  [12, 1_280],
  [10, 1_024],
] as const;
const DEPTHS = [0, 512, 1_024];
const [PROMPT, OUTPUT, REPETITIONS] = [128, 32, 3];
const command = fileURLToPath(new URL('../bin/plimsoll.js', import.meta.url));

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const profiled = async (url: string): Promise<Report> => {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-depth-'));
  try {
    const out = join(folder, 'run');
    const args = [
      ...['bench', url, '--profile', 'depth', '--api', 'completions', '--depths', DEPTHS.join(',')],
      ...['--input-tokens', String(PROMPT), '--output-tokens', String(OUTPUT)],
      ...['--repetitions', String(REPETITIONS), '--home', join(folder, 'home'), '--out', out, '--quiet'],
    ];
    const child = spawn(process.execPath, [command, ...args], { stdio: 'ignore' });
    await once(child, 'exit');
    return reportFromJson(readFileSync(join(out, 'report.json'), 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** t/s by prompt tokens, generated tokens and depth. */
const theirs = (json: string): ReadonlyMap<string, number> => {
  const rows: unknown = JSON.parse(json);
  return new Map(
    (Array.isArray(rows) ? rows : []).filter(isJsonObject).map(row => {
      const { n_prompt: prompt, n_gen: generated, n_depth: depth, avg_ts: rate } = row;
      const name = Number(generated) > 0 ? `tg${generated}` : `pp${prompt}`;
      return [`${name}${Number(depth) > 0 ? ` @ d${depth}` : ''}`, Number(rate)];
    }),
  );
};

const compare = (report: Report, own: ReadonlyMap<string, number>, size: string): void => {
  if (report.depth === undefined) return;
  const { plan, rows } = report.depth;
  for (const row of rows) {
    const name = depthTestName(row, plan);
    const reference = own.get(name);
    if (reference === undefined) continue;
    if (isUnknown(row.tokensPerSecond)) {
      print(`${size}, ${name}: ${row.tokensPerSecond.reason}`);
      continue;
    }
    const { mean } = row.tokensPerSecond;
    printRow({
      what: `${size}, ${name}: from llama-bench`,
      figure: Math.abs(mean / reference - 1) * 100,
      unit: '%',
      reach: { kind: 'at-most', value: 5 },
      method: `${mean.toFixed(2)} over HTTP, ${reference.toFixed(2)} by llama-bench, t/s`,
    });
  }
};

/** Bytes a second, the best that the probe read. */
const ceiling = async (): Promise<number> => {
  const outcome = await probeMemory({
    env: process.env,
    nodePath: process.execPath,
    signal: new AbortController().signal,
    request: { rounds: 5, durationMs: 300, bytesMax: undefined },
  });
  if (outcome.kind === 'failed') throw new Error(outcome.reason);
  return median(outcome.bandwidth.readRounds);
};

const predict = (all: readonly MeasuredEngine[], bandwidth: number): void => {
  const third = all.at(-1);
  const known = all.slice(0, -1).flatMap(engine => engine.points.map(point => ({ ...engine, ...point })));
  const law = engineLaw(known, bandwidth);
  if (third === undefined || isUnknown(law)) {
    print(`no law: ${isUnknown(law) ? law.reason : 'nothing was measured'}`);
    return;
  }
  for (const { contextTokens, cacheBytes, seconds } of third.points) {
    const predicted =
      (law.layerUs / 1e6) * third.layers +
      third.weightBytes / law.weightBytesPerSecond +
      cacheBytes / law.cacheBytesPerSecond;
    printRow({
      what: `the third model, ${contextTokens.toFixed(0)} tokens of context: predicted from the two others`,
      figure: Math.abs(predicted / seconds - 1) * 100,
      unit: '%',
      reach: { kind: 'at-most', value: 10 },
      method: `${(predicted * 1e3).toFixed(2)} ms a token predicted, ${(seconds * 1e3).toFixed(2)} measured; law ${law.form}, ${law.layerUs.toFixed(0)} µs a layer, ${(law.weightBytesPerSecond / 1e9).toFixed(1)} GB/s`,
    });
  }
  const fastest = Math.max(
    ...all.flatMap(({ weightBytes, points }) =>
      points.map(({ cacheBytes, seconds }) => (weightBytes + cacheBytes) / seconds),
    ),
  );
  printRow({
    what: 'the most bytes a second that any model read, of what the memory probe reads',
    figure: (fastest / bandwidth) * 100,
    unit: '%',
    reach: { kind: 'at-most', value: 100 },
    method: `${(fastest / 1e9).toFixed(1)} of ${(bandwidth / 1e9).toFixed(1)} GB/s`,
  });
};

const run = async (cache: string): Promise<void> => {
  const bandwidth = await ceiling();
  const engines: MeasuredEngine[] = [];
  for (const [layers, width] of SIZES) {
    const size = `${layers} layers of ${width}`;
    const model = sizedModel(cache, layers, width);
    if (model === undefined) {
      print(`${size}: the model could not be written`);
      continue;
    }
    const bench = llamaBench(cache, model, [
      ...['-p', String(PROMPT), '-n', String(OUTPUT), '-d', DEPTHS.join(','), '-r', String(REPETITIONS)],
    ]);
    await using server = await startSizedServer(cache, model);
    const report = await profiled(server.url);
    if (bench === undefined) print(`${size}: llama-bench failed`);
    else compare(report, theirs(bench), size);
    if (report.depth === undefined) continue;
    const measured = measuredEngine(report.depth, await readModel(model, new AbortController().signal), 2);
    if (isUnknown(measured)) print(`${size}: ${measured.reason}`);
    else engines.push(measured);
  }
  if (engines.length === SIZES.length) predict(engines, bandwidth);
};

requireBuild();
const server = buildRealServer();
const build = server.kind === 'built' ? buildLlamaBench(server.cache) : server;
if (build.kind === 'skipped') print(`skipped: ${build.reason}`);
else await run(build.cache);
