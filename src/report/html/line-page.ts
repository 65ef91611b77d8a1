// The report of a load line or a sweep as one page: the result first, the curve that it is based on, every stage, and
// how to repeat it.

import { counted, formatCount } from '../../core/figure/figure.ts';
import { failedStopText } from '../../core/run/failed-stop.ts';
import { seriesRow } from '../../core/run/run-series.ts';
import { nameTexts } from '../../core/run/run-shape.ts';
import type { Sweep } from '../../core/sweep/sweep.ts';
import { lineOf, sweepEndOf, sweepHeadDigest } from '../../core/sweep/sweep-digest.ts';
import {
  LINE_SCHEMA,
  type LineDocument,
  type LoadLine,
  type SweepDocument,
} from '../../core/sweep/sweep-document.ts';
import { capitalized } from '../../core/text/single-line.ts';
import { isUnknown } from '../../core/unknown.ts';
import { lineCurveChart, stageFlowChart, userSpeedChart } from '../../render/chart/line-charts.ts';
import { holdsOf } from '../../render/chart/line-mark.ts';
import { lineCostSection } from '../../render/run/cost-rows.ts';
import { windowText } from '../../render/run/report-summary.ts';
import { leadOf } from '../../render/sweep/line-lead.ts';
import {
  curveObjective,
  curveSeries,
  heldText,
  lineFigure,
  lineRemark,
  loadAxis,
  loadText,
  loadUnit,
  requestObjectiveText,
  stageResult,
} from '../../render/sweep/line-text.ts';
import {
  hasEnded,
  loadOn,
  type PicturedStage,
  picturedAfterwards,
} from '../../render/sweep/pictured-stage.ts';
import { stageSection } from '../../render/sweep/stage-columns.ts';
import { stagesFacts, tierSentences } from '../../render/sweep/sweep-text.ts';
import { markup } from '../../render/text/markup.ts';
import { sweepDocumentToJson } from '../../wire/stored-json.ts';
import {
  againSection,
  folded,
  foldedList,
  hostOf,
  madeBy,
  pageSection,
  picture,
  reportPage,
  sectionMarkup,
  type VerdictBand,
  verdictBand,
} from './page-parts.ts';
import type { FontFace } from './page-style.ts';

interface LinePageInput {
  readonly document: SweepDocument | LineDocument;
  readonly fonts: readonly FontFace[];
}

export const linePage = ({ document, fonts }: LinePageInput): string => {
  const sweep = sweepHeadDigest(document, '');
  const { line } = lineOf(document);
  const cost = document.schema === LINE_SCHEMA ? lineCostSection(document.cost) : undefined;
  const end = sweepEndOf(document);
  const stages = picturedAfterwards(document.stages);
  const isLine = sweep.form === 'line';
  const target = hostOf(document.target);
  const model = isUnknown(document.model) ? 'Unknown model' : document.model;
  const lead = leadOf({ sweep, line, stages, isLive: false, reason: end.reason, target });
  const series = curveSeries(stages);
  const objective = curveObjective(sweep, series);
  const name = capitalized(seriesRow(series).shortLabel);
  const title = `${name} against ${loadAxis(sweep)}`;
  const holds = holdsOf(line);
  const atLine = stages.findLast(
    stage => stage.standing === 'held' && holds !== undefined && loadOn(stage, sweep.by) === holds,
  );
  const section = stageSection(stages, sweep.form);
  return reportPage({
    title: `${isLine ? 'Load line' : 'Sweep'} of ${model} on ${target}`,
    fonts,
    head: {
      kind: `Plimsoll ${isLine ? 'load line' : 'sweep'}`,
      id: document.id,
      startedAt: document.startedAt,
      title: isLine
        ? `${model} on ${target}: ${lineFigure(line, false)} ${line.kind === 'unknown' ? '' : loadUnit(sweep)}`
        : `${model} on ${target}, ${counted(stages.length, 'load')}`,
      subtitle: [
        ...(isUnknown(document.serverKind) ? [] : [document.serverKind]),
        document.dataset,
        ...document.objectives,
      ].join(' · '),
      tags: nameTexts(document),
    },
    content: markup`${verdictBand(bandOf({ sweep, line, end, stages, stopped: document.stopped }))}
<p class="lead">${lead.map(({ text, isStrong }) => (isStrong ? markup`<b>${text}</b>` : text))}</p>${tierSentences(document).map(text => markup`<p class="lead">${text}</p>`)}
${pageSection({
  title,
  remark: `each dot is a stage: filled held, open did not; from p50 to p99, log scale${
    objective === undefined && document.objectives.length > 0 ? '; objectives are of other figures' : ''
  }`,
  content: picture(
    lineCurveChart(
      {
        sweep,
        stages,
        line,
        isLive: false,
        objective,
        within: withinText(document),
      },
      { width: 748, name: `${title}: ${lead.map(({ text }) => text).join('')}` },
    ),
    'No stage has figures.',
  ),
})}<div class="next-page">${sectionMarkup({ ...section, note: [section.note, ...(objective === undefined ? [] : [`objective: ${objective.label}`])].join('; ') })}${cost && sectionMarkup(cost)}</div>${pageSection(
      {
        title: 'In flight',
        remark: 'by load, each stage over its own time, all on one scale',
        content: picture(
          stageFlowChart(stages, sweep.by, {
            width: 748,
            name: 'Requests in flight of each stage over its time',
          }),
          'No stage reported its requests in flight.',
        ),
      },
    )}<div class="two">${pageSection({
      title: 'What one user gets for it',
      remark: `by ${loadAxis(sweep)}`,
      content: picture(
        userSpeedChart(stages, atLine?.number, {
          width: 358,
          name: 'Output tokens a second of all users against those of one user',
        }),
        'No stage has both figures: the endpoint does not stream, or reports no tokens.',
      ),
    })}${againSection(document.command)}</div><div class="folded">${foldedList('Why each stage ended as it did', reasonsOf(stages))}${folded('All settings and the environment', settingsOf(document))}</div>`,
    raw: { file: isLine ? 'line.json' : 'sweep.json', json: sweepDocumentToJson(document) },
  });
};

