// `plimsoll report DIR` of a directory of runs: a load line, a sweep, a comparison or repeats, in any state. A kind is one row.

import type { ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import type { RepeatDocument } from '../../core/comparison/repeat-document.ts';
import { comparisonAfterwards } from '../../core/comparison/reported-comparison.ts';
import type { DocumentType } from '../../core/document/document-kinds.ts';
import { sweepAfterwards, sweepEndOf } from '../../core/sweep/sweep-digest.ts';
import { LINE_SCHEMA, type LineDocument, type SweepDocument } from '../../core/sweep/sweep-document.ts';
import { jsonLines } from '../../core/text/single-line.ts';
import { isKnown } from '../../core/unknown.ts';
import {
  COMPARISON_FILES,
  PLAIN_FILES,
  readStored,
  type StoredFiles,
  SWEEP_FILES,
} from '../../metrics/stored-file.ts';
import { comparisonText } from '../../render/comparison/comparison-text.ts';
import { repeatText } from '../../render/comparison/spread-text.ts';
import type { PlainReport } from '../../render/document/plain-kind.ts';
import { plainText } from '../../render/document/plain-text.ts';
import { sweepText } from '../../render/sweep/sweep-text.ts';
import { comparisonCsv, unitsCsv } from '../../report/csv/comparison-csv.ts';
import { stagesCsv } from '../../report/csv/stages-csv.ts';
import { SERIES_FORM_NAMES } from '../../report/foreign/foreign-form-names.ts';
import { comparisonPage } from '../../report/html/comparison-page.ts';
import { linePage } from '../../report/html/line-page.ts';
import type { FontFace } from '../../report/html/page-style.ts';
import { repeatPage } from '../../report/html/repeat-page.ts';
import { comparisonMarkdown } from '../../report/markdown/comparison-markdown.ts';
import { repeatMarkdown } from '../../report/markdown/repeat-markdown.ts';
import { sweepMarkdown } from '../../report/markdown/sweep-markdown.ts';
import { plainCsv, plainMarkdown, plainPage } from '../../report/plain-report.ts';
import { comparisonToJson, sweepDocumentToJson } from '../../wire/stored-json.ts';
import { jsonOption } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { resumeText } from '../compare/resume-text.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import type { OutputStream } from '../process-state.ts';
import { type ExportContext, exportForms, reportFonts } from './export-report.ts';
import { foreignSeries, type RunParts, type SeveralRuns, stageSeries, unitSeries } from './foreign-report.ts';

interface DocumentForms<D> {
  readonly html: (document: D, fonts: readonly FontFace[]) => string;
  readonly csv: (document: D) => string;
  readonly markdown: (document: D) => string;
  readonly json: (document: D) => string;
  readonly lines: (document: D, directory: string, stdout: OutputStream) => readonly string[];
  readonly isComplete: (document: D) => boolean;
}

interface StoredReport<D> extends DocumentForms<D> {
  /** "a comparison" */
  readonly what: string;
  readonly files: StoredFiles<D>;
  /** Why a file cannot be read, and what can. */
  readonly unreadable: { readonly subject: string; readonly parts: string };
  /** Name of the directory of its first run; undefined: it consists of none. */
  readonly firstPart: string | undefined;
  /** Its runs; undefined: it consists of none. */
  readonly series?: (document: D) => RunParts;
}

export const SWEEP_REPORT: StoredReport<SweepDocument | LineDocument> = {
  what: 'a load line or a sweep',
  files: SWEEP_FILES,
  unreadable: {
    subject: 'stages',
    parts: 'Each folder stage-NN in it is a run: plimsoll report DIR/stage-01',
  },
  firstPart: 'stage-01',
  series: stageSeries,
  html: (document, fonts) => linePage({ document, fonts }),
  csv: ({ stages }) => stagesCsv(stages),
  markdown: sweepMarkdown,
  json: document => sweepDocumentToJson(sweepAfterwards(document)),
  lines: (document, directory, stdout) => [
    ...sweepText(document, stdout),
    ...(document.schema === LINE_SCHEMA ? continued('line', directory, document) : []),
  ],
  isComplete: document => sweepEndOf(document).state === 'complete',
};

export const COMPARISON_REPORT: StoredReport<ComparisonDocument> = {
  what: 'a comparison',
  files: COMPARISON_FILES,
  unreadable: {
    subject: 'comparison',
    parts: 'Each folder pair-NN-a or pair-NN-b in it is a run: plimsoll report DIR/pair-01-a',
  },
  firstPart: 'pair-01-a',
  series: unitSeries,
  html: (found, fonts) => comparisonPage({ document: comparisonAfterwards(found), fonts }),
  csv: found => comparisonCsv(comparisonAfterwards(found)),
  markdown: found => comparisonMarkdown(comparisonAfterwards(found)),
  json: found => comparisonToJson(comparisonAfterwards(found)),
  lines: (found, directory, stdout) => {
    const document = comparisonAfterwards(found);
    return [...comparisonText(document, stdout), ...continued('compare', directory, document)];
  },
  isComplete: ({ state }) => state === 'complete',
};

/** What to type next for one that is not complete. */
const continued = (
  command: 'line' | 'compare',
  directory: string,
  document: Pick<LineDocument | ComparisonDocument, 'state' | 'stopped' | 'resume'>,
): readonly string[] =>
  document.state !== 'complete' && document.stopped === undefined && isKnown(document.resume)
    ? ['', `Continue with: ${resumeText(command, directory, document)}`]
    : [];

/** Of repeated runs, whose document is made from their directories. */
export const REPEAT_REPORT: DocumentForms<RepeatDocument> = {
  html: (document, fonts) => repeatPage({ document, fonts }),
  csv: ({ units }) => unitsCsv(units),
  markdown: repeatMarkdown,
  json: jsonLines,
  lines: (document, _directory, stdout) => repeatText(document, stdout),
  isComplete: ({ units }) => units.every(({ fault }) => fault === ''),
};

const PLAIN_REPORT: StoredReport<PlainReport> = {
  what: 'a document of another kind',
  files: PLAIN_FILES,
  unreadable: { subject: 'document', parts: 'Was it written by a newer version of Plimsoll?' },
  firstPart: undefined,
  html: plainPage,
  csv: plainCsv,
  markdown: plainMarkdown,
  json: ({ document }) => jsonLines(document),
  lines: (report, _directory, stdout) => plainText(report, stdout),
  isComplete: ({ document }) => document.state === 'complete',
};

/** Undefined where the directory has no file of that kind. @throws CommandError where it cannot be read */
export const documentIn = async <D>(
  { files, unreadable }: Pick<StoredReport<D>, 'files' | 'unreadable'>,
  directory: string,
): Promise<D | undefined> => {
  const file = await readStored(directory, files);
  if (file.kind === 'here') return file.document;
  if (file.isMissing) return undefined;
  throw new CommandError(
    'benchRunDirectory',
    `The ${unreadable.subject} in ${directory} cannot be read: ${file.reason}`,
    unreadable.parts,
  );
};

/** The report of each kind that consists of runs; undefined where the directory has none of it. */
export const STORED_REPORTS: {
  readonly [T in Exclude<DocumentType, 'run'>]: (...at: ReportedAt) => Promise<ExitCode | undefined>;
} = {
  sweep: (...at) => reportStored(SWEEP_REPORT, ...at),
  comparison: (...at) => reportStored(COMPARISON_REPORT, ...at),
  document: (...at) => reportStored(PLAIN_REPORT, ...at),
};

type ReportedAt = readonly [
  directory: string,
  context: ExportContext,
  refuse: (several: SeveralRuns) => void,
];

/** @param refuse called with what the directory has, before anything is written */
const reportStored = async <D extends object>(
  row: StoredReport<D>,
  directory: string,
  context: ExportContext,
  refuse: (several: SeveralRuns) => void,
): Promise<ExitCode | undefined> => {
  const document = await documentIn(row, directory);
  if (document === undefined) return undefined;
  const { what, firstPart } = row;
  const series = row.series?.(document);
  refuse({ directory, what, firstPart, forms: series === undefined ? [] : SERIES_FORM_NAMES });
  const written = series && (await foreignSeries(directory, series, context));
  if (written === undefined) await reportForms(row, document, directory, context);
  else await context.state.stdout.write(written);
  if ('stopped' in document && document.stopped !== undefined) return EXIT_CODES.benchStopped.code;
  return row.isComplete(document) ? EXIT_CODES.ok.code : EXIT_CODES.benchInterrupted.code;
};

/** What the options request, on standard output or in files. */
export const reportForms = async <D>(
  forms: DocumentForms<D>,
  document: D,
  directory: string,
  context: ExportContext,
): Promise<void> => {
  const { invocation, state } = context;
  const exported = await exportForms(context, {
    html: async () => forms.html(document, await reportFonts(state)),
    csv: async () => forms.csv(document),
    markdown: async () => forms.markdown(document),
  });
  if (exported !== undefined) await state.stdout.write(exported);
  else if (invocation.option(jsonOption)) await state.stdout.write(forms.json(document));
  else await state.stdout.write(`${forms.lines(document, directory, state.stdout).join('\n')}\n`);
};
