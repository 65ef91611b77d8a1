// One way to place a model on devices: whole on one, each layer shared by several (tensor parallel), or
// layers one after the other (pipeline parallel), whose stages may also be shared.

import { knownOr } from '../unknown.ts';
import type { HeadroomDevice } from './headroom-devices.ts';
import type { ModelFacts } from './model-facts.ts';

type PlacementKind = 'one' | 'tensor' | 'pipeline';

export interface PlacementStage {
  readonly layers: number;
  /** The devices that share each of its layers evenly. */
  readonly devices: readonly HeadroomDevice[];
}

export interface PlacementPlan {
  readonly kind: PlacementKind;
  /** In the order in which a token passes them. */
  readonly stages: readonly PlacementStage[];
}

/** The whole model on one device, or each of its layers shared by all of these. */
export const wholePlacement = (model: ModelFacts, devices: readonly HeadroomDevice[]): PlacementPlan => ({
  kind: devices.length === 1 ? 'one' : 'tensor',
  stages: [{ layers: knownOr(model.layers, 1), devices }],
});

export const devicesOf = ({ stages }: PlacementPlan): readonly HeadroomDevice[] =>
  stages.flatMap(({ devices }) => devices);

/** "TP 2 over spark-1 + spark-2", "PP: atlas 50, juno 44 layers" */
export const placementName = (placement: PlacementPlan): string => {
  const { kind, stages } = placement;
  const names = (devices: readonly HeadroomDevice[]): string => devices.map(({ name }) => name).join(' + ');
  if (kind === 'one') return names(devicesOf(placement));
  if (kind === 'tensor') return `TP ${devicesOf(placement).length}: ${names(devicesOf(placement))}`;
  return `PP ${stages.length}: ${stages.map(({ layers, devices }) => `${names(devices)} (${layers})`).join(' → ')}`;
};
