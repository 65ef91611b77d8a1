// Feeds each reader of input the file that expands most, one after another in a separate process, and prints for each
// the error, how long it took, and the peak memory of the process so far.

import { execFileSync } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { DatasetDigest } from '../../src/bench/dataset/dataset-chunks.ts';
import { readDatasetFile } from '../../src/bench/dataset/dataset-file.ts';
import { readImageFolder } from '../../src/bench/dataset/image-folder.ts';
import { readHistogramFile } from '../../src/bench/dataset/length-choice.ts';
import { traceEntries } from '../../src/bench/dataset/trace/trace-file.ts';
import { PartReader } from '../../src/bench/fleet/file-parts.ts';
import { contentDecoder } from '../../src/bench/target/content-decoder.ts';
import { answerTokensOf } from '../../src/bench/tokenizer/answer-tokens.ts';
import { monotonicNs } from '../../src/clock/system-clock.ts';
import { readConfig } from '../../src/config/read-config.ts';
import { INPUT_LIMITS, type InputKind } from '../../src/core/input/input-limits.ts';
import { errorMessage } from '../../src/core/problem.ts';
import { isUnknown } from '../../src/core/unknown.ts';
import { fileLines } from '../../src/metrics/file-lines.ts';
import { rebuildReport } from '../../src/metrics/report-sources.ts';
import { readModel } from '../../src/model/read-model.ts';
import { fetchObject } from '../../src/model/server/fetch-object.ts';
import { readInputText } from '../../src/process/input-file.ts';
import { encodeBlock } from '../../src/recording/recording-line.ts';
import { readRecording } from '../../src/recording/recording-reader.ts';
import { readForeignRuns } from '../../src/report/imported/read-foreign-runs.ts';
import { isLongRun, longCount } from '../support/counts.ts';
import { growingTexts, repeatedText } from '../support/made-up-parquet.ts';
import { madeUpProcess } from '../support/made-up-process.ts';

export interface HostileInput {
  readonly kind: string;
  /** "" where it was taken. */
  readonly problem: string;
  readonly ms: number;
  /** Of the process so far. */
  readonly peakBytes: number;
}

type Attack = (folder: string) => Promise<unknown>;

const signal = new AbortController().signal;
const MIB = 1_048_576;

/** Lists of nothing: three bytes each on disk, and some sixty in memory. */
const emptyLists = (bytes: number): string => `[${'[],'.repeat(bytes / 3)}[]]`;

const written = (folder: string, name: string, content: string | Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

/** Without a block on the disk. */
const sparse = (folder: string, name: string, bytes: number): string => {
  const path = written(folder, name, '');
  truncateSync(path, bytes);
  return path;
};

const dataset = (path: string): Promise<unknown> =>
  readDatasetFile({ path, shownPath: 'prompts', column: undefined, signal });

const command = async (...args: readonly string[]): Promise<never> => {
  const made = madeUpProcess(args);
  await made.run();
  throw new Error(made.stderr.text);
};

const gguf = (): Buffer => {
  const u32 = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  const u64 = (value: number): Buffer => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(value));
    return bytes;
  };
  const entries = 9_000;
  const list = Buffer.concat([u32(9), u32(0), u64(4_096), Buffer.alloc(4_096, 7)]);
  const keys = Array.from({ length: entries }, (_, index) => {
    const key = Buffer.from(`k${index}`);
    return Buffer.concat([u64(key.length), key, list]);
  });
  return Buffer.concat([Buffer.from('GGUF'), u32(3), u64(1), u64(entries), ...keys]);
};

const safetensors = (bytes: number): Buffer => {
  const header = Buffer.from(`{"a": ${emptyLists(bytes)}}`);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header]);
};

