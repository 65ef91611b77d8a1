// The result of "how should this model run here": every way to place it, the fastest that fits first, each
// with the bound, what engines of that kind reach, and why it is slower than the first; and what would make
// it faster.

import { counted } from '../figure/figure.ts';
import type { Unknown } from '../unknown.ts';
import { credibleModel } from './credible-model.ts';
import { runsOn } from './engine-constants.ts';
import { type HeadroomChange, headroomChanges } from './headroom-changes.ts';
import type { HeadroomPlace } from './headroom-place.ts';
import { type HeadroomQuestion, storedBy } from './headroom-question.ts';
import { type MemoryNeed, memoryNeed } from './memory-need.ts';
import type { ModelFacts } from './model-facts.ts';
import { type PlaceLink, PlaceLinkTable } from './place-links.ts';
import { type PlacementHeadroom, rankedPlacements } from './placement-headroom.ts';
import { canPartLayers } from './placement-search.ts';
import { whyBehind } from './why-behind.ts';

export interface Headroom {
  readonly model: ModelFacts;
  readonly question: HeadroomQuestion;
  /** For the model as a whole. */
  readonly need: MemoryNeed | Unknown;
  /** The fastest that fits first; at most `PLACEMENTS_MAX`. */
  readonly placements: readonly RankedPlacement[];
  /** Number ranked after those, or no faster than a part of their devices; not stored. */
  readonly placementsLeftOut: number;
  /** What was not tried, one sentence each. */
  readonly notes: readonly string[];
  /** What would make it faster or let it fit, greatest gain first. */
  readonly changes: readonly HeadroomChange[];
}

export interface RankedPlacement extends PlacementHeadroom {
  /** Why it ranks below the first one, in one line; '' for the first. */
  readonly behind: string;
}

export const headroom = (
  claimed: ModelFacts,
  places: readonly HeadroomPlace[],
  question: HeadroomQuestion,
  links: readonly PlaceLink[] = [],
): Headroom => {
  const model = credibleModel(claimed);
  const placed = { model, question, links: new PlaceLinkTable(links) };
  const usable = places.filter(({ deviceClass }) => runsOn(question.engine, deviceClass));
  const { ranked: all, nodesLeftOut } = rankedPlacements(placed, usable);
  const ranked = worthReporting(all);
  const [best] = ranked;
  const nodes = new Set(places.flatMap(({ nodeId }) => nodeId ?? []));
  const notes: string[] = [];
  if (usable.length < places.length)
    notes.push(
      `${question.engine} does not run on ${places.length - usable.length} of the ${counted(places.length, 'device')}: ${[...new Set(places.filter(place => !usable.includes(place)).map(({ name }) => name))].slice(0, NAMES_SHOWN).join(', ')}`,
    );
  if (nodesLeftOut > 0)
    notes.push(
      `of ${counted(nodes.size, 'node')} the ${nodes.size - nodesLeftOut} with the most memory bandwidth were tried together; --nodes picks others`,
    );
  if (!canPartLayers(question) && places.length > 1)
    notes.push(
      'llama.cpp gives each device whole layers: sharing layers (tensor parallel) was not tried; --engine mlx, vllm or sglang does',
    );
  return {
    model,
    question,
    need: memoryNeed(model, storedBy(question)),
    placements: ranked
      .slice(0, PLACEMENTS_MAX)
      .map(one => ({ ...one, behind: best === undefined || one === best ? '' : whyBehind(one, best) })),
    placementsLeftOut: all.length - Math.min(ranked.length, PLACEMENTS_MAX),
    notes,
    changes: best === undefined ? [] : headroomChanges(placed, usable, best),
  };
};

/**
 * Placements on more devices that are no faster are many and similar: of those no faster than some of their
 * devices alone, only the first of each kind and number is shown.
 */
const worthReporting = (ranked: readonly PlacementHeadroom[]): readonly PlacementHeadroom[] => {
  const reported = new Set<string>();
  const kept: { readonly devices: ReadonlySet<HeadroomPlace>; readonly fits: boolean }[] = [];
  return ranked.filter(({ parts, placement, fit }) => {
    const devices = new Set(parts.map(({ place }) => place));
    const fits = fit.kind !== 'does-not-fit';
    const isMore =
      parts.length > 1 &&
      (!fits ||
        kept.some(
          other => other.fits && other.devices.size < devices.size && other.devices.isSubsetOf(devices),
        ));
    const kind = `${placement.kind} ${parts.length}`;
    if (isMore && reported.has(kind)) return false;
    reported.add(kind);
    kept.push({ devices, fits });
    return true;
  });
};

/** Limit of the placements in a result. */
const PLACEMENTS_MAX = 50;
/** Names of devices in a note. */
const NAMES_SHOWN = 8;
