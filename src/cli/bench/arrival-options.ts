// `--arrival` and `--burstiness`: how the requests of a rate are distributed over time.

import * as v from 'valibot';
import { type Parsed, parsed, wrong } from '../../core/figure/parse-figure.ts';
import { excludes, needs, optionsIn } from '../../core/option/option.ts';
import {
  type Arrival,
  arrivalOf,
  BURSTINESS_MAX,
  BURSTINESS_MIN,
  burstinessFigure,
} from '../../core/run/run-pattern.ts';
import type { Invocation } from '../command.ts';

const { choice, value } = optionsIn('Load');

const WITH_A_RATE = needs({ rate: '10', rates: '1..64x2', stages: 'LIST' });

/** vLLM accepts any number above 0. */
const parseBurstiness = (text: string): Parsed<Arrival> => {
  if (/^inf(inity)?$/i.test(text)) return parsed(arrivalOf(Number.POSITIVE_INFINITY));
  const number = /^\d{0,4}(\.\d{1,6})?$/.test(text) && text !== '' ? Number(text) : Number.NaN;
  return number >= BURSTINESS_MIN && number <= BURSTINESS_MAX
    ? parsed(arrivalOf(number))
    : wrong(
        `${JSON.stringify(text.slice(0, 40))} is not a number from ${BURSTINESS_MIN} to ${BURSTINESS_MAX}`,
        'Write the shape of the gaps: 0.5 for bursts, 1 for Poisson, 4 for more even arrivals, inf for constant.',
      );
};

/** In the order of --help. */
export const ARRIVAL = {
  arrival: choice({
    name: 'arrival',
    rules: [WITH_A_RATE],
    meaning: 'How requests are spread over time: at random (poisson, default) or evenly (constant).',
    choices: ['poisson', 'constant'],
  }),
  burstiness: value({
    name: 'burstiness',
    aliases: ['arrival-smoothness', 'vllm-burstiness'],
    rules: [
      WITH_A_RATE,
      excludes(['arrival'], { advice: 'Use one of them: --burstiness 1 is poisson, and inf is constant.' }),
    ],
    valueName: 'B',
    meaning:
      'Gamma distributed gaps of shape B: below 1 requests come in bursts, 1 is poisson, above 1 is more even, inf is constant.',
    schema: v.union([burstinessFigure, v.literal('inf')]),
    parse: parseBurstiness,
  }),
};

/** undefined: neither is given, which is Poisson. */
export const requestedArrival = (invocation: Pick<Invocation, 'option'>): Arrival | undefined => {
  const kind = invocation.option(ARRIVAL.arrival);
  return invocation.option(ARRIVAL.burstiness) ?? (kind === undefined ? undefined : { kind });
};
