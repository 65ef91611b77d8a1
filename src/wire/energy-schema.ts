// The energy of a run, as stored in report.json.

import * as v from 'valibot';
import { ENERGY_REASONS_MAX, ENERGY_SCOPES, METERS_MAX, type RunEnergy } from '../core/run/energy.ts';
import { count, figure, openObject, reported, text } from './schema.ts';

const scope = v.picklist(ENERGY_SCOPES);

export const energySchema: v.GenericSchema<unknown, RunEnergy> = openObject({
  node: text,
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
