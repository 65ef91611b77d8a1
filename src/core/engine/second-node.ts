// What a second machine would give for the model that an engine has in memory: headroom on its own node, and on that node with
// each other one, by the same calculation and with its reasons.

import { formatThreeDigits } from '../figure/figure.ts';
import type { NodeId } from '../ids.ts';
import type { LinkView } from '../link/link-view.ts';
import { type Headroom, headroom, type RankedPlacement } from '../model/headroom.ts';
import { type HeadroomDevice, headroomDevices } from '../model/headroom-devices.ts';
import { type HeadroomLink, headroomLinksOf } from '../model/headroom-links.ts';
import { isConsistent, type ModelFacts } from '../model/model-facts.ts';
import { nodeCalibrations } from '../model/node-calibrations.ts';
import { exchangeSeconds } from '../model/placement-time.ts';
import { engineName, inFlightText, modelsText, type NodeEngine } from '../node/engines.ts';
import type { NodeView } from '../node/node-view.ts';
import { knownValue } from '../node/reading-view.ts';
import type { State } from '../state.ts';
import { isKnown, isUnknown, type Reported, unknown } from '../unknown.ts';
import { type ServerEngine, serverEngine } from './server-engines.ts';

export interface ServingEngine {
  readonly nodeId: NodeId;
  readonly nodeName: string;
  readonly engine: NodeEngine;
  /** "a second machine (juno) would give 12.4 → 19 tok/s"; unknown: why that is not known. */
  readonly secondNode: Reported<string>;
}

interface ClusterNow {
  readonly state: State;
  readonly views: readonly NodeView[];
  readonly links: readonly LinkView[];
  readonly nowMs: number;
}

/** Empty for a machine alone, of which nobody asks. */
export const secondNodeLabel = ({ secondNode }: Pick<ServingEngine, 'secondNode'>): string =>
  isUnknown(secondNode)
    ? secondNode.code === ALONE
      ? ''
      : `whether a second machine would help is unknown: ${secondNode.reason}`
    : secondNode;

/** "vLLM 0.33.0 · Qwen3-32B · 3 requests in flight"; what is not reported is left out. */
export const servingLabel = ({ engine }: Pick<ServingEngine, 'engine'>): string =>
  [engineName(engine), modelsText(engine), inFlightText(engine)].filter(isKnown).join(' · ');

/** Ranks placements again only when something that they follow from has changed. */
export class ServingWatch {
  #texts: ReadonlyMap<string, Reported<string>> = new Map();

  /** The engines of all nodes with contact; at most `ENGINES_MAX`. */
  read(now: ClusterNow): readonly ServingEngine[] {
    const here = now.views.filter(({ presence }) => presence !== 'offline');
    const texts = new Map<string, Reported<string>>();
    const found = here
      .flatMap(view => (knownValue(view.engines)?.engines ?? []).map(engine => ({ view, engine })))
      .slice(0, ENGINES_MAX)
      .map(({ view, engine }): ServingEngine => {
        const input = inputOf(view, engine, { ...now, views: here });
        const key = JSON.stringify(input);
        const secondNode =
          oneMachineText(engine) ??
          this.#texts.get(key) ??
          (isUnknown(input) ? input : secondNodeText(input));
        texts.set(key, secondNode);
        return { nodeId: view.nodeId, nodeName: view.name, engine, secondNode };
      });
    this.#texts = texts;
    return found;
  }
}

const engineOf = ({ engine }: NodeEngine): ServerEngine | undefined =>
  isUnknown(engine) ? undefined : serverEngine(engine);

const oneMachineText = (engine: NodeEngine): string | undefined => {
  const row = engineOf(engine);
  return row?.isOneMachine === true
    ? `a second machine would not help: ${row.name} runs a model on one machine`
    : undefined;
};

/** A type, not an interface: it forms a union with `Unknown`. */
type SecondNodeInput = {
  readonly engine: ServerEngine;
  readonly facts: ModelFacts;
  readonly own: readonly HeadroomDevice[];
  /** Devices of each other node. */
  readonly others: readonly { readonly name: string; readonly devices: readonly HeadroomDevice[] }[];
  readonly links: readonly HeadroomLink[];
};

const inputOf = (
  view: NodeView,
  serving: NodeEngine,
  { state, views, links, nowMs }: ClusterNow,
): Reported<SecondNodeInput> => {
  const { facts } = serving;
  const engine = engineOf(serving);
  if (engine === undefined) return unknown('the engine is not recognized');
  if (isUnknown(facts)) return unknown(`facts of the model are not known: ${facts.reason}`);
  if (!isConsistent(facts)) return unknown('what is reported of the model contradicts itself');
  const linked = views.filter(
    other =>
      other.nodeId !== view.nodeId &&
      links.some(({ nodes }) => nodes.includes(view.nodeId) && nodes.includes(other.nodeId)),
  );
  if (linked.length === 0)
    return unknown('no other machine is linked to it', views.length === 1 ? ALONE : undefined);
  const devicesOf = (one: NodeView): readonly HeadroomDevice[] =>
    // What is free changes each half second, and nothing is ranked by it.
    headroomDevices(one).map(({ memoryFreeBytes: _, ...device }) => ({
      ...device,
      calibrations: nodeCalibrations(state, one.nodeId, nowMs).map(({ calibration }) => ({
        calibration,
        ageMs: 0,
      })),
    }));
  const names = new Map(views.map(({ nodeId, name }) => [nodeId, name]));
  return {
    engine,
    facts: { ...facts, experts: facts.experts },
    own: devicesOf(view),
    others: linked.slice(0, OTHERS_MAX).map(other => ({ name: other.name, devices: devicesOf(other) })),
    links: headroomLinksOf(
      links.filter(({ nodes }) => nodes.includes(view.nodeId)),
      node => names.get(node) ?? node,
    ),
  };
};

