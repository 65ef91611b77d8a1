// The tool that wrote a file is recognized by its content, not by its name.

import { linesIn } from '../../core/text/lines-in.ts';
import { aiperfRun, isAiperfRecord } from './aiperf-file.ts';
import { type ForeignRun, parsedJson, wrongForeignFile } from './foreign-file.ts';
import { guidellmRuns, isGuidellmReport } from './guidellm-file.ts';
import { isSglangResult, sglangRun, withoutInfinity } from './sglang-file.ts';
import { isVllmResult, vllmRun } from './vllm-file.ts';

interface Surroundings {
  /** For AIPerf: the text of the summary next to its records. */
  readonly beside: string | undefined;
  /** ISO, for a result without a date. */
  readonly writtenAt: string;
}

/** @throws ForeignFileError */
export const readForeignRuns = (
  content: string,
  { beside, writtenAt }: Surroundings,
): readonly ForeignRun[] => {
  if (content.trim() === '') throw wrongForeignFile('the file', 'it is empty');
  if (isOfAiperf(content)) return [aiperfRun(content, beside)];
  const text = withoutInfinity(content);
  const lines = objectLines(text);
  if (lines.length > 1)
    return lines.map((line, index) => {
      const location = `line ${index + 1}`;
      return oneRun(parsedJson(line, location), location, writtenAt);
    });
  const value = parsedJson(text, 'the file');
  return isGuidellmReport(value) ? guidellmRuns(value) : [oneRun(value, 'the file', writtenAt)];
};

/** vLLM appends one object a line with --append-result, SGLang in any case. Empty if a line is something else. */
const objectLines = (text: string): readonly string[] => {
  const lines: string[] = [];
  for (const { text: line } of linesIn(text)) {
    if (line.trim() === '') continue;
    if (!line.startsWith('{') || !line.trimEnd().endsWith('}')) return [];
    if (lines.length === RUNS_MAX) throw wrongForeignFile('the file', `it has more than ${RUNS_MAX} results`);
    lines.push(line);
  }
  return lines;
};

const oneRun = (value: unknown, location: string, writtenAt: string): ForeignRun => {
  if (isVllmResult(value)) return vllmRun(value, location);
  if (isSglangResult(value)) return sglangRun(value, location, writtenAt);
  if (isAiperfRecord(value)) return aiperfRun(JSON.stringify(value), undefined);
  throw wrongForeignFile(
    location,
    "neither a result of vLLM's or SGLang's benchmark, nor records of AIPerf (profile_export.jsonl), nor GuideLLM's benchmarks.json",
  );
};

/** By its first line, or if that is damaged by the fields that every record has. */
const isOfAiperf = (text: string): boolean => {
  const end = text.indexOf('\n');
  const head = text.slice(0, end === -1 ? HEAD_CHARACTERS : Math.min(end, HEAD_CHARACTERS));
  return head.includes('"benchmark_phase"') && head.includes('"request_start_ns"');
};

const HEAD_CHARACTERS = 65_536;
/** As many as GuideLLM's benchmarks in one file. */
const RUNS_MAX = 256;
