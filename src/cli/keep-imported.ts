// An imported file as run directories of a home, each whole or not at all: it is written next to the runs and moved among them
// when it is complete. Its id follows from the file, so the same file is not imported twice.

import { createHash } from 'node:crypto';
import { rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as v from 'valibot';
import { errorCode } from '../core/problem.ts';
import { type ForeignOrigin, foreignOriginSchema } from '../core/run/foreign-run.ts';
import { type Report, RUN_CONFIG_SCHEMA, type RunConfig } from '../core/run/report.ts';
import { PLAIN_SHAPE, type RunTags } from '../core/run/run-shape.ts';
import { count, type Infer } from '../core/schema.ts';
import { unknown } from '../core/unknown.ts';
import { runsFolder } from '../daemon/runs/run-reports.ts';
import { buildReport } from '../metrics/build-report.ts';
import { asForeign, withSummary } from '../metrics/foreign-report.ts';
import { rebuildReport, writeReportFiles } from '../metrics/report-sources.ts';
import { runFiles } from '../metrics/run-files.ts';
import { makeMissingFolder, writeFileAtomic } from '../process/atomic-file.ts';
import { diskReason, fileReason } from '../process/disk-reason.ts';
import { readInputFile, readInputText } from '../process/input-file.ts';
import type { ForeignRun } from '../report/imported/foreign-file.ts';
import { readForeignRuns } from '../report/imported/read-foreign-runs.ts';
import { encodeSampleLine, encodeSamplesEnd } from '../wire/sample-line.ts';
import { runConfigToJson } from '../wire/stored-json.ts';
import { CommandError } from './command-error.ts';

const keptImportSchema = v.object({
  id: v.string(),
  directory: v.string(),
  requests: count,
  isNew: v.pipe(v.boolean(), v.description('false: it had been imported before.')),
  origin: foreignOriginSchema,
  notices: v.pipe(v.array(v.string()), v.description('Remarks for the person, one sentence each.')),
});

export type KeptImport = Infer<typeof keptImportSchema>;

/** What `plimsoll import --json` prints: a file may contain several runs. */
export const importedSchema = v.object({
  schema: v.literal('plimsoll.imported/1'),
  runs: v.array(keptImportSchema),
});

export type ImportedDocument = Infer<typeof importedSchema>;

interface KeepOptions {
  readonly home: string;
  readonly version: string;
  readonly name: string | undefined;
  readonly tags: RunTags;
  readonly signal: AbortSignal;
}

/** @throws ForeignFileError for what is wrong with the file @throws CommandError where a folder cannot be written */
export const keepImported = async (path: string, options: KeepOptions): Promise<readonly KeptImport[]> => {
  const { text, bytes, ...surroundings } = await foreignTexts(path, options.signal);
  const sha256 = createHash('sha256').update(text).digest('hex');
  const runs = readForeignRuns(text, surroundings);
  const kept: KeptImport[] = [];
  for (const [index, run] of runs.entries()) {
    const origin: ForeignOrigin = {
      tool: run.tool,
      version: run.version,
      file: basename(path).slice(0, FILE_NAME_MAX),
      sha256,
      bytes,
      hasRequests: run.figures.kind === 'requests',
      unreported: run.unreported,
    };
    const id = `${stampOf(run.run.startedAt)}-${run.tool}-${digestOf(sha256, index)}`;
    kept.push(await keep(run, { id, origin, ...options }));
  }
  return kept;
};

interface Keeping extends KeepOptions {
  readonly id: string;
  readonly origin: ForeignOrigin;
}

const keep = async (run: ForeignRun, keeping: Keeping): Promise<KeptImport> => {
  const { id, origin, home } = keeping;
  const directory = join(runsFolder(home), id);
  const requests = requestsOf(run);
  if (await isThere(directory)) return { id, directory, requests, isNew: false, origin, notices: [] };
  const making = join(home, 'importing', id);
  try {
    await rm(making, { recursive: true, force: true });
    await makeMissingFolder(making);
    await makeMissingFolder(runsFolder(home));
    const problems = await writeReportFiles(making, await written(run, configOf(run, keeping), making));
    const [problem] = problems;
    if (problem !== undefined)
      throw new CommandError('failure', problem, 'Free some space, and import it again.');
    await rename(making, directory);
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    if (errorCode(error) === undefined) throw error;
    throw new CommandError(
      'benchRunDirectory',
      `${directory} cannot be written: ${diskReason(error)}`,
      'Nothing was imported; choose another home with --home.',
      { cause: error },
    );
  }
  return { id, directory, requests, isNew: true, origin, notices: await removedWhenEmpty(dirname(making)) };
};

/** Where another import goes on it is not empty, and stays, or it is that one who removes it. */
const removedWhenEmpty = async (folder: string): Promise<readonly string[]> => {
  try {
    await rmdir(folder);
  } catch (error) {
    if (!EXPECTED_CODES.has(errorCode(error) ?? ''))
      return [`the run is there; the empty folder ${folder} could not be removed: ${diskReason(error)}`];
  }
  return [];
};

const written = async (run: ForeignRun, config: RunConfig, directory: string): Promise<Report> => {
  const files = runFiles(directory);
  await writeFileAtomic(files.config, runConfigToJson(config));
  if (run.figures.kind === 'requests') {
    await writeFileAtomic(files.samples, sampleLines(run.figures.samples));
    return await rebuildReport(directory);
  }
  const empty = buildReport({
    config,
    snapshot: { seq: 1, timestampNs: 1, state: 'complete', pendingTasks: 0, metrics: [] },
    source: 'nothing',
    droppedEvents: 0,
    eventLogDropped: 0,
    isInterrupted: false,
    runProblems: [],
    sourceProblems: [],
    notices: [],
  });
  return withSummary(asForeign(empty), run.figures.summary);
};

type Samples = Extract<ForeignRun['figures'], { readonly kind: 'requests' }>['samples'];

async function* sampleLines(samples: Samples): AsyncGenerator<string> {
  let text = '';
  for (const sample of samples) {
    text += encodeSampleLine(sample);
    if (text.length < PART_LENGTH) continue;
    yield text;
    text = '';
  }
  const tracked = samples.filter(({ window }) => window >= 0).length;
  yield text + encodeSamplesEnd({ issued: samples.length, trackedIssued: tracked, state: 'complete' });
}

const configOf = ({ run, tool }: ForeignRun, { id, origin, version, name, tags }: Keeping): RunConfig => {
  const notReported = unknown('not reported by an imported run');
  const nothing = `not reported by ${tool}`;
  return {
    schema: RUN_CONFIG_SCHEMA,
    plimsoll: { version },
    run: {
      ...run,
      id,
      serverKind: notReported,
      stamps: notReported,
      shape: PLAIN_SHAPE,
      name: name ?? run.name,
      tags,
      seed: 0,
      warmupRequests: 0,
      hasNonce: false,
      command: unknown('another tool sent its requests'),
      requests: notReported,
      foreign: origin,
    },
    objectives: [],
    runObjectives: notReported,
    attainment: notReported,
    requestLengths: notReported,
    environment: { node: nothing, os: nothing, cpu: nothing, cores: 0 },
    provenance: unknown('another tool sent its requests'),
  };
};

const requestsOf = ({ figures }: ForeignRun): number =>
  figures.kind === 'requests' ? figures.samples.length : figures.summary.completed + figures.summary.failed;

interface ForeignTexts {
  readonly text: string;
  readonly beside: string | undefined;
  /** ISO. */
  readonly writtenAt: string;
  readonly bytes: number;
}

/** The file, and AIPerf's summary if there is one next to it. @throws CommandError */
export const foreignTexts = async (path: string, signal: AbortSignal): Promise<ForeignTexts> => {
  try {
    const content = await readInputFile(path, 'importedReport', signal);
    return {
      text: content.toString('utf8'),
      beside: await neighbourOf(path),
      writtenAt: (await stat(path)).mtime.toISOString(),
      bytes: content.length,
    };
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw unreadable(path, fileReason(error), error);
  }
};

const neighbourOf = async (path: string): Promise<string | undefined> => {
  if (!path.endsWith('.jsonl')) return undefined;
  const summary = join(dirname(path), basename(path).replace(/\.jsonl$/, '_aiperf.json'));
  try {
    return await readInputText(summary, 'runFile');
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
};

const isThere = async (path: string): Promise<boolean> => {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
};

const unreadable = (path: string, reason: string, cause?: unknown): CommandError =>
  new CommandError(
    'benchInput',
    `${path} cannot be imported: ${reason}`,
    'Give the file that its tool wrote: result.json, result.jsonl, profile_export.jsonl or benchmarks.json.',
    cause === undefined ? {} : { cause },
  );

/** "20260131-142501", UTC. */
const stampOf = (iso: string): string => iso.replace(/[-:]/g, '').replace('T', '-').slice(0, 15);

const digestOf = (sha256: string, index: number): string =>
  createHash('sha256').update(`${sha256} ${index}`).digest('hex').slice(0, 6);

/** Of a folder that is in use, or gone. */
const EXPECTED_CODES: ReadonlySet<string> = new Set(['ENOTEMPTY', 'EEXIST', 'ENOENT']);
const PART_LENGTH = 256 * 1024;
const FILE_NAME_MAX = 300;
