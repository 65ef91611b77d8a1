// The plan for one engine on one cluster, from its row: pure, and the same for a terminal, a file and a program.

import { knownOr } from '../unknown.ts';
import { ENGINE_ROWS } from './engine-rows.ts';
import { EngineWiring } from './engine-wiring.ts';
import type { WiredCluster, WiredEnd, WiredPath } from './wired-cluster.ts';
import { wiringFindings } from './wiring-findings.ts';
import type { WiringEngine, WiringLink, WiringPlan } from './wiring-plan.ts';

/** @param model as a person calls it; undefined: a placeholder */
export const enginePlan = (
  { nodes, pairs }: WiredCluster,
  engine: WiringEngine,
  model: string | undefined,
): WiringPlan => {
  const row = ENGINE_ROWS[engine];
  const leftOut = nodes.flatMap(node => {
    const reason = row.cannotRun(node);
    return reason === undefined ? [] : [{ name: node.name, reason }];
  });
  const running = nodes.filter(node => row.cannotRun(node) === undefined);
  const wiring = new EngineWiring(running, pairs, {
    model: model ?? 'MODEL',
    givesAddresses: row.usesCableAddresses(running.length),
  });
  const isOne = running.length < 2 && row.sendsNothing !== true;
  const files = isOne ? [] : row.files(wiring);
  return {
    engine,
    documented: row.documented,
    nodes: running.map(({ nodeId, name }, rank) => ({ nodeId, name, rank })),
    leftOut,
    links: linksOf(wiring, row.carries(wiring)),
    findings: wiringFindings(row, wiring),
    setup: wiring.addressSteps,
    files,
    start: row.start?.(files, wiring) ?? [],
    notes: isOne
      ? [`${row.title} needs at least two nodes that run it; with one there is nothing to wire.`]
      : row.notes(wiring),
  };
};

const linksOf = ({ pairs }: EngineWiring, carries: (path: WiredPath) => boolean): readonly WiringLink[] =>
  pairs.flatMap(({ nodes: [one, other], paths }): readonly WiringLink[] => {
    const path = paths.find(carries);
    if (path === undefined) return [];
    const [own, their] = path.ends;
    return [
      {
        nodes: [one.name, other.name],
        type: path.typeName,
        interfaces: [interfaceOf(own), interfaceOf(their)],
        bitsPerSecond: path.bitsPerSecond,
        roundTripNs: path.roundTripNs,
      },
    ];
  });

const interfaceOf = ({ interfaceName }: WiredEnd): string => knownOr(interfaceName, 'unknown interface');
