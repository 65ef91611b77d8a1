// How long others waited during a load, by the requests of one token next to it: the same in every form.

import { formatClock, formatMeasuredNanoseconds } from '../../core/figure/duration.ts';
import {
  counted,
  type Figure,
  figureText,
  formatCount,
  formatThreeDigits,
  ofCount,
} from '../../core/figure/figure.ts';
import type { Report } from '../../core/run/report.ts';
import { isUnknown } from '../../core/unknown.ts';
import type { Section } from '../section.ts';

/** undefined: the run was not probed. */
export const stallSection = ({ probes }: Pick<Report, 'probes'>): Section | undefined => {
  if (probes === undefined) return undefined;
  const { latencyNs, sent, failed, unanswered, skipped, requestsPerSecond, overTime } = probes;
  return {
    key: 'stalls',
    title: 'What others wait',
    count: counted(sent, 'probe'),
    note: `one token each, ${formatThreeDigits(requestsPerSecond)}/s, in no figure of the load; with a connection each`,
    ...(isUnknown(latencyNs)
      ? { lead: [`Latency of probes: unknown, ${latencyNs.reason}`] }
      : {
          lead: [
            `Others waited ${text(latencyNs.p50)} for one token (p50), ${text(latencyNs.p95)} (p95), the longest ${unanswered === 0 ? '' : 'at least '}${text(latencyNs.max)}`,
          ],
          tables: [
            {
              name: 'Latency of probes',
              columns: ['probes sent', 'number', 'p50', 'p95', 'max'],
              rows: [
                [
                  'in the whole run',
                  formatCount(sent - failed),
                  time(latencyNs.p50),
                  time(latencyNs.p95),
                  time(latencyNs.max),
                ],
                ...overTime.map(({ untilNs, count, p50Ns, maxNs }) => [
                  `until ${formatClock(untilNs / 1e6)}`,
                  formatCount(count),
                  time(p50Ns),
                  '',
                  time(maxNs),
                ]),
              ],
            },
          ],
        }),
    remarks: [
      ...(unanswered === 0
        ? []
        : [
            `${counted(unanswered, 'probe')} had no reply and ${ofCount(unanswered, 'counts', 'count')} with the time that ${ofCount(unanswered, 'it', 'they')} had waited: the true latency is longer`,
          ]),
      ...(failed === 0
        ? []
        : [`${counted(failed, 'probe')} failed and ${ofCount(failed, 'is', 'are')} in no latency`]),
      ...(skipped === 0
        ? []
        : [
            `${counted(skipped, 'probe')} ${ofCount(skipped, 'was', 'were')} not sent, because too many had no reply yet`,
          ]),
    ],
  };
};

const time = (ns: number): Figure => formatMeasuredNanoseconds(Math.round(ns));

const text = (ns: number): string => figureText(time(ns));
