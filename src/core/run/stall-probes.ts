// Requests of one token next to a load: how long others wait while the server is loaded. They are apart from the load, in its
// schedule, its connections and its figures. What had no reply when the run ended counts with the time that it had waited, so
// that a server that stalls to the end does not look fast.

import * as v from 'valibot';
import { excludes, type Option, optionsIn } from '../option/option.ts';
import { decimalFrom } from '../option/option-values.ts';
import { count, figure, type Infer, nonNegative, openObject, reported } from '../schema.ts';
import { lowerPercentile } from '../statistics/percentile.ts';
import { unknown } from '../unknown.ts';

export const probeRateOption: Option<number | undefined> = optionsIn('Load').value({
  name: 'probe-rate',
  valueName: 'R',
  meaning:
    'Also send R requests of one token a second, at random times and in no figure of the load: how long others wait.',
  rules: [excludes(['from', 'agents'], { because: 'other machines send the requests' })],
  parse: decimalFrom(0.01, 20, { advice: 'Write requests a second, such as 1. More would be a load.' }),
});

/** Parts of a run for which probes are counted apart. */
const PARTS_MAX = 12;

const partSchema = openObject({
  /** Probes sent before this time and after that of the part before; ns since the run's zero. */
  untilNs: figure,
  count,
  p50Ns: figure,
  maxNs: figure,
});

export const stallProbesSchema = openObject({
  requestsPerSecond: nonNegative,
  sent: count,
  answered: count,
  /** Refused, or replied to with an error: in no latency. */
  failed: count,
  /** Without a reply at their time limit or the end of the run: their latency is at least the time that they had waited. */
  unanswered: count,
  /** Not sent, because too many had no reply yet. */
  skipped: count,
  /** From sending, with the connection that each opens, to the end of the reply. */
  latencyNs: reported(openObject({ p50: figure, p95: figure, max: figure })),
  /** Without parts in which none was sent. */
  overTime: v.pipe(v.array(partSchema), v.maxLength(PARTS_MAX)),
});

export type StallProbes = Infer<typeof stallProbesSchema>;

export interface StallProbe {
  /** Since the run's zero. */
  readonly sentNs: number;
  /** Until its end, or until nothing more was awaited. */
  readonly waitedNs: number;
  readonly outcome: 'answered' | 'failed' | 'unanswered';
}

export const stallFigures = (
  probes: readonly StallProbe[],
  { requestsPerSecond, skipped }: Pick<StallProbes, 'requestsPerSecond' | 'skipped'>,
): StallProbes => {
  const countOf = (wanted: StallProbe['outcome']): number =>
    probes.reduce((sum, { outcome }) => sum + (outcome === wanted ? 1 : 0), 0);
  const timed = probes.filter(({ outcome }) => outcome !== 'failed').toSorted((a, b) => a.sentNs - b.sentNs);
  const waited = waitsOf(timed);
  return {
    requestsPerSecond,
    sent: probes.length,
    answered: countOf('answered'),
    failed: countOf('failed'),
    unanswered: countOf('unanswered'),
    skipped,
    latencyNs:
      waited.length === 0
        ? unknown(probes.length === 0 ? 'none was sent' : 'each failed')
        : {
            p50: lowerPercentile(waited, 50),
            p95: lowerPercentile(waited, 95),
            max: lowerPercentile(waited, 100),
          },
    overTime: partsOf(timed),
  };
};

const waitsOf = (probes: readonly StallProbe[]): Float64Array =>
  Float64Array.from(probes, ({ waitedNs }) => waitedNs).sort();

/** Of equal length, from the first probe to the last. @param probes by the time at which they were sent */
const partsOf = (probes: readonly StallProbe[]): StallProbes['overTime'] => {
  const fromNs = probes[0]?.sentNs ?? 0;
  const lengthNs = Math.max(1, (probes.at(-1)?.sentNs ?? 0) - fromNs) / PARTS_MAX;
  const parts = Map.groupBy(probes, ({ sentNs }) =>
    Math.min(PARTS_MAX - 1, Math.floor((sentNs - fromNs) / lengthNs)),
  );
  return [...parts].map(([part, sent]) => {
    const waited = waitsOf(sent);
    return {
      untilNs: Math.round(fromNs + (part + 1) * lengthNs),
      count: sent.length,
      p50Ns: lowerPercentile(waited, 50),
      maxNs: lowerPercentile(waited, 100),
    };
  });
};
