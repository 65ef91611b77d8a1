// What `plimsoll why` is given: the id or directory of a run, a report.json, or a file of another tool, with #N for one of several
// results in it.

import { access, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { type ExplainedResult, explainedRun } from '../../core/explanation/explained-result.ts';
import { counted } from '../../core/figure/figure.ts';
import { errorCode } from '../../core/problem.ts';
import type { EndedSample } from '../../core/run/ended-sample.ts';
import { REPORT_SCHEMA } from '../../core/run/report.ts';
import { type Unknown, unknown } from '../../core/unknown.ts';
import { RunDirectoryError, rebuildReport } from '../../metrics/report-sources.ts';
import { runFiles } from '../../metrics/run-files.ts';
import { storedSamples } from '../../report/foreign/foreign-series.ts';
import { explainedForeign } from '../../report/imported/explained-foreign.ts';
import { ForeignFileError, IMPORTED_REQUESTS_MAX } from '../../report/imported/foreign-file.ts';
import { readForeignRuns } from '../../report/imported/read-foreign-runs.ts';
import { reportFromJson } from '../../wire/stored-json.ts';
import { CommandError, endedBy } from '../command-error.ts';
import { foreignTexts } from '../keep-imported.ts';
import type { ProcessState } from '../process-state.ts';
import { directoryOf } from '../runs/found-runs.ts';

/** @throws CommandError with what is wrong with it */
export const namedResult = async (
  given: string,
  { home, state }: { readonly home: string; readonly state: ProcessState },
): Promise<ExplainedResult> => {
  const path = resolve(state.cwd, given);
  const [, file = path, position] = (await isFile(path)) ? [path, path] : (/^(.+)#(\d+)$/.exec(path) ?? []);
  try {
    if (!(await isFile(file)))
      return await resultIn(await directoryOf(given, { home, cwd: state.cwd }), given);
    const texts = await foreignTexts(file, state.stop);
    const { text } = texts;
    if (!isReport(text)) return foreignResult(texts, given, position);
    return basename(file) === basename(runFiles('').report)
      ? await resultIn(dirname(file), given)
      : explainedRun(reportFromJson(text), { requests: unknown('only its report was given'), source: given });
  } catch (error) {
    if (error instanceof ForeignFileError) throw endedBy('benchInput', error);
    if (error instanceof RunDirectoryError) throw endedBy('benchRunDirectory', error);
    throw error;
  }
};

const resultIn = async (directory: string, source: string): Promise<ExplainedResult> => {
  const report = await rebuildReport(directory);
  return explainedRun(report, { requests: await requestsIn(directory), source });
};

const requestsIn = async (directory: string): Promise<readonly EndedSample[] | Unknown> => {
  const { samples } = runFiles(directory);
  if (!(await isReadable(samples))) return unknown('its samples.jsonl is not there');
  const requests: EndedSample[] = [];
  for await (const sample of storedSamples(samples)) {
    if (requests.length === IMPORTED_REQUESTS_MAX)
      return unknown(`it has more than ${counted(IMPORTED_REQUESTS_MAX, 'request')}`);
    requests.push(sample);
  }
  return requests;
};

const foreignResult = (
  { text, ...surroundings }: Awaited<ReturnType<typeof foreignTexts>>,
  given: string,
  position: string | undefined,
): ExplainedResult => {
  const runs = readForeignRuns(text, surroundings);
  const chosen = runs[position === undefined ? 0 : Number(position) - 1];
  if (chosen === undefined || (position === undefined && runs.length > 1))
    throw new CommandError(
      'usage',
      `${given} contains ${counted(runs.length, 'result')}`,
      `Name one of them, from 1 to ${runs.length}: FILE#1`,
    );
  return explainedForeign(chosen, given);
};

const isReport = (text: string): boolean =>
  text.slice(0, HEAD_CHARACTERS).replace(/\s/g, '').startsWith(`{"schema":"${REPORT_SCHEMA}"`);

const isFile = async (path: string): Promise<boolean> => {
  try {
    return !(await stat(path)).isDirectory();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
};

const isReadable = async (path: string): Promise<boolean> => {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
};

const HEAD_CHARACTERS = 200;
