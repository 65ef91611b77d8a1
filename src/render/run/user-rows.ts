// What one user of the endpoint gets while a reply is written: the speed that most requests reach, not the mean of all. It
// is the inverse of the time per output token, so the slowest percentiles of that are the floors of the speed.

import { formatThreeDigits } from '../../core/figure/figure.ts';
import type { Report } from '../../core/run/report.ts';
import type { Section } from '../section.ts';
import { TOO_FEW, vouchedPercentile } from './percentile-text.ts';

/** undefined: no time per token is known, as without a stream. */
export const userSection = ({ series }: Pick<Report, 'series'>): Section | undefined => {
  const { tpotNs } = series;
  return tpotNs === undefined || tpotNs.count === 0 || tpotNs.max === 0
    ? undefined
    : {
        key: 'user',
        title: 'What one user gets',
        note: 'output tokens a second of one request, from its first token on',
        tables: [
          {
            name: 'What one user gets',
            columns: ['requests', 'speed at least'],
            rows: FLOORS.map(([share, percentile]) => {
              const floor = vouchedPercentile(tpotNs, percentile);
              return [
                share,
                'value' in floor && floor.value > 0
                  ? { figure: formatThreeDigits(1e9 / floor.value), unit: 'tok/s' }
                  : `– ${TOO_FEW}`,
              ];
            }),
          },
        ],
      };
};

/** Of this share of requests the time per token is no longer than this percentile. */
const FLOORS = [
  ['half', '50'],
  ['90 of 100', '90'],
  ['99 of 100', '99'],
] as const;
