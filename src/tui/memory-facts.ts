// The host's memory in a row, and shares as bars.

import {
  figureText,
  formatBytes,
  formatBytesOf,
  formatCapacityBytes,
  formatPercent,
} from '../core/figure/figure.ts';
import { memoryUsedBytes, type NodeMemory } from '../core/node/memory.ts';
import { isUnknown, knownOr } from '../core/unknown.ts';
import { type Line, named, part, textFact, unknownFact } from './part.ts';

export const memoryFacts = (memory: NodeMemory): readonly Line[] => {
  const { totalBytes, pressure, container } = memory;
  const gpuNodes = knownOr(memory.gpuNodeBytes ?? 0, 0);
  const usedBytes = memoryUsedBytes(memory);
  return [
    ...(isUnknown(usedBytes)
      ? [[part(figureText(formatCapacityBytes(totalBytes)))], named('used', unknownFact(usedBytes))]
      : [
          [
            ...bar(usedBytes / totalBytes),
            part(` ${figureText(formatBytesOf(usedBytes, totalBytes))}`, 'strong'),
          ],
          [part(figureText(formatPercent(usedBytes / totalBytes)))],
        ]),
    named('pressure', textFact(pressure.level, pressure.level === 'normal' ? 'plain' : 'caution')),
    swapFact(memory),
    ...(container.kind === 'limited'
      ? [named('container limit', [part(figureText(formatCapacityBytes(container.limitBytes)))])]
      : []),
    ...(gpuNodes > 0
      ? [named('GPU memory, not counted here', [part(figureText(formatCapacityBytes(gpuNodes)))])]
      : []),
  ];
};

/** A share as a filled bar. */
export const bar = (share: number, columns: number = BAR_COLUMNS): Line => {
  const full = Math.round(Math.min(1, Math.max(0, share)) * columns);
  return [part('█'.repeat(full), 'water'), part('░'.repeat(columns - full), 'dim')];
};

const swapFact = ({ swapTotalBytes, swapUsedBytes }: NodeMemory): Line => {
  if (swapTotalBytes === 0) return [part('no swap')];
  if (isUnknown(swapUsedBytes)) return named('swap', unknownFact(swapUsedBytes));
  if (isUnknown(swapTotalBytes)) return named('swap', [part(figureText(formatBytes(swapUsedBytes)))]);
  return named('swap', [part(figureText(formatBytesOf(swapUsedBytes, swapTotalBytes)))]);
};

const BAR_COLUMNS = 16;
