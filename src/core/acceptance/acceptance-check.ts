// A check of an acceptance: one row of a table, from which documents, plans and docs derive.

import type { FigureUnit } from '../figure/figure-row.ts';
import type { LinkView } from '../link/link-view.ts';
import type { NodeView } from '../node/node-view.ts';
import type { State } from '../state.ts';
import type { StageKey } from './acceptance-document.ts';
import type { Watched } from './cluster-watch.ts';
import type { Judged, LimitSide } from './limit.ts';

/** A cluster at one moment, and what was watched of it until then. */
export interface AcceptanceSources {
  readonly state: State;
  readonly nowMs: number;
  /** In name order. */
  readonly nodes: readonly NodeView[];
  /** Between two of them. */
  readonly links: readonly LinkView[];
  readonly watched: Watched;
  /** Less than this shows nothing of growth, ms. */
  readonly watchedMsMin: number;
  /** Older figures do not count, ms. */
  readonly ageMsMax: number;
  /** Names that the plan expects, or none. */
  readonly expectedNodes: readonly string[];
}

export interface AcceptanceCheck {
  /** "memory-bandwidth" */
  readonly id: string;
  readonly stage: StageKey;
  readonly title: string;
  readonly unit: FigureUnit;
  /** For docs: what is compared with what. */
  readonly threshold: string;
  /** Which limit a plan may set, in the unit of the check. */
  readonly plan?: LimitSide;
  /** @param planned the limit of the plan. @returns nothing where the cluster has no such part */
  readonly judge: (sources: AcceptanceSources, planned: number | undefined) => readonly Judged[];
}
