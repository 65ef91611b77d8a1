// What may have put a run above the bound, or far below what is expected: each with what was found, in the
// order in which a person should rule them out.

import { counted } from '../figure/figure.ts';
import type { Report } from '../run/report.ts';
import { isUnknown, knownOr, type Reported } from '../unknown.ts';
import type { ModelFacts } from './model-facts.ts';
import type { CauseCode, RunCause, RunStanding } from './run-standing.ts';

/** What the machine reports of itself during the run. */
export interface HostEvidence {
  /** Why clocks were throttled; empty: they were not. */
  readonly throttleReasons: Reported<readonly string[]>;
  /** Share of the model's bytes that are not on the device, 0..1. */
  readonly offloadedShare: Reported<number>;
  /** "x4 of x16"; '' if it has all its lanes. */
  readonly pcieShortfall: Reported<string>;
  readonly otherProcesses: Reported<string>;
  readonly probeAgeMs: Reported<number>;
  readonly isProbeLowerBound: Reported<boolean>;
}

interface CauseSources {
  readonly standings: readonly RunStanding[];
  readonly report: Report;
  readonly model: ModelFacts;
  readonly evidence: HostEvidence;
}

/** Causes of both kinds if one figure is above and another far below. */
export const runCauses = (sources: CauseSources): readonly RunCause[] => {
  const isAbove = sources.standings.some(({ ofBound }) => ofBound > 1);
  const isBelow = sources.standings.some(({ ofExpected }) => ofExpected < FAR_BELOW);
  return [...(isAbove ? aboveCauses(sources) : []), ...(isBelow ? belowCauses(sources) : [])];
};

const aboveCauses = (sources: CauseSources): readonly RunCause[] => [
  speculation(sources),
  prefixHits(sources),
  modelFacts(sources),
  oldProbe(sources),
  lowProbe(sources),
];

const belowCauses = (sources: CauseSources): readonly RunCause[] => {
  const { evidence, report } = sources;
  const kvUsage = knownOr(report.server, undefined)?.figures.kvUsage;
  return [
    of('clock-events', evidence.throttleReasons, reasons =>
      reasons.length === 0
        ? [false, 'clocks were not throttled']
        : [true, `clocks throttled: ${reasons.join(', ')}`],
    ),
    of('offload', evidence.offloadedShare, share =>
      share <= 0
        ? [false, 'the whole model is on the device']
        : [true, `${percent(share)} of the model is not on the device`],
    ),
    of('pcie-width', evidence.pcieShortfall, text =>
      text === '' ? [false, 'the device has all its lanes'] : [true, `PCIe ${text}`],
    ),
    of('other-process', otherProcess(sources), text =>
      text === '' ? [false, 'nothing else was seen on the device'] : [true, text],
    ),
    kvUsage === undefined
      ? { code: 'cache-full', finding: 'unknown', text: 'cache usage is not reported by the server' }
      : {
          code: 'cache-full',
          finding: kvUsage.max >= CACHE_FULL ? 'found' : 'not-found',
          text: `the cache for keys and values was up to ${percent(kvUsage.max)} full`,
        },
    preemptions(sources),
    {
      code: 'client-bound',
      finding: FINDINGS[report.client.verdict],
      text:
        report.client.verdict === 'trustworthy'
          ? 'this client was not the limit'
          : `this client: ${report.client.reasons.join('; ').slice(0, TEXT_LENGTH_MAX)}`,
    },
    prefixHits(sources),
    speculation(sources),
  ];
};

const speculation = ({ report }: CauseSources): RunCause => {
  const found = findingOf(report, 'speculative-decoding');
  const accepted = knownOr(report.server, undefined)?.figures.acceptedTokens?.rose ?? 0;
  const text =
    found ?? (accepted > 0 ? `the server accepted ${counted(accepted, 'speculative token')}` : undefined);
  if (text !== undefined) return { code: 'speculation', finding: 'found', text };
  const isStated = knownOr(report.server, undefined)?.figures.acceptedTokens !== undefined;
  return {
    code: 'speculation',
    finding: isStated ? 'not-found' : 'unknown',
    text: isStated ? 'there were no speculative tokens' : 'the server does not report speculative decoding',
  };
};