/** A confirmed bracket is certain; a search that was stopped or found one side only is marked as such. */
const bandOf = ({
  sweep,
  line,
  end,
  stages,
  stopped,
}: {
  readonly sweep: Pick<Sweep, 'form' | 'by' | 'objectives'>;
  readonly line: LoadLine;
  readonly end: ReturnType<typeof sweepEndOf>;
  readonly stages: readonly PicturedStage[];
  readonly stopped: LineDocument['stopped'];
}): VerdictBand => {
  const cutShort = `${end.state}${end.reason === '' ? '' : `: ${end.reason}`}`;
  const cut = stopped !== undefined ? [failedStopText(stopped)] : end.state === 'complete' ? [] : [cutShort];
  const bound = stages.filter(({ standing }) => standing === 'client-bound').length;
  const reasons = [
    ...cut,
    ...(bound === 0
      ? []
      : [`this client was the limit in ${formatCount(bound)} of ${counted(stages.length, 'stage')}`]),
  ];
  const ended = stages.filter(hasEnded);
  if (sweep.form === 'sweep')
    return {
      tone: cut.length > 0 ? 'caution' : 'open',
      headline: capitalized(heldText(stages, sweep)),
      reasons,
      sentence: `${clockOf(stages)} under load`,
    };
  const isSure = cut.length === 0 && line.kind === 'bracket';
  return {
    tone: isSure ? 'good' : line.kind === 'none' ? 'bad' : 'caution',
    headline: capitalized(HEADLINES[line.kind]),
    reasons,
    sentence: `${capitalized(lineRemark(line, false))}; ${counted(ended.length, 'stage')}, ${clockOf(stages)} under load.`,
  };
};

const HEADLINES: Readonly<Record<LoadLine['kind'], string>> = {
  bracket: 'the line lies between two loads that were measured',
  'at-least': 'at least this much: no load failed',
  'at-most': 'less than this: no load is known to hold',
  none: 'no load holds',
  unknown: 'the line is not known',
};

/** "17.4 s", "6:36 min". */
const clockOf = (stages: readonly PicturedStage[]): string =>
  windowText({ windowNs: stages.reduce((sum, { elapsedMs }) => sum + elapsedMs * 1e6, 0) });

const withinText = ({ objectives }: SweepDocument | LineDocument): string => {
  const text = requestObjectiveText(objectives);
  if (text === undefined) return '';
  return objectives.length === 1 ? text.replace(/^.*?within/, 'within') : 'within their objectives';
};

const reasonsOf = (stages: readonly PicturedStage[]): readonly string[] =>
  stages
    .filter(({ reason }) => reason !== '')
    .map(
      stage =>
        `Stage ${stage.number} at ${loadText(stage.load)}, ${stageResult(stage).label}: ${stage.reason}`,
    );

const settingsOf = (
  document: SweepDocument | LineDocument,
): readonly (readonly [name: string, text: string])[] => [
  ...stagesFacts(document).map(([name, text]) => [capitalized(name), text] as const),
  ['Seed', String(document.seed)],
  ...madeBy(document),
];