const secondNodeText = ({ engine, facts, own, others, links }: SecondNodeInput): Reported<string> => {
  const answer = (devices: readonly HeadroomDevice[]): Headroom =>
    headroom(
      facts,
      devices,
      {
        engine: engine.family,
        contextTokens: CONTEXT_TOKENS,
        outputTokens: OUTPUT_TOKENS,
        batch: 1,
        cacheType: 'f16',
      },
      links,
    );
  const [alone] = answer(own).placements;
  if (alone === undefined) return unknown(`${engine.name} runs on none of its devices, as far as is known`);
  if (isUnknown(alone.decode)) return unknown(`its speed alone is not known: ${alone.decode.reason}`);
  const before = alone.decode.expectedTokensPerSecond.value;
  const together = others
    .flatMap(({ name, devices }) => {
      const { placements } = answer([...own, ...devices]);
      const [best, ...rest] = placements.filter(isOnTwo);
      const other = placements.find(one => isOn(devices, one) && fits(one));
      // What they are behind is the first one.
      const isBehindOwn = placements[0] !== undefined && isOn(own, placements[0]);
      return best === undefined ? [] : [{ name, best, rest, other, isBehindOwn }];
    })
    .toSorted((a, b) => Number(fits(b.best)) - Number(fits(a.best)) || speedOf(b.best) - speedOf(a.best));
  const isGain = ({ best, other }: (typeof together)[number]): boolean =>
    fits(best) && speedOf(best) >= GAIN_MIN * Math.max(before, other === undefined ? 0 : speedOf(other));
  const second = together.find(isGain) ?? together[0];
  if (second === undefined)
    return unknown('no link to another machine is measured, or it cannot run the model there');
  const { name, best, rest, other, isBehindOwn } = second;
  if (isUnknown(best.decode)) return unknown(`with ${name}: ${best.decode.reason}`);
  const speed = speedOf(best);
  if (!fits(alone) && fits(best))
    return `with a second machine (${name}) it would fit, at ${formatThreeDigits(speed)} tok/s`;
  const rates = (after: number): string => `${formatThreeDigits(before)} → ${formatThreeDigits(after)} tok/s`;
  if (isGain(second)) return `a second machine (${name}) would give ${rates(speed)}`;
  if (other !== undefined && speedOf(other) >= before * GAIN_MIN)
    return `a second machine would not help, but ${name} alone would give ${rates(speedOf(other))}`;
  const linked = [best, ...rest].find(one => fits(one) && 1 / secondsWithoutLinks(one) >= before * GAIN_MIN);
  const behind = isBehindOwn ? (linked ?? best).behind : '';
  const why = [linked === undefined ? '' : 'the link is the limit', behind].filter(text => text !== '');
  return `a second machine (${name}) would not help, ${rates(speed)}${why.length === 0 ? '' : `; ${why.join(': ')}`}`;
};

const isOn = (devices: readonly HeadroomDevice[], { parts }: RankedPlacement): boolean =>
  parts.every(({ device }) => devices.some(({ nodeId }) => nodeId === device.nodeId));

/** Of one step, if what crosses a cable took no time. */
const secondsWithoutLinks = ({ decode }: RankedPlacement): number => {
  if (isUnknown(decode)) return Number.POSITIVE_INFINITY;
  const { stepSeconds, exchanges } = decode;
  return exchanges
    .filter(({ each }) => each.way !== undefined)
    .reduce((seconds, { count, each }) => seconds - count * exchangeSeconds(each).value, stepSeconds.value);
};

const isOnTwo = ({ parts }: RankedPlacement): boolean =>
  new Set(parts.map(({ device }) => device.nodeId)).size > 1;

const fits = ({ fit }: RankedPlacement): boolean => fit.kind === 'fits' || fit.kind === 'tight';

const speedOf = ({ decode }: RankedPlacement): number =>
  isUnknown(decode) ? 0 : decode.expectedTokensPerSecond.value;

const ALONE = 'alone';
/** A gain below a twentieth is less than the error of the constants. */
const GAIN_MIN = 1.05;
/** As `plimsoll headroom` has without options. */
const CONTEXT_TOKENS = 4_096;
const OUTPUT_TOKENS = 256;
/** Limits in docs/limits.md. */
const ENGINES_MAX = 8;
const OTHERS_MAX = 8;