/** From the cached tokens that replies report, else from the server's counters. */
const prefixHits = ({ report }: CauseSources): RunCause => {
  const found = findingOf(report, 'prefix-cache');
  if (found !== undefined) return { code: 'prefix-hits', finding: 'found', text: found };
  const { prefixHit, prefixQueried } = knownOr(report.server, undefined)?.figures ?? {};
  if (prefixHit === undefined || prefixQueried === undefined || prefixQueried.rose <= 0)
    return isUnknown(report.contamination)
      ? { code: 'prefix-hits', finding: 'unknown', text: 'prefix-cache hits are not reported' }
      : { code: 'prefix-hits', finding: 'not-found', text: 'no prefix-cache hits were reported' };
  const share = prefixHit.rose / prefixQueried.rose;
  return {
    code: 'prefix-hits',
    finding: share > PREFIX_SHARE ? 'found' : 'not-found',
    text: `the server found ${percent(share)} of the prompt tokens in its prefix cache`,
  };
};

/** A preempted request is computed again. */
const preemptions = ({ report }: CauseSources): RunCause => {
  const reported = knownOr(report.server, undefined)?.figures.preemptions;
  if (reported === undefined)
    return { code: 'preemptions', finding: 'unknown', text: 'the server does not count preemptions' };
  return {
    code: 'preemptions',
    finding: reported.rose > 0 ? 'found' : 'not-found',
    text:
      reported.rose > 0
        ? `requests were preempted ${counted(reported.rose, 'time')} and computed again`
        : 'no request was preempted',
  };
};

const modelFacts = ({ model: { notes, source } }: CauseSources): RunCause => ({
  code: 'model-facts',
  finding: notes.length === 0 ? 'unknown' : 'found',
  text:
    notes.length === 0
      ? `${source.location} may not be what is served`.slice(0, TEXT_LENGTH_MAX)
      : notes.join('; ').slice(0, TEXT_LENGTH_MAX),
});

const oldProbe = ({ evidence: { probeAgeMs } }: CauseSources): RunCause =>
  of('old-probe', probeAgeMs, ageMs => [
    ageMs > DAY_MS,
    `the ceiling was measured ${Math.round(ageMs / 3_600_000)} h ago`,
  ]);

const lowProbe = ({ evidence: { isProbeLowerBound } }: CauseSources): RunCause =>
  of('low-probe', isProbeLowerBound, isLow =>
    isLow
      ? [true, "the probe's engine cannot reach the hardware's peak"]
      : [false, "the probe's engine can reach the hardware's peak"],
  );

const otherProcess = ({ report, evidence }: CauseSources): Reported<string> => {
  const clients = findingOf(report, 'other-clients');
  return clients ?? evidence.otherProcesses;
};

const findingOf = ({ contamination }: Report, code: string): string | undefined =>
  knownOr(contamination, []).find(each => each.code === code)?.problem;

const of = <T extends string | number | boolean | readonly unknown[]>(
  code: CauseCode,
  reported: Reported<T>,
  judge: (value: T) => readonly [isFound: boolean, text: string],
): RunCause => {
  if (isUnknown(reported)) return { code, finding: 'unknown', text: reported.reason };
  const [isFound, text] = judge(reported);
  return { code, finding: isFound ? 'found' : 'not-found', text: text.slice(0, TEXT_LENGTH_MAX) };
};

const percent = (share: number): string => `${Math.round(share * 100)} %`;

const FINDINGS = { trustworthy: 'not-found', 'client-bound': 'found', unknown: 'unknown' } as const;
/** Share of the expected speed. */
const FAR_BELOW = 0.5;
const CACHE_FULL = 0.95;
/** Share of the prompt tokens: all of them have the chat template in common. */
const PREFIX_SHARE = 0.05;
const DAY_MS = 86_400_000;
const TEXT_LENGTH_MAX = 500;
