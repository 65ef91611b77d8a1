// Where a report comes from, as rows for people. A server's text is quoted, because it may be anything.

import { figureText, formatBytes, formatCount, formatThreeDigits } from '../../core/figure/figure.ts';
import { BANDWIDTH, FP16_RATE } from '../../core/node/gpu-profile.ts';
import type {
  MachineProvenance,
  MeasuredCeiling,
  RunProvenance,
  ServerReported,
} from '../../core/run/provenance.ts';
import { singleLine } from '../../core/text/single-line.ts';
import { isKnown, isUnknown, type Reported } from '../../core/unknown.ts';

type ProvenanceRow = readonly [name: string, text: string];

export const provenanceRows = (provenance: Reported<RunProvenance>): readonly ProvenanceRow[] => {
  if (isUnknown(provenance)) return [['provenance', `unknown (${provenance.reason})`]];
  const { prompts, machine, server, node, git } = provenance;
  return [
    ['kernel', singleLine(machine.kernel)],
    ['governor', text(machine.governor)],
    ['memory', `${bytesText(machine.memoryBytes)}, ${limitText(machine)}`],
    ['prompt digest', `${prompts.sha256} of ${formatCount(prompts.count)}`],
    ...(isUnknown(prompts.file)
      ? []
      : [['file digest', `${prompts.file.sha256} of ${bytesText(prompts.file.bytes)}`] as const]),
    ...(isUnknown(server) ? [['server reports', text(server)] as const] : server.map(reportedRow)),
    ...(isUnknown(node)
      ? [['node', text(node)] as const]
      : [['node', `${singleLine(node.name)} (${node.id})`] as const, ...node.ceilings.map(ceilingRow)]),
    ['commit', isUnknown(git) ? text(git) : `${git.commit}${git.isDirty ? ', with changes' : ''}`],
  ];
};

/** "GET /version reports": "version "0.8.5"". */
const reportedRow = ({ from, facts }: ServerReported): ProvenanceRow => [
  `${singleLine(from)} reports`,
  [
    ...facts.slice(0, FACTS_SHOWN).map(({ name, value }) => `${singleLine(name)} "${singleLine(value)}"`),
    ...(facts.length > FACTS_SHOWN ? [`${facts.length - FACTS_SHOWN} more in report.json`] : []),
  ].join(', '),
];

const ceilingRow = (ceiling: MeasuredCeiling): ProvenanceRow => {
  const { device, isLowerBound, [FP16_RATE.figure]: flops, [BANDWIDTH.figure]: bytes } = ceiling;
  const figures = [
    ...(isKnown(flops) ? [`${formatThreeDigits(flops / 1e12)} TFLOP/s FP16`] : []),
    ...(isKnown(bytes) ? [`${formatThreeDigits(bytes / 1e9)} GB/s read`] : []),
  ];
  const age = formatCount(Math.round(ceiling.ageMs / 60_000));
  return [
    'ceiling',
    `${singleLine(device)}: ${isLowerBound ? 'at least ' : ''}${figures.join(', ') || 'nothing measured'}, ${age} min old`,
  ];
};

const limitText = ({ cpuLimit, memoryLimitBytes }: MachineProvenance): string =>
  [
    isUnknown(cpuLimit)
      ? `processors not limited (${cpuLimit.reason})`
      : `limited to ${formatThreeDigits(cpuLimit)} processors`,
    ...(isUnknown(memoryLimitBytes) ? [] : [`limited to ${bytesText(memoryLimitBytes)}`]),
  ].join(', ');

const text = (value: Reported<string>): string =>
  isUnknown(value) ? `unknown (${value.reason})` : singleLine(value);

const bytesText = (bytes: number): string => figureText(formatBytes(bytes));

const FACTS_SHOWN = 6;
