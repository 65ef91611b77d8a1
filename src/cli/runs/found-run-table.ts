// Stored documents of a home as a table for a terminal, and as data for programs.

import * as v from 'valibot';
import { formatCount } from '../../core/figure/figure.ts';
import { tagTexts } from '../../core/run/run-shape.ts';
import { count, type Infer } from '../../core/schema.ts';
import { clipped, inColumns } from '../../core/text/columns.ts';
import { showable } from '../../core/text/single-line.ts';
import { LISTED_COLUMNS } from '../../render/document/listed-document.ts';
import { fittedLines, type SectionTable, sectionCellText } from '../../render/section.ts';
import type { OutputStream } from '../process-state.ts';
import { FOUND_STATES, type FoundRun } from './found-runs.ts';

/** On a terminal, as many columns as it has room for. */
export const foundRunTable = (
  runs: readonly FoundRun[],
  { isTerminal, columns }: Pick<OutputStream, 'isTerminal' | 'columns'>,
): readonly string[] => {
  const rows = runs.map(({ foreign, name, tags, counts, ...found }) => {
    const tool = foreign === undefined ? '' : `from ${foreign}`;
    const listed = { ...found, names: [tool, name, ...tagTexts(tags)].filter(text => text !== '') };
    return [
      ...COLUMNS.map(({ key, text }) => clipped(text(listed), CLIPPED[key] ?? Number.POSITIVE_INFINITY)),
      counts === undefined ? '' : formatCount(counts.completed),
      counts === undefined ? '' : formatCount(counts.failed),
    ].map(cell => showable(cell, '?'));
  });
  const titles = [...COLUMNS.map(({ title }) => title), 'completed', 'failed'];
  const empty = titles.flatMap((_, at) => (rows.every(row => row[at] === '') ? at : []));
  const table = {
    name: 'Runs',
    columns: titles,
    rows,
    leaving: [empty, ...LEAVING.map(title => [titles.indexOf(title)])],
  };
  return isTerminal ? fittedLines(table, columns, linesOf) : linesOf(table);
};

const linesOf = ({ columns, rows }: SectionTable): readonly string[] =>
  inColumns([columns, ...rows.map(row => row.map(sectionCellText))], { indent: 0 });

const foundRunSchema = v.object({
  kind: v.pipe(v.string(), v.description('run, sweep, line, comparison, or the form of another document.')),
  id: v.string(),
  directory: v.string(),
  state: v.picklist(FOUND_STATES),
  name: v.pipe(v.string(), v.description('Here and below a text is empty if it is not known.')),
  tags: v.record(v.string(), v.string()),
  model: v.string(),
  target: v.string(),
  startedAt: v.pipe(v.string(), v.description('ISO 8601.')),
  load: v.string(),
  foreign: v.exactOptional(v.pipe(v.string(), v.description('The tool that measured it, if another did.'))),
  result: v.pipe(v.string(), v.description('The figure that a person looks for first, as text.')),
});

/** What `plimsoll runs --json` prints. */
export const runsSchema = v.object({
  schema: v.literal('plimsoll.runs/1'),
  runs: v.pipe(v.array(foundRunSchema), v.description('The newest first.')),
  isMore: v.pipe(v.boolean(), v.description('Whether there are older ones, which --limit left out.')),
});

export type RunsDocument = Infer<typeof runsSchema>;

/** What `plimsoll runs rm --json` prints. */
export const removedRunsSchema = v.object({
  schema: v.literal('plimsoll.removed-runs/1'),
  removed: v.array(v.object({ id: v.string(), directory: v.string(), bytes: count })),
  kept: v.pipe(
    v.array(v.object({ directory: v.string(), reason: v.string() })),
    v.description('What was chosen and is still there.'),
  ),
});

export type RemovedRuns = Infer<typeof removedRunsSchema>;

export const foundRunData = ({
  kind,
  id,
  directory,
  state,
  startedAt,
  name,
  tags,
  model,
  target,
  load,
  result,
  foreign,
}: FoundRun): RunsDocument['runs'][number] => ({
  kind,
  id,
  directory,
  state,
  name,
  tags,
  model,
  target,
  startedAt,
  load,
  ...(foreign === undefined ? {} : { foreign }),
  result,
});

const COLUMNS = Object.entries(LISTED_COLUMNS).map(([key, column]) => ({ key, ...column }));
/** Its id contains the time of a run. */
const LEAVING: readonly string[] = [
  ...['failed', 'completed', LISTED_COLUMNS.model.title, LISTED_COLUMNS.load.title],
  ...[LISTED_COLUMNS.started.title, LISTED_COLUMNS.names.title],
];
const CLIPPED: Readonly<Record<string, number>> = { model: 32, target: 40, result: 48 };
