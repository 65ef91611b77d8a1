// A part of a run whose plan was made in another thread, in the form that is transferred: shared memory, and of the
// prompts only what is reported about them. Copying their texts would block the receiving thread.

import { type PlannedPrompts, promptsSha256 } from '../dataset/planned-prompts.ts';
import { type LoadPlan, loadDigest } from '../load/load-plan.ts';
import type { PlannedPart } from './bench-parts.ts';

export const plannedPart = (plan: LoadPlan, dataset: PlannedPrompts): PlannedPart => {
  const { prompts, sessions: _, ...facts } = dataset;
  const digest = dataset.digest ?? { sha256: promptsSha256(prompts), count: prompts.length };
  return { plan, dataset: { ...facts, prompts: [], digest }, bodiesDigest: loadDigest(plan) };
};
