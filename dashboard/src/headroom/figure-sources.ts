// Where each figure behind a placement comes from: measured and when, read from which header, fitted with which error, computed.

import { ageMsOf } from '../../../src/core/entry-maps.ts';
import { formatAge } from '../../../src/core/figure/duration.ts';
import {
  figureText,
  formatBytes,
  formatBytesPerSecond,
  formatCount,
  formatFlopsPerSecond,
  formatPercent,
} from '../../../src/core/figure/figure.ts';
import { CACHE_TYPES, cacheBytesPerToken } from '../../../src/core/model/cache-bytes.ts';
import type { RankedPlacement } from '../../../src/core/model/headroom.ts';
import type { HeadroomQuestion } from '../../../src/core/model/headroom-question.ts';
import type { Interval, ModelFacts, ModelSource } from '../../../src/core/model/model-facts.ts';
import type { State } from '../../../src/core/state.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import type { PlacedDevice } from './placement.ts';

export interface FigureSource {
  readonly what: string;
  readonly how: string;
}

export const figureSources = (
  model: ModelFacts,
  {
    device,
    question,
    state,
    nowMs,
  }: {
    readonly device: PlacedDevice | undefined;
    readonly question: HeadroomQuestion;
    readonly state: State;
    readonly nowMs: number;
  },
): readonly FigureSource[] => {
  const from = SOURCE_WORDS[model.source.kind];
  const { layers, experts, weights, cache, quantisation } = model;
  const rows: FigureSource[] = [];
  if (device !== undefined) rows.push(...measuredRows(device, state, nowMs));
  rows.push({
    what: [
      isUnknown(layers) ? 'Layers unknown' : `${formatCount(layers)} layers`,
      ...(experts === undefined
        ? []
        : isUnknown(experts)
          ? ['experts unknown']
          : [`${experts.count} experts, ${experts.used} used`]),
    ].join(', '),
    how: from,
  });
  rows.push({
    what: [
      ...(isUnknown(quantisation) ? [] : [quantisation]),
      isUnknown(weights) ? `weights unknown: ${weights.reason}` : bytesWords(weights.totalBytes),
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
  if (device !== undefined) rows.push(...constantRows(device.answer));
  return rows;
};

const measuredRows = (
  { place, nodeId }: PlacedDevice,
  state: State,
  nowMs: number,
): readonly FigureSource[] => {
  const { ceiling, name, deviceName } = place;
  if (isUnknown(ceiling)) return [{ what: `${name}: not measured`, how: ceiling.reason }];
  const profiles = Object.values(state.nodeGpuProfiles[nodeId] ?? {}).filter(
    ({ value }) => value.deviceName === deviceName,
  );
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

const constantRows = ({ decode }: RankedPlacement): readonly FigureSource[] =>
  isUnknown(decode)
    ? []
    : [
        {
          what: `Constants of ${decode.constants}`,
          how: isUnknown(decode.errorShare)
            ? 'not fitted, wide'
            : `fitted, ±\u202f${figureText(formatPercent(decode.errorShare))}`,
        },
      ];

const bytesWords = ({ low, high }: Interval): string =>
  low === high
    ? figureText(formatBytes(low))
    : `${figureText(formatBytes(low))} to ${figureText(formatBytes(high))}`;

const SOURCE_WORDS: Readonly<Record<ModelSource['kind'], string>> = {
  gguf: 'GGUF header',
  safetensors: 'tensor headers',
  config: 'config.json',
  server: 'its server',
};
