// A part of a run whose plan was made elsewhere, as it is handed over: what threads share, and of the prompts only what is
// reported of them. A copy of their texts would hold up the thread that receives it.

import type { PlannedPrompts } from '../dataset/planned-prompts.ts';
import { promptsSha256 } from '../dataset/prompts-digest.ts';
import { type LoadPlan, loadDigest } from '../load/load-plan.ts';
import type { PlannedPart } from './bench-parts.ts';

export const plannedPart = (plan: LoadPlan, dataset: PlannedPrompts): PlannedPart => {
  const { prompts, sessions: _, ...facts } = dataset;
  const digest = dataset.digest ?? { sha256: promptsSha256(prompts), count: prompts.length };
  return { plan, dataset: { ...facts, prompts: [], digest }, bodiesDigest: loadDigest(plan) };
};
