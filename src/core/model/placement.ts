// One way to place a model on devices: whole on one, each layer shared by several (tensor parallel), or
// layers one after the other (pipeline parallel), whose stages may also be shared.

import { knownOr } from '../unknown.ts';
import type { HeadroomPlace } from './headroom-place.ts';
import type { ModelFacts } from './model-facts.ts';

type PlacementKind = 'one' | 'tensor' | 'pipeline';

export interface PlacementStage {
  readonly layers: number;
  /** The devices that share each of its layers evenly. */
  readonly places: readonly HeadroomPlace[];
}

export interface PlacementPlan {
  readonly kind: PlacementKind;
  /** In the order in which a token passes them. */
  readonly stages: readonly PlacementStage[];
}

/** The whole model on one device, or each of its layers shared by all of these. */
export const wholePlacement = (model: ModelFacts, places: readonly HeadroomPlace[]): PlacementPlan => ({
  kind: places.length === 1 ? 'one' : 'tensor',
  stages: [{ layers: knownOr(model.layers, 1), places }],
});

export const placesOf = ({ stages }: PlacementPlan): readonly HeadroomPlace[] =>
  stages.flatMap(({ places }) => places);

/** "TP 2 over spark-1 + spark-2", "PP: atlas 50, juno 44 layers" */
export const placementName = (placement: PlacementPlan): string => {
  const { kind, stages } = placement;
  const names = (places: readonly HeadroomPlace[]): string => places.map(({ name }) => name).join(' + ');
  if (kind === 'one') return names(placesOf(placement));
  if (kind === 'tensor') return `TP ${placesOf(placement).length}: ${names(placesOf(placement))}`;
  return `PP ${stages.length}: ${stages.map(({ layers, places }) => `${names(places)} (${layers})`).join(' → ')}`;
};
