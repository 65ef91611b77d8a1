// A probe campaign: every link and device that the nodes of a cluster can measure, measured once, each figure next to the one that it
// replaced, or the reason why it was not measured.

import * as v from 'valibot';
import { ratioText } from '../../core/comparison/comparison-labels.ts';
import { plainEntries } from '../../core/document/plain-document.ts';
import { formatNanoseconds } from '../../core/figure/duration.ts';
import { counted, figureText, UNKNOWN_FIGURE } from '../../core/figure/figure.ts';
import { FIGURE_UNITS } from '../../core/figure/figure-row.ts';
import type { LinkProfile } from '../../core/link/link-profile.ts';
import { DEVICE_MEASURES, type GpuProfile } from '../../core/node/gpu-profile.ts';
import { count, figure, type Infer, list, openObject, reported, shortText, text } from '../../core/schema.ts';
import { isKnown, isUnknown, type Reported, unknown } from '../../core/unknown.ts';
import type { PlainKind } from '../document/plain-kind.ts';
import { type Section, type SectionCell, withRows } from '../section.ts';

export const CAMPAIGN_SCHEMA = 'plimsoll.campaign/1';

const measurementSchema = openObject({
  /** The node that measures, by name, and of what: "link to juno (socket 10.0.0.2)", "NVIDIA H100". */
  node: shortText,
  subject: shortText,
  kind: v.picklist(['link', 'gpu', 'cpu']),
  /** "upload" */
  what: shortText,
  unit: v.picklist(['bits/s', 'bytes/s', 'ns', 'FLOP/s', 'OP/s']),
  /** Unknown with the reason why it was not measured. */
  value: reported(figure),
  /** The figure that it replaced. */
  before: reported(figure),
});

export type Measurement = Infer<typeof measurementSchema>;

export const MEASUREMENTS_MAX = 50_000;

const campaignSchema = openObject({
  ...plainEntries,
  schema: v.literal(CAMPAIGN_SCHEMA),
  /** By name. */
  nodes: list(shortText),
  /** Probes that were requested, and that have ended by now. */
  requested: count,
  ended: count,
  measurements: v.pipe(v.array(measurementSchema), v.maxLength(MEASUREMENTS_MAX)),
  /** Nodes that measured nothing. */
  unreached: list(openObject({ node: shortText, reason: text })),
});

export type Campaign = Infer<typeof campaignSchema>;

/** One probe with its result; no profile, or that of a failed attempt: it was not measured. */
export interface ProbeResult<P> {
  readonly node: string;
  readonly subject: string;
  readonly profile: P | undefined;
  /** Why there is no new profile; '' if there is one. */
  readonly reason: string;
  readonly before: P | undefined;
}

export const linkMeasurements = (
  result: ProbeResult<Pick<LinkProfile, LinkMeasure['figure'] | 'failure'>>,
): readonly Measurement[] =>
  LINK_MEASURES.map(({ figure: of, what, unit }) => ({
    ...headOf(result, 'link'),
    what,
    unit,
    ...valuesOf(result, profile => profile[of]),
  }));

/** An engine that has no such figure is no reason for a row. */
export const deviceMeasurements = (
  result: ProbeResult<GpuProfile>,
  kind: GpuProfile['deviceKind'],
): readonly Measurement[] => {
  const rows = DEVICE_MEASURES.map(({ figure: of, label, unit }) => ({
    ...headOf(result, kind),
    what: label,
    unit,
    ...valuesOf(result, profile => profile[of]),
  }));
  const known = rows.filter(({ value, before }) => isKnown(value) || isKnown(before));
  return known.length > 0 ? known : rows.slice(0, 1);
};

/** "atlas, link to juno (socket 10.0.0.2): measured", of all that one probe measured. */
export const resultLine = ([first, ...others]: readonly Measurement[]): string => {
  if (first === undefined) return '';
  const isMissing = others.every(({ value }) => isUnknown(value));
  return `${nameOf(first)}: ${isUnknown(first.value) && isMissing ? `not measured: ${first.value.reason}` : 'measured'}`;
};

const headOf = (
  { node, subject }: Pick<ProbeResult<never>, 'node' | 'subject'>,
  kind: Measurement['kind'],
): Pick<Measurement, 'node' | 'subject' | 'kind'> => ({ node, subject, kind });

/** After a failure a profile has the figures of the last good attempt. */
const valuesOf = <P extends Pick<LinkProfile, 'failure'>>(
  { profile, reason, before }: ProbeResult<P>,
  of: (profile: P) => Reported<number>,
): Pick<Measurement, 'value' | 'before'> => ({
  value: profile === undefined ? unknown(reason) : isUnknown(profile.failure) ? profile.failure : of(profile),
  before: before === undefined ? unknown('never measured before') : of(before),
});

