// Carries out a plan, and reports what it broke. Equal plans give equal traces to the last byte.

import { createHash } from 'node:crypto';
import { brokenAfterMending, brokenNow, hasConverged } from './invariants.ts';
import { type Mutation, NO_MUTATION } from './mutations.ts';
import { SimulatedCluster } from './simulated-cluster.ts';
import type { Plan } from './step.ts';

export interface Outcome {
  /** Empty where every invariant held. */
  readonly broken: readonly string[];
  /** Virtual time that passed, ms. */
  readonly virtualMs: number;
  /** Of everything that nodes held after each step. */
  readonly digest: string;
  readonly measured: number;
}

export const simulate = async (plan: Plan, mutation: Mutation = NO_MUTATION): Promise<Outcome> => {
  const cluster = new SimulatedCluster({ ...plan, mutation });
  const trace = createHash('sha256');
  const end = async (broken: readonly string[]): Promise<Outcome> => {
    const virtualMs = cluster.clock.nowMs();
    await cluster.end();
    return { broken, virtualMs, digest: trace.digest('hex'), measured: cluster.wire.measuredCount };
  };
  for (const index of cluster.machines.keys()) await cluster.start(index);
  for (const [index, step] of plan.steps.entries()) {
    await cluster.clock.advance(step.afterMs);
    await cluster.happen(step);
    for (const { node } of cluster.running) trace.update(node.hash);
    const broken = [...cluster.problems, ...brokenNow(cluster)];
    if (broken.length > 0) return await end(broken.map(what => `step ${index} (${step.kind}): ${what}`));
  }
  await cluster.fix();
  // What was published before the repair must not count as new.
  await cluster.clock.advance(SETTLING_MS);
  for (let waitedMs = 0; waitedMs < FIXED_MS_MAX; waitedMs += 5_000) {
    await cluster.clock.advance(5_000);
    if (cluster.problems.length > 0 || hasConverged(cluster)) break;
  }
  for (const { node } of cluster.running) trace.update(node.hash);
  return await end([...cluster.problems, ...brokenNow(cluster), ...brokenAfterMending(cluster)]);
};

/** Longer than a live value counts as news. */
const SETTLING_MS = 20_000;
/** How long a cluster may take that nothing is wrong with any more. */
const FIXED_MS_MAX = 180_000;
