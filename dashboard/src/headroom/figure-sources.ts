// Where each figure behind a placement comes from: measured and when, read from which header, fitted with which error, computed.

import { ageMsOf } from '../../../src/core/entry-maps.ts';
import { minimumOf } from '../../../src/core/extremes.ts';
import { formatAge, formatNanoseconds } from '../../../src/core/figure/duration.ts';
import {
  counted,
  figureText,
  formatBitsPerSecond,
  formatBytes,
  formatBytesPerSecond,
  formatCount,
  formatFlopsPerSecond,
  formatPercent,
} from '../../../src/core/figure/figure.ts';
import { typeText } from '../../../src/core/link/link-text.ts';
import { figureAgeMs, type LinkView } from '../../../src/core/link/link-view.ts';
import { CACHE_TYPES, cacheBytesPerToken } from '../../../src/core/model/cache-bytes.ts';
import type { HeadroomDevice, HeadroomQuestion } from '../../../src/core/model/headroom-devices.ts';
import type { Interval, ModelFacts, ModelSource } from '../../../src/core/model/model-facts.ts';
import { pushAll } from '../../../src/core/push-all.ts';
import type { State } from '../../../src/core/state.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import type { ModelPlacement } from './placement.ts';

interface FigureSource {
  readonly what: string;
  readonly how: string;
}

export const figureSources = (
  model: ModelFacts,
  {
    placement,
    links,
    question,
    state,
    nowMs,
  }: {
    readonly placement: ModelPlacement | undefined;
    readonly links: readonly LinkView[];
    readonly question: HeadroomQuestion;
    readonly state: State;
    readonly nowMs: number;
  },
): readonly FigureSource[] => {
  const from = SOURCE_LABELS[model.source.kind];
  const { layers, experts, weights, cache, quantisation } = model;
  const rows: FigureSource[] = [];
  for (const device of placement?.devices ?? []) pushAll(rows, measuredRows(device, state, nowMs));
  for (const hop of placement?.hops ?? []) pushAll(rows, linkRows(hop, links, nowMs));
  rows.push({
    what: [
      isUnknown(layers) ? 'Layers unknown' : counted(layers, 'layer'),
      ...(experts === undefined
        ? []
        : isUnknown(experts)
          ? ['experts unknown']
          : [`${counted(experts.count, 'expert')}, ${experts.used} used`]),
    ].join(', '),
    how: from,
  });
  rows.push({
    what: [
      ...(isUnknown(quantisation) ? [] : [quantisation]),
      isUnknown(weights) ? `weights unknown: ${weights.reason}` : bytesText(weights.totalBytes),
    ].join(', '),
    how:
      isUnknown(weights) || weights.totalBytes.low === weights.totalBytes.high
        ? from
        : `${from}, an interval`,
  });
  rows.push(
    isUnknown(cache)
      ? { what: `Cache unknown: ${cache.reason}`, how: from }
      : {
          what: `KV ${formatCount(Math.round(cacheBytesPerToken(cache, CACHE_TYPES[question.cacheType])))} B a token, ${question.cacheType}`,
          how: 'computed',
        },
  );
  if (placement !== undefined) pushAll(rows, constantRows(placement));
  return rows;
};

const measuredRows = (
  { ceiling, name, deviceName, nodeId }: HeadroomDevice,
  state: State,
  nowMs: number,
): readonly FigureSource[] => {
  if (isUnknown(ceiling)) return [{ what: `${name}: not measured`, how: ceiling.reason }];
  const profiles = Object.values(
    (nodeId === undefined ? undefined : state.nodeGpuProfiles[nodeId]) ?? {},
  ).filter(({ value }) => value.deviceName === deviceName);
  const [newest] = profiles
    .map(entry => ageMsOf(entry, nowMs) + entry.value.measuredAgeMs)
    .sort((a, b) => a - b);
  const how = newest === undefined ? 'measured' : `measured, ${figureText(formatAge(newest))} ago`;
  return [
    { what: `${figureText(formatBytesPerSecond(ceiling.bytesPerSecond))} on ${name}`, how },
    ...(ceiling.operationsPerSecond === undefined
      ? []
      : [{ what: `${figureText(formatFlopsPerSecond(ceiling.operationsPerSecond))} in 16 bit`, how }]),
  ];
};

const linkRows = (
  [one, other]: ModelPlacement['hops'][number],
  links: readonly LinkView[],
  nowMs: number,
): readonly FigureSource[] => {
  const link = links.find(({ nodes }) => nodes.includes(one) && nodes.includes(other));
  const { there, back, roundTrip } = link ?? {};
  if (link === undefined || roundTrip === undefined) return [];
  const rates = [there, back].flatMap(rate => rate?.value ?? []);
  return [
    {
      what: `RTT ${figureText(formatNanoseconds(roundTrip.value))}${rates.length === 0 ? '' : `, ${figureText(formatBitsPerSecond(minimumOf(rates)))}`}, ${typeText(roundTrip.of)}`,
      how: `measured, ${figureText(formatAge(figureAgeMs(roundTrip, nowMs)))} ago`,
    },
  ];
};

const constantRows = ({ constants }: ModelPlacement): readonly FigureSource[] =>
  constants === undefined
    ? []
    : [
        {
          what: `Constants of ${constants.label}`,
          how: isUnknown(constants.errorShare)
            ? 'not fitted, wide'
            : `fitted, ±\u202f${figureText(formatPercent(constants.errorShare))}`,
        },
      ];

const bytesText = ({ low, high }: Interval): string =>
  low === high
    ? figureText(formatBytes(low))
    : `${figureText(formatBytes(low))} to ${figureText(formatBytes(high))}`;

const SOURCE_LABELS: Readonly<Record<ModelSource['kind'], string>> = {
  gguf: 'GGUF header',
  safetensors: 'tensor headers',
  config: 'config.json',
  server: 'its server',
};