export const CAMPAIGN: PlainKind<Campaign> = {
  form: 'campaign',
  title: 'Probe campaign',
  command: 'probe all',
  schema: campaignSchema,
  target: ({ nodes }) => (nodes.length > NAMED_NODES ? counted(nodes.length, 'node') : nodes.join(', ')),
  findings: ({ requested, ended, measurements, unreached }) => {
    const missing = missingOf(measurements).length + unreached.length;
    return {
      load: counted(requested, 'probe'),
      result: `${ended} of ${requested} ended${missing === 0 ? '' : `, ${missing} without figures`}`,
    };
  },
  sections: ({ measurements, unreached }) => [
    ...tableOf(
      'links',
      'Links',
      measurements.filter(({ kind }) => kind === 'link'),
    ),
    ...tableOf(
      'devices',
      'Devices',
      measurements.filter(({ kind }) => kind !== 'link'),
    ).map(section => ({
      ...section,
      remarks: memoryRemarks(measurements),
    })),
    ...missingSection([
      ...missingOf(measurements),
      ...unreached.map(({ node, reason }) => [`${node}, all of it`, reason] as const),
    ]),
  ],
};

const tableOf = (key: string, title: string, rows: readonly Measurement[]): readonly Section[] => {
  const measured = rows.filter(({ value }) => isKnown(value));
  return measured.length === 0
    ? []
    : [
        {
          key,
          title,
          count: counted(measured.length, 'figure'),
          tables: withRows({
            name: title,
            columns: ['measured', 'now', 'before', 'change'],
            rows: measured.map(row => [
              `${nameOf(row)}, ${row.what}`,
              cellOf(row.unit, row.value),
              cellOf(row.unit, row.before),
              changeOf(row),
            ]),
          }),
        },
      ];
};

/** A daemon measures the processor and its memory only where there is no GPU. */
const memoryRemarks = (measurements: readonly Measurement[]): readonly string[] => {
  const [withGpu, withCpu] = (['gpu', 'cpu'] as const).map(
    kind => new Set(measurements.filter(row => row.kind === kind).map(({ node }) => node)),
  );
  const nodes = [...(withGpu ?? [])].filter(node => withCpu?.has(node) !== true);
  return nodes.length === 0
    ? []
    : [
        `The memory of the processors was not measured where there are GPUs (${nodes.length > NAMED_NODES ? counted(nodes.length, 'node') : nodes.join(', ')}): plimsoll probe memory measures it there.`,
      ];
};

const missingSection = (rows: readonly (readonly [what: string, reason: string])[]): readonly Section[] =>
  rows.length === 0
    ? []
    : [
        {
          key: 'missing',
          title: 'Not measured',
          count: String(rows.length),
          tables: [{ name: 'Not measured', columns: ['what', 'reason'], rows, texts: [0, 1] }],
        },
      ];

/** Each subject once, with the first reason. */
const missingOf = (measurements: readonly Measurement[]): readonly (readonly [string, string])[] => {
  const reasons = new Map<string, string>();
  for (const row of measurements)
    if (isUnknown(row.value) && !reasons.has(nameOf(row))) reasons.set(nameOf(row), row.value.reason);
  return [...reasons];
};

const nameOf = ({ node, subject }: Measurement): string => `${node}, ${subject}`;

const cellOf = (unit: Measurement['unit'], value: Reported<number>): string =>
  figureText(
    isUnknown(value)
      ? UNKNOWN_FIGURE
      : unit === 'ns'
        ? formatNanoseconds(value)
        : FIGURE_UNITS[unit].format(value),
  );

/** A rate that fell by a tenth, or a time that grew by as much, is marked. */
const changeOf = ({ unit, value, before }: Measurement): SectionCell => {
  if (isUnknown(value) || isUnknown(before) || before <= 0 || value <= 0) return UNKNOWN_FIGURE;
  const ratio = value / before;
  const isWorse = unit === 'ns' ? ratio > 1 / WORSE_RATIO : ratio < WORSE_RATIO;
  return { text: ratioText(ratio), tone: isWorse ? 'caution' : 'plain' };
};

const WORSE_RATIO = 0.9;
const NAMED_NODES = 8;

interface LinkMeasure {
  readonly figure: 'uploadBitsPerSecond' | 'downloadBitsPerSecond' | 'roundTripNsP50';
  readonly what: string;
  readonly unit: 'bits/s' | 'ns';
}

const LINK_MEASURES: readonly LinkMeasure[] = [
  { figure: 'uploadBitsPerSecond', what: 'upload', unit: 'bits/s' },
  { figure: 'downloadBitsPerSecond', what: 'download', unit: 'bits/s' },
  { figure: 'roundTripNsP50', what: 'round trip p50', unit: 'ns' },
];
