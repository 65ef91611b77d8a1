// What an acceptance sees of a simulated world now.

import { acceptanceSources } from '../../../src/core/acceptance/accept-cluster.ts';
import type { AcceptanceSources } from '../../../src/core/acceptance/acceptance-check.ts';
import type { AcceptancePlan } from '../../../src/core/acceptance/acceptance-plan.ts';
import { NOTHING_WATCHED } from '../../../src/core/acceptance/cluster-watch.ts';
import { linkViews } from '../../../src/core/link/link-view.ts';
import type { SimulatedWorld } from '../../simulate/simulated-world.ts';

export const worldSources = (
  { state, clock }: SimulatedWorld,
  given: Partial<Pick<AcceptanceSources, 'watched' | 'watchedMsMin'>> & {
    readonly plan?: AcceptancePlan;
  } = {},
): AcceptanceSources => {
  const nowMs = clock.nowMs();
  return acceptanceSources({
    state,
    nowMs,
    links: linkViews(state, nowMs),
    requested: undefined,
    watched: NOTHING_WATCHED,
    watchedMsMin: 0,
    ageMsMax: 3_600_000,
    plan: {},
    ...given,
  });
};
