// What tensor parallelism over this connection costs for each all-reduce: two machines exchange their vectors, and each adds the
// other's to its own. The exchange is timed, the addition is not: engines do it on their devices.

import { counted } from '../../core/figure/figure.ts';
import { lowerPercentile } from '../../core/statistics/percentile.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import type { ProbeBudget } from '../link-engine.ts';
import type { LinkMeasurement } from '../probe.ts';
import type { SourceSession } from './source-session.ts';
import { EXCHANGE_WARM_UP } from './stream.ts';

type AllReduceFigures = Pick<LinkMeasurement, 'allReduceNs16Kib' | 'allReduceNs1Mib'>;

/** @throws ProbeError */
export const allReduceFigures = async (
  session: SourceSession,
  budget: ProbeBudget,
): Promise<AllReduceFigures> => {
  if (session.hello.canExchange !== true) {
    return { allReduceNs16Kib: OTHER_TOO_OLD, allReduceNs1Mib: OTHER_TOO_OLD };
  }
  return {
    allReduceNs16Kib: await median(session, budget, { bytes: 16 * 1024, count: 100 }),
    allReduceNs1Mib: await median(session, budget, { bytes: 1024 ** 2, count: 8 }),
  };
};

const median = async (
  session: SourceSession,
  { bytesMax, durationMsMax }: ProbeBudget,
  { bytes, count }: { readonly bytes: number; readonly count: number },
): Promise<Reported<number>> => {
  const most = 2 * (count * bytes + Math.max(EXCHANGE_WARM_UP.bytesMax, EXCHANGE_WARM_UP.countMin * bytes));
  if (most > (bytesMax - session.bytesUsed) * BYTES_SHARE) {
    return unknown('its budget of bytes is too small');
  }
  const timesNs = await session.exchanges({
    bytes,
    count,
    durationMsMax: Math.min(EXCHANGES_MS_MAX, durationMsMax * TIME_SHARE),
  });
  if (timesNs.length < EXCHANGES_MIN) {
    return unknown(`${counted(timesNs.length, 'exchange')} in the time given, fewer than ${EXCHANGES_MIN}`);
  }
  return lowerPercentile(Float64Array.from(timesNs).sort(), 50);
};

const OTHER_TOO_OLD = unknown("the other end's version does not measure it");
/** Share of what is left: bandwidth needs the most. */
const BYTES_SHARE = 1 / 4;
const TIME_SHARE = 0.1;
const EXCHANGES_MS_MAX = 1_500;
const EXCHANGES_MIN = 3;
