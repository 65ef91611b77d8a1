// What a run cost in energy, by the sensors of the node that it loaded: their energy while it was measured,
// per request and per token, and whether that is trustworthy. Nothing is subtracted: the idle power is shown
// next to it.

import type { Reported } from '../unknown.ts';

export const ENERGY_SCOPES = ['gpu', 'processor', 'machine'] as const;
/**
 * All its GPUs, its processor packages, or the whole machine at the wall or the battery. They overlap and are
 * never added.
 */
export type EnergyScope = (typeof ENERGY_SCOPES)[number];

export type RunEnergy = {
  /** Name of the node that was loaded. */
  readonly node: string;
  /** From the first request of the measured phase to the last answer, as seen by its observer. */
  readonly windowMs: number;
  readonly meters: readonly MeterEnergy[];
  /** One per scope for which the node has a sensor. */
  readonly scopes: readonly ScopeEnergy[];
  /** Why figures are incomplete, or not those of the server alone; empty if all are valid. */
  readonly reasons: readonly EnergyReason[];
};

/** One sensor. */
export type MeterEnergy = {
  readonly scope: EnergyScope;
  /** "NVIDIA H200 GPU-1a2b", "processor packages" */
  readonly name: string;
  readonly joules: Reported<number>;
  readonly wattsMean: Reported<number>;
  readonly wattsMax: Reported<number>;
  /** Mean of the half minute before the run started. */
  readonly idleWatts: Reported<number>;
  readonly readings: number;
  /** Share of the window, 0..1. */
  readonly coveredShare: number;
};

export type ScopeEnergy = {
  readonly scope: EnergyScope;
  readonly isValid: boolean;
  readonly joules: Reported<number>;
  /** Readings arrive once a second: both ends of the window are known to half of one. */
  readonly joulesError: Reported<number>;
  /** Per completed request, including the cost of failed ones. */
  readonly joulesPerRequest: Reported<number>;
  readonly joulesPerOutputToken: Reported<number>;
  /** Per token of prompts and answers. */
  readonly joulesPerToken: Reported<number>;
  readonly wattsMean: Reported<number>;
  readonly idleWatts: Reported<number>;
};

export type EnergyReason = {
  /** As in docs/report.md; may be one that is only known to another version. */
  readonly code: string;
  readonly scopes: readonly string[];
  /** One sentence without its full stop. */
  readonly problem: string;
};

/** Limit per node. */
export const METERS_MAX = 64;
export const ENERGY_REASONS_MAX = 32;
