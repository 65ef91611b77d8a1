// `--cancel-after` and `--cancel-share`: requests that this client breaks off on purpose, as people do who have read enough.

import { type Parsed, parseDurationMs, parsed, wrong } from '../../core/figure/parse-figure.ts';
import { parseLength } from '../../core/figure/parse-length.ts';
import { needs, optionsIn } from '../../core/option/option.ts';
import type { CancelPolicy } from '../../core/run/cancel-policy.ts';
import { parseAttainment } from '../../core/run/parse-objective.ts';
import type { LengthDistribution } from '../../core/statistics/length-distribution.ts';
import type { Invocation } from '../command.ts';

const { value, valueOr } = optionsIn('When requests end');

/** As lengths are written, of durations: "500ms", "200ms..2s", "normal(1s,200ms)", "200ms:90,5s:10". */
const parseDelays = (text: string): Parsed<LengthDistribution> => {
  let problem: Parsed<never> | undefined;
  const inMs = text.trim().replace(/\d+(?:\.\d+)?(?:ms|s|m|h)\b/g, written => {
    const duration = parseDurationMs(written);
    if (duration.kind === 'ok' && Number.isInteger(duration.value)) return String(duration.value);
    problem ??=
      duration.kind === 'wrong'
        ? duration
        : wrong(
            `${written} is not a whole number of milliseconds`,
            'Write 1ms or more, in whole milliseconds.',
          );
    return written;
  });
  const hasUnit = inMs !== text.trim();
  if (problem !== undefined) return problem;
  const delays = parseLength(inMs);
  if (hasUnit && delays.kind === 'ok' && delays.value.kind !== 'file') return parsed(delays.value);
  return wrong(
    `${JSON.stringify(text.slice(0, 40))} is not a time, or a distribution of times`,
    'Write 500ms, 200ms..2s or normal(1s,200ms).',
  );
};

/** In the order of --help. */
export const CANCEL = {
  cancelAfter: value({
    name: 'cancel-after',
    valueName: 'D',
    meaning:
      'Cancel requests this long after they were sent: 500ms, 200ms..2s, normal(1s,200ms). They do not count as failures.',
    parse: parseDelays,
  }),
  cancelShare: valueOr({
    name: 'cancel-share',
    fallback: '100%',
    rules: [needs({ 'cancel-after': '1s' })],
    valueName: 'P%',
    meaning: 'The share of requests that --cancel-after applies to.',
    parse: text => parseAttainment(text),
  }),
};

export const cancelPolicy = (invocation: Invocation): { readonly cancel?: CancelPolicy } => {
  const afterMs = invocation.option(CANCEL.cancelAfter);
  return afterMs === undefined ? {} : { cancel: { afterMs, share: invocation.option(CANCEL.cancelShare) } };
};
