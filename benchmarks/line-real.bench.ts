// Whether a load line of a real run is correct: the whole command against the mock, which with `--concurrency 8` is
// an M/D/8 queue, three times with other seeds. The truth is an exact simulation of that queue, at the configured
// service time, and at the one that single requests took. Run it on a quiet machine: `npm run bench -- line-real`
// (three times four minutes; `--budget 2m --runs 1` while working on it). If this client was the limit a row states
// it, and the line proves little.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { LineDocument, LoadLine } from '../src/core/sweep/sweep-document.ts';
import { isUnknown } from '../src/core/unknown.ts';
import { spawnMock } from '../src/mock/spawn-mock.ts';
import { lineDocumentFromJson, reportFromJson } from '../src/wire/stored-json.ts';
import { requireBuild } from '../test/support/build.ts';
import { trueLine } from '../test/support/line-cells.ts';
import { printRow } from './bench-row.ts';

const { values: requested } = parseArgs({
  options: {
    budget: { type: 'string', default: '4m' },
    runs: { type: 'string', default: '3' },
  },
});

const SERVERS = 8;
const SERVICE_MS = 100;
const LIMIT_MS = 200;
const TRUTH_ARRIVALS = 2_000_000;
const command = fileURLToPath(new URL('../bin/plimsoll.js', import.meta.url));

const truthAt = (serviceMs: number): number =>
  trueLine(
    {
      model: { servers: SERVERS, serviceNs: serviceMs * 1e6, serviceVariation: 0 },
      objective: { limitNs: LIMIT_MS * 1e6, share: 0.05 },
    },
    TRUTH_ARRIVALS,
  );

const search = async (
  url: string,
  { home, run }: { readonly home: string; readonly run: number },
): Promise<string> => {
  const directory = join(home, `line-${run}`);
  const child = spawn(
    process.execPath,
    [
      ...[command, 'line', url, '--slo', `ttft.p95=${LIMIT_MS}ms`, '--budget', requested.budget],
      ...['--seed', String(1_000 * run), '--home', home, '--out', directory, '--quiet'],
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  await once(child, 'exit');
  return directory;
};

const reported = (line: LoadLine): { readonly low: number; readonly high: number } => ({
  low: 'holds' in line ? line.holds : 0,
  high: 'fails' in line ? line.fails : Number.POSITIVE_INFINITY,
});

/** Stages that this client limited, and those whose figures it made worse. */
const clientOf = (
  directory: string,
  { stages }: LineDocument,
): { readonly limited: number; readonly late: number } => ({
  limited: stages.filter(({ verdict }) => verdict === 'client-bound').length,
  late: stages.filter(stage => {
    const report = reportFromJson(readFileSync(join(directory, stage.directory, 'report.json'), 'utf8'));
    return report.client.verdict !== 'trustworthy';
  }).length,
});

/** ms of one request at a time. */
const servedMs = ({ stages }: LineDocument): number | undefined => {
  const alone = stages.find(({ purpose }) => purpose === 'alone');
  if (alone === undefined || isUnknown(alone.figures) || isUnknown(alone.figures.curve)) return undefined;
  return alone.figures.curve.p50 / 1e6;
};

requireBuild();
const home = mkdtempSync(join(tmpdir(), 'plimsoll-line-real-'));
try {
  await using mock = await spawnMock(
    { ttftMs: SERVICE_MS, gapMs: 0, outputTokens: 1, concurrencyMax: SERVERS },
    { nodePath: process.execPath, env: process.env },
  );
  const set = truthAt(SERVICE_MS);
  for (let run = 1; run <= Number(requested.runs); run += 1) {
    const directory = await search(mock.url, { home, run });
    const document = lineDocumentFromJson(readFileSync(join(directory, 'line.json'), 'utf8'));
    const { low, high } = reported(document.line);
    const seen = servedMs(document);
    const measured = seen === undefined ? set : truthAt(seen);
    const [least, most] = [Math.min(set, measured), Math.max(set, measured)];
    const client = clientOf(directory, document);
    const seconds = document.stages.reduce(
      (sum, { figures }) => sum + (isUnknown(figures) ? 0 : figures.elapsedNs / 1e9),
      0,
    );
    printRow({
      what: `run ${run}: a bracket that holds the truth`,
      figure: document.line.kind === 'bracket' && low <= most && high >= least ? 1 : 0,
      unit: 'of 1',
      reach: { kind: 'at-least', value: 1 },
      method: `${document.sentence}; truth ${set.toFixed(1)} at ${SERVICE_MS} ms, ${measured.toFixed(1)} at the ${seen?.toFixed(2) ?? '?'} ms that one request took`,
    });
    printRow({
      what: `run ${run}: width of the bracket`,
      figure: 100 * (high / low - 1),
      unit: '%',
      reach: { kind: 'none' },
      method: `${document.stages.length} stages, ${seconds.toFixed(0)} s of load of ${requested.budget}`,
    });
    printRow({
      what: `run ${run}: stages whose client was the limit`,
      figure: client.limited,
      unit: 'stages',
      reach: { kind: 'at-most', value: 0 },
      method: `${client.late === 0 ? 'the client was trustworthy in all stages' : `the client was not trustworthy in ${client.late} of ${document.stages.length}: this machine was not quiet enough`}`,
    });
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
