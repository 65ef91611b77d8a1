// What a run cost in energy, by the sensors of the node that it loaded: their energy while it was measured,
// per request and per token, and whether that is trustworthy. Nothing is subtracted: the idle power is shown
// next to it.

import * as v from 'valibot';
import { count, figure, type Infer, openObject, reported, text } from '../schema.ts';
import type { Reported } from '../unknown.ts';

export const ENERGY_SCOPES = ['gpu', 'processor', 'machine'] as const;
/**
 * All its GPUs, its processor packages, or the whole machine at the wall or the battery. They overlap and are
 * never added.
 */
export type EnergyScope = (typeof ENERGY_SCOPES)[number];

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

const scope = v.picklist(ENERGY_SCOPES);

export const energySchema = openObject({
  /** Name of the node that was loaded. */
  node: text,
  /** From the first request of the measured phase to the last answer, as seen by its observer. */
  windowMs: figure,
  meters: v.pipe(
    v.array(
      openObject({
        scope,
        name: text,
        joules: reported(figure),
        wattsMean: reported(figure),
        wattsMax: reported(figure),
        idleWatts: reported(figure),
        readings: count,
        coveredShare: figure,
      }),
    ),
    v.maxLength(METERS_MAX),
  ),
  /** One per scope for which the node has a sensor. */
  scopes: v.pipe(
    v.array(
      openObject({
        scope,
        isValid: v.boolean(),
        joules: reported(figure),
        joulesError: reported(figure),
        joulesPerRequest: reported(figure),
        joulesPerOutputToken: reported(figure),
        joulesPerToken: reported(figure),
        wattsMean: reported(figure),
        idleWatts: reported(figure),
      }),
    ),
    v.maxLength(ENERGY_SCOPES.length),
  ),
  /** Why figures are incomplete, or not those of the server alone; empty if all are valid. */
  reasons: v.pipe(
    v.array(
      openObject({
        code: v.pipe(v.string(), v.minLength(1), v.maxLength(64)),
        scopes: v.pipe(v.array(v.pipe(v.string(), v.maxLength(32))), v.maxLength(8)),
        problem: text,
      }),
    ),
    v.maxLength(ENERGY_REASONS_MAX),
  ),
});

export type RunEnergy = Infer<typeof energySchema>;
