// The constants of an engine on a device, as a model's weights decide them.

import { isUnknown } from '../unknown.ts';
import type { DeviceClass, Engine, EngineConstants } from './engine-constants.ts';
import { engineConstants } from './engine-constants.ts';
import type { ModelFacts } from './model-facts.ts';

export const constantsFor = (
  { quantisation, experts }: Pick<ModelFacts, 'quantisation' | 'experts'>,
  engine: Engine,
  device: DeviceClass,
): EngineConstants =>
  engineConstants(engine, device, {
    quantisation: isUnknown(quantisation) ? undefined : quantisation,
    hasExperts: experts !== undefined,
  });
