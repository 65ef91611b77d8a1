// A row of the table of lengths that `plimsoll dataset show` prints.

import type { LengthFacts } from '../../bench/dataset/dataset-facts.ts';
import { formatCount } from '../../core/figure/figure.ts';

export const lengthRow = (name: string, { p50, p90, p99, max, total }: LengthFacts): readonly string[] => [
  name,
  ...[p50, p90, p99, max, total].map(formatCount),
];
