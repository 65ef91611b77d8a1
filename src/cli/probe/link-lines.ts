// What a probe of a connection found, in a line or two for people.

import { formatNanoseconds } from '../../core/figure/duration.ts';
import {
  counted,
  figureText,
  formatBitsPerSecond,
  formatBytes,
  formatCount,
} from '../../core/figure/figure.ts';
import { queueText } from '../../core/link/link-queue.ts';
import { datagramLoss, lossWays, mtuText } from '../../core/link/path-loss.ts';
import { isUnknown, type Reported } from '../../core/unknown.ts';
import type { LinkMeasurement } from '../../probe/probe.ts';
import { figureFact, type Line, lineWidth, named, part, unknownFact } from '../../tui/part.ts';

type LinkFigures = Omit<LinkMeasurement, 'bytesUsed'> & { readonly bytesUsed: Reported<number> };

/** One line where it fits, else broken between figures; the method beneath. */
export const linkLines = (figures: LinkFigures, columns: number): readonly Line[] => [
  ...wrapped(
    [
      named('up', figureFact(figures.uploadBitsPerSecond, formatBitsPerSecond, 'strong')),
      named('down', figureFact(figures.downloadBitsPerSecond, formatBitsPerSecond, 'strong')),
      named('RTT', roundTrips(figures)),
      named('jitter', figureFact(figures.jitterNs, formatNanoseconds)),
      ...allReduces(figures),
      ...queues(figures),
      ...packets(figures),
      countFact(figures.retransmits, 'retransmit'),
      streams(figures),
      figureFact(figures.bytesUsed, formatBytes),
    ],
    columns,
  ),
  [part(`${figures.engine}: ${figures.method}`, 'dim')],
];

const roundTrips = ({ roundTripNsP50, roundTripNsP99 }: LinkFigures): Line => {
  if (isUnknown(roundTripNsP50)) return unknownFact(roundTripNsP50);
  return [
    ...figureFact(roundTripNsP50, formatNanoseconds, 'strong'),
    part(' (p50), '),
    ...figureFact(roundTripNsP99, formatNanoseconds),
    part(' (p99)'),
  ];
};

/** Nothing where neither was measured: the reason is one of the other end, or of RDMA. */
const allReduces = ({ allReduceNs16Kib: small, allReduceNs1Mib: large }: LinkFigures): readonly Line[] =>
  isUnknown(small) && isUnknown(large)
    ? []
    : [
        named('all-reduce of 16 KiB', figureFact(small, formatNanoseconds)),
        named('of 1 MiB', figureFact(large, formatNanoseconds)),
      ];

/** Nothing where neither was measured, as of the all-reduces. */
const queues = (figures: LinkFigures): readonly Line[] =>
  isUnknown(figures.uploadQueueNs) && isUnknown(figures.downloadQueueNs) ? [] : [[part(queueText(figures))]];

/** The MTU where it is the same both ways, and what is lost or out of order, if anything is. */
const packets = (figures: LinkFigures): readonly Line[] => [
  ...(isUnknown(figures.uploadMtuBytes) && isUnknown(figures.downloadMtuBytes)
    ? []
    : [[part(mtuText(figures))]]),
  ...(datagramLoss(figures, 'upload') === undefined && datagramLoss(figures, 'download') === undefined
    ? []
    : [[part(lossWays(figures))]]),
];

const streams = ({ uploadStreams, downloadStreams }: LinkFigures): Line => {
  if (uploadStreams === downloadStreams) return countFact(uploadStreams, 'stream');
  if (isUnknown(uploadStreams) && isUnknown(downloadStreams)) return countFact(uploadStreams, 'stream');
  return [part(`streams: ${shortCount(uploadStreams)} up, ${shortCount(downloadStreams)} down`)];
};

const shortCount = (count: Reported<number>): string => (isUnknown(count) ? '–' : formatCount(count));

const countFact = (count: Reported<number>, thing: string): Line =>
  isUnknown(count) ? named(`${thing}s`, unknownFact(count)) : [part(counted(count, thing))];

const wrapped = (facts: readonly Line[], columns: number): readonly Line[] => {
  const lines: Line[] = [];
  let line: Line = [];
  for (const fact of facts) {
    const longer = line.length === 0 ? fact : [...line, part(SEPARATOR, 'dim'), ...fact];
    if (line.length > 0 && lineWidth(longer) > columns) {
      lines.push(line);
      line = fact;
    } else line = longer;
  }
  return [...lines, line];
};

export const bytesText = (bytes: number): string => figureText(formatBytes(bytes));

const SEPARATOR = ' · ';
