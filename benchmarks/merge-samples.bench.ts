// What it costs to make one account of the samples of several agents: a million of them, sorted runs merged, counted and written.
// Processor time of this process, since the machine may be shared.

import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { clockLine } from '../src/bench/fleet/clock-offset.ts';
import { deflatedParts } from '../src/bench/fleet/file-parts.ts';
import { mergedSamples } from '../src/bench/fleet/fleet-account.ts';
import type { EndedSample } from '../src/core/run/ended-sample.ts';
import { fileLines } from '../src/metrics/file-lines.ts';
import { RunMetrics } from '../src/metrics/run-metrics.ts';
import { decodeSampleLine, encodeSampleLine } from '../src/wire/sample-line.ts';
import { printRow } from './bench-row.ts';

const SAMPLES = 1_000_000;
const AGENTS = 4;
const folder = mkdtempSync(join(tmpdir(), 'plimsoll-merge-'));
const paths = Array.from({ length: AGENTS }, (_, agent) => join(folder, `${agent}.jsonl`));
let bytes = 0;
let compressed = 0;

type Take = (samples: readonly EndedSample[], bytes: number) => void;

const account = async (
  readAll: (take: Take) => Promise<void>,
): Promise<{ readonly seconds: number; readonly bytes: number }> => {
  const before = process.cpuUsage();
  let written = 0;
  const metrics = new RunMetrics({
    pattern: { kind: 'poisson', requestsPerSecond: 10_000 },
    isStreaming: true,
    objectives: [],
  });
  await readAll((samples, length) => {
    for (const sample of samples) {
      metrics.issued(sample);
      metrics.ended(sample);
    }
    written += length;
  });
  metrics.final();
  const { user, system } = process.cpuUsage(before);
  return { seconds: (user + system) / 1e6, bytes: written };
};

try {
  for (const [agent, path] of paths.entries()) {
    let text = '';
    for (let id = agent; id < SAMPLES; id += AGENTS) {
      const sentNs = id * 100_000;
      const firstNs = sentNs + 5e6 + ((id * 7_919) % 4_000_000);
      const gaps = [9_000_000 + (id % 1_000), 10_000_000, 11_000_000 - (id % 777)];
      text += encodeSampleLine({
        sampleId: id,
        window: 0,
        intendedNs: sentNs,
        sentNs,
        connectNs: 0,
        heldBackNs: 0,
        firstByteNs: firstNs - 1_000,
        firstContentNs: firstNs,
        firstAnswerNs: -1,
        chunkGapsNs: gaps,
        chunkCount: 4,
        endNs: firstNs + 30_000_000,
        outcome: 'completed',
        failure: undefined,
        inputTokens: 128,
        outputTokens: 4,
        finishReason: 'stop',
        bytesSent: 900,
        bytesReceived: 1_200,
      });
      if (text.length < 8_000_000) continue;
      appendFileSync(path, text);
      text = '';
    }
    appendFileSync(path, text);
    if (agent > 0) continue;
    const { createReadStream, statSync } = await import('node:fs');
    bytes = statSync(path).size;
    for await (const part of deflatedParts(createReadStream(path))) compressed += part.bytes.length;
  }
  const offset = { atNs: 0, offsetNs: 3_600e9, errorNs: 1, worstRoundTripNs: 1 };
  const clock = clockLine(offset, undefined);
  const fast = await account(async take => {
    for await (const { samples, lines } of mergedSamples(
      paths.map(path => ({
        path,
        runZeroNs: 3_600e9,
        clock,
        skipped: () => undefined,
        unreadable: () => undefined,
      })),
    ))
      take(samples, lines.length);
  });
  // The former implementation for comparison: parse and validate each line, then encode it again. Merging is not included.
  const slow = await account(async take => {
    for (const path of paths)
      for await (const line of fileLines(path, { lineBytesMax: 100_000 })) {
        const decoded = line.kind === 'line' ? decodeSampleLine(line.text) : undefined;
        if (decoded?.kind === 'sample') take([decoded.sample], encodeSampleLine(decoded.sample).length);
      }
  });
  const method = `processor time, one run, load ${loadavg()[0]?.toFixed(1)}; 4 chunks a sample, ${fast.bytes} bytes of lines`;
  const row = { unit: 's', reach: { kind: 'none' } } as const;
  printRow({
    ...row,
    what: `one account of ${SAMPLES} samples of ${AGENTS} agents`,
    figure: fast.seconds,
    method,
  });
  printRow({ ...row, what: 'the same through JSON, line by line', figure: slow.seconds, method });
  printRow({
    what: 'a sample on its way from an agent',
    figure: compressed / (SAMPLES / AGENTS),
    unit: 'bytes',
    reach: { kind: 'none' },
    method: `raw DEFLATE of lines of ${Math.round(bytes / (SAMPLES / AGENTS))} bytes, mean of ${SAMPLES / AGENTS}`,
  });
} finally {
  rmSync(folder, { recursive: true });
}
