// What a run cost in energy, by the sensors of the node that it loaded: what they drew while it was measured, for each request and
// token, and whether that can be believed. Nothing is subtracted: what the node drew before stands beside it.

import type { Reported } from '../unknown.ts';

export const ENERGY_SCOPES = ['gpu', 'processor', 'machine'] as const;
/** All its GPUs, its processor packages, or all of it at the wall or the battery: one is no part of the sum of others. */
export type EnergyScope = (typeof ENERGY_SCOPES)[number];

export type RunEnergy = {
  /** Name of the node that was loaded. */
  readonly node: string;
  /** From the first request of the measured phase to the last answer, as its observer saw it. */
  readonly windowMs: number;
  readonly meters: readonly MeterEnergy[];
  /** One for each scope of which the node has a sensor. */
  readonly scopes: readonly ScopeEnergy[];
  /** Why figures are not whole, or not those of the server alone; empty where all are valid. */
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
  /** Mean of the half minute before the run began. */
  readonly idleWatts: Reported<number>;
  readonly readings: number;
  /** Of the window, 0..1. */
  readonly coveredShare: number;
};

export type ScopeEnergy = {
  readonly scope: EnergyScope;
  readonly isValid: boolean;
  readonly joules: Reported<number>;
  /** Readings come once a second: both ends of the window are known to half of one. */
  readonly joulesError: Reported<number>;
  /** Of a completed request. What failed ones cost is in it. */
  readonly joulesPerRequest: Reported<number>;
  readonly joulesPerOutputToken: Reported<number>;
  /** Of prompts and answers. */
  readonly joulesPerToken: Reported<number>;
  readonly wattsMean: Reported<number>;
  readonly idleWatts: Reported<number>;
};

export type EnergyReason = {
  /** Of docs/report.md; also one that only another version knows. */
  readonly code: string;
  readonly scopes: readonly string[];
  /** One sentence without its stop. */
  readonly problem: string;
};

/** Of one node. */
export const METERS_MAX = 64;
export const ENERGY_REASONS_MAX = 32;
