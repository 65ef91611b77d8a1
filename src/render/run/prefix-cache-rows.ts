// What a prefix cache was worth, in every form of a report: the share of the prompt that came from it next to the requested one, and
// times to first token by what it did not have.

import { figureText, formatCount, formatThreeDigits } from '../../core/figure/figure.ts';
import type { PrefixCache } from '../../core/run/prefix-cache.ts';
import type { Report } from '../../core/run/report.ts';
import { capitalized } from '../../core/text/single-line.ts';
import { isUnknown } from '../../core/unknown.ts';
import { type Section, type SectionTable, withRows } from '../section.ts';
import { serverPrefixSentence } from './server-times.ts';
import { spreadTail, spreadTime } from './spread-text.ts';

export const prefixCacheSection = ({
  prefixCache,
  server,
}: Pick<Report, 'prefixCache' | 'server'>): Section | undefined => {
  if (prefixCache === undefined) return undefined;
  const { hitShare, requestedShare, byUncached } = prefixCache;
  const reached = isUnknown(hitShare)
    ? `Share of prompt tokens from the cache unknown: ${hitShare.reason}`
    : `${shareText(hitShare)} of the server's prompt tokens came from its cache`;
  const byServer = isUnknown(hitShare) ? serverPrefixSentence({ server }) : undefined;
  return {
    key: 'prefix-cache',
    title: 'Prefix cache',
    note: 'of completed requests; cached is of the prompt tokens as the server counts them',
    lead: [
      requestedShare === undefined ? reached : `${reached}; ${shareText(requestedShare)} was requested`,
      ...(byServer === undefined ? [] : [capitalized(byServer)]),
    ],
    tables: uncachedTables(byUncached),
  };
};

/** None if the server reports nothing about its cache. */
export const uncachedTables = (byUncached: PrefixCache['byUncached']): readonly SectionTable[] =>
  isUnknown(byUncached)
    ? []
    : withRows({
        name: 'By uncached tokens',
        columns: ['Uncached tokens', 'Requests', 'TTFT p50', 'TTFT p90'],
        rows: byUncached.map(({ from, to, count, ttftNs }) => [
          from === 0
            ? '0'
            : from === to - 1
              ? formatCount(from)
              : `${formatCount(from)} to ${formatCount(to - 1)}`,
          formatCount(count),
          spreadTime(ttftNs, 'p50'),
          spreadTail(ttftNs, count),
        ]),
      });

const shareText = (share: number): string =>
  figureText({ figure: formatThreeDigits(share * 100), unit: '%' });