const replyOf = async (body: Uint8Array): Promise<never> => {
  await using server = createServer((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(body),
  );
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const reported = await fetchObject({ url: new URL(`http://127.0.0.1:${port}/v1/models`), signal });
  throw new Error(isUnknown(reported) ? reported.reason : 'it was taken');
};

/** The worst of each kind. A kind without one is an error of the compiler and of the test. */
const ATTACKS: Readonly<Record<InputKind, Attack>> = {
  dataset: folder => {
    const content = `[${'{},'.repeat(2_700_000)}{}]`;
    const line = `{"messages": [{"role": "user", "content": ${content}}]}\n`;
    return dataset(written(folder, 'prompts.jsonl', line.repeat(6)));
  },
  parquet: folder => dataset(written(folder, 'a.parquet', repeatedText('x'.repeat(10_000), 900_000))),
  trace: async folder => {
    const path = written(
      folder,
      'trace.json',
      `{"id": "a", "block_size": 64, "requests": [], "x": ${emptyLists(26 * MIB)}}`,
    );
    const location = { path, shownPath: 'trace.json', signal };
    const reading = { digest: new DatasetDigest(), counts: { leftOut: 0 } };
    for await (const entry of traceEntries(location, 'agentic', reading)) entry.requests.at(0);
  },
  image: folder => {
    sparse(folder, 'a.png', INPUT_LIMITS.image.bytesMax + 1);
    return readImageFolder(folder, 'pictures', signal);
  },
  systemPrompt: folder =>
    command(
      ...['bench', 'http://127.0.0.1:9', '--model', 'm', '--no-warmup', '--requests', '1', '--home', folder],
      ...['--system-prompt', sparse(folder, 'system.txt', INPUT_LIMITS.systemPrompt.bytesMax + 1)],
    ),
  lengths: folder =>
    readHistogramFile({
      path: written(folder, 'lengths.json', '['.repeat(INPUT_LIMITS.lengths.bytesMax)),
      shownPath: 'lengths.json',
    }),
  stages: folder =>
    command(
      ...['bench', 'http://127.0.0.1:9', '--home', folder],
      ...['--stages', written(folder, 'stages.toml', `stage = ${'['.repeat(30_000)}${']'.repeat(30_000)}`)],
    ),
  optionsFile: folder =>
    command(
      'bench',
      written(folder, 'runs.toml', `requests = ${'['.repeat(30_000)}${']'.repeat(30_000)}`),
      '--home',
      folder,
    ),
  requestPart: folder =>
    command(
      ...['bench', 'http://127.0.0.1:9', '--home', folder],
      ...['--tools', written(folder, 'tools.json', '['.repeat(MIB - 1))],
    ),
  secret: folder =>
    command(
      ...['bench', 'http://127.0.0.1:9', '--home', folder],
      ...['--api-key-file', sparse(folder, 'key', 4_096 * MIB)],
    ),
  tokenizer: folder => {
    written(folder, 'tokenizer.json', `{"model": ${emptyLists(24 * MIB)}}`);
    return answerTokensOf({ folder, answers: undefined }, signal);
  },
  gguf: folder => readModel(written(folder, 'a.gguf', gguf()), signal),
  safetensors: folder => {
    written(folder, 'config.json', '{"model_type": "llama", "num_hidden_layers": 1, "hidden_size": 1}');
    written(folder, 'a.safetensors', safetensors(26 * MIB));
    return readModel(folder, signal);
  },
  modelConfig: folder => readModel(written(folder, 'config.json', emptyLists(15 * MIB)), signal),
  recording: async folder => {
    const path = written(folder, 'a.rec', encodeBlock('\n'.repeat(65 * MIB)));
    for await (const part of readRecording(path)) if (part.kind === 'broken') throw new Error(part.reason);
  },
  importedReport: async folder => {
    const text = await readInputText(
      written(folder, 'result.json', `{"a": ${emptyLists(60 * MIB)}}`),
      'importedReport',
    );
    readForeignRuns(text, { beside: undefined, writtenAt: '2026-01-31T14:25:01.000Z' });
  },
  runFile: folder => {
    written(folder, 'config.json', emptyLists(15 * MIB));
    return rebuildReport(folder);
  },
  runLines: async folder => {
    const path = written(folder, 'samples.jsonl', `${emptyLists(17 * MIB)}\n`);
    for await (const line of fileLines(path, { lineBytesMax: INPUT_LIMITS.runLines.bytesMax }))
      if (line.kind === 'too-long') throw new Error('a line expands to more than is read: it was skipped');
  },
  homeFile: async folder => {
    const read = await readConfig(
      written(folder, 'config.toml', `a = ${'['.repeat(130_000)}${']'.repeat(130_000)}`),
    );
    if (read.kind === 'broken') throw new Error(read.problems[0]?.problem);
  },
  serverReply: () => replyOf(gzipSync(Buffer.alloc(INPUT_LIMITS.serverReply.bytesMax + 1))),
  responseBody: async () => {
    const decoder = contentDecoder('gzip');
    const bomb = gzipSync(Buffer.alloc(INPUT_LIMITS.responseBody.expandedBytesMax + 1));
    const reported = [decoder?.add(bomb, 0, bomb.length), decoder?.end()];
    throw new Error(reported.find(each => each?.kind === 'wrong')?.problem);
  },
  agentDataset: () => parts('agentDataset'),
  agentSamples: () => parts('agentSamples'),
  agentPart: async () => {
    const rawBytes = INPUT_LIMITS.agentPart.expandedBytesMax + 1;
    const bytes = deflateRawSync(Buffer.alloc(rawBytes));
    await new PartReader('agentDataset').read({ index: 0, isLast: true, rawBytes, bytes });
  },
};

const parts = async (kind: 'agentDataset' | 'agentSamples'): Promise<void> => {
  const reader = new PartReader(kind);
  const rawBytes = INPUT_LIMITS.agentPart.expandedBytesMax;
  const bytes = deflateRawSync(Buffer.alloc(rawBytes));
  for (let index = 0; ; index += 1) await reader.read({ index, isLast: false, rawBytes, bytes });
};

/** Further ones of the same readers. */
const OTHERS: Readonly<Record<string, Attack>> = {
  'parquet, by prefixes': folder => dataset(written(folder, 'b.parquet', growingTexts(70_000))),
  'dataset, a device': () => dataset('/dev/zero'),
  'dataset, commas': folder => dataset(written(folder, 'a.csv', ','.repeat(20 * MIB))),
  'dataset, line feeds': folder => dataset(written(folder, 'a.jsonl', '\n'.repeat(100 * MIB))),
  'trace, subagents': async folder => {
    // Each was compared with all before it.
    const pair =
      '{"t":0,"type":"s","in":1,"out":1},{"t":0,"type":"subagent","duration_ms":9,"requests":[{"t":0,"in":1,"out":1}]}';
    const requests = `${`${pair},`.repeat(longCount(60_000, 300_000))}${pair}`;
    const path = written(folder, 'trace.json', `{"id": "a", "block_size": 64, "requests": [${requests}]}`);
    const reading = { digest: new DatasetDigest(), counts: { leftOut: 0 } };
    for await (const entry of traceEntries({ path, shownPath: 'trace.json', signal }, 'agentic', reading))
      throw new Error(`it was taken, with ${entry.requests.length} requests`);
  },
};

/** Gigabytes, which are seconds of work each. Another kind, and others of a data set, have the same reader. */
const OF_LONG_RUNS: ReadonlySet<string> = new Set<InputKind | 'parquet, by prefixes' | 'dataset, line feeds'>(
  ['agentSamples', 'dataset', 'parquet, by prefixes', 'dataset, line feeds'],
);

const [folder = '', ...requested] = process.argv.slice(2);
for (const [kind, attack] of Object.entries({ ...ATTACKS, ...OTHERS })) {
  if (requested.length > 0 ? !requested.includes(kind) : OF_LONG_RUNS.has(kind) && !isLongRun) continue;
  const own = join(folder, kind.replaceAll(/\W+/g, '-'));
  mkdirSync(own);
  // What the one before it left is not this one's.
  globalThis.gc?.();
  const fromNs = monotonicNs();
  const problem = await attack(own).then(() => '', errorMessage);
  const ms = Number(monotonicNs() - fromNs) / 1e6;
  execFileSync('rm', ['-rf', own]);
  const reported: HostileInput = { kind, problem, ms, peakBytes: process.resourceUsage().maxRSS * 1_024 };
  console.log(JSON.stringify(reported));
}
