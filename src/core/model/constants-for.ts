// The constants of an engine on a device: measured there, else those of its family for the model's type of
// weights.

import { isUnknown } from '../unknown.ts';
import { calibratedConstants, calibratedLaw, type StoredCalibration } from './engine-calibration.ts';
import { type Engine, type EngineConstants, engineConstants } from './engine-constants.ts';
import type { HeadroomDevice } from './headroom-devices.ts';
import type { ModelFacts } from './model-facts.ts';
import { middle } from './step-time.ts';

export const constantsFor = (
  model: Pick<ModelFacts, 'quantisation' | 'experts' | 'layers' | 'weights'>,
  engine: Engine,
  {
    deviceClass,
    ceiling,
    calibrations = [],
  }: Pick<HeadroomDevice, 'deviceClass' | 'ceiling' | 'calibrations'>,
): EngineConstants => {
  const { quantisation, experts, layers, weights } = model;
  const family = engineConstants(engine, deviceClass, {
    quantisation: isUnknown(quantisation) ? undefined : quantisation,
    hasExperts: experts !== undefined,
  });
  return measured(calibrations, engine, { layers, weights, experts, ceiling, family }) ?? family;
};

const measured = (
  calibrations: readonly StoredCalibration[],
  engine: Engine,
  {
    layers,
    weights,
    experts,
    ceiling,
    family,
  }: Pick<ModelFacts, 'layers' | 'weights' | 'experts'> &
    Pick<HeadroomDevice, 'ceiling'> & { readonly family: EngineConstants },
): EngineConstants | undefined => {
  if (calibrations.length === 0 || isUnknown(ceiling) || isUnknown(layers) || isUnknown(weights))
    return undefined;
  if (experts !== undefined && isUnknown(experts)) return undefined;
  const share = experts === undefined ? 0 : experts.used / experts.count;
  const weightBytes = middle(weights.denseBytes) + middle(weights.expertBytes) * share;
  const law = calibratedLaw(calibrations, engine, { layers, weightBytes }, ceiling);
  return law === undefined ? undefined : calibratedConstants(law, ceiling, family);
};
