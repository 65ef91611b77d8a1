// What a node says durably of itself now, as facts: written again when its journal starts a new epoch, because nothing of
// the older ones is current any more.

import type { Fact } from '../../core/event.ts';
import type { NodeId } from '../../core/ids.ts';
import type { Gathered } from '../../core/node/reading.ts';
import { entriesOf } from '../../core/selectors.ts';
import type { ReadingEntry, State } from '../../core/state.ts';

export const presentFacts = (state: State, node: NodeId): readonly Fact[] => {
  const facts: Fact[] = [];
  const identity = state.nodeIdentities[node];
  if (identity !== undefined) facts.push({ kind: 'identity.gathered', payload: gathered(identity) });
  const network = state.nodeNetworks[node];
  if (network !== undefined) facts.push({ kind: 'network.gathered', payload: gathered(network) });
  const thunderbolt = state.nodeThunderbolts[node];
  if (thunderbolt !== undefined) facts.push({ kind: 'thunderbolt.gathered', payload: gathered(thunderbolt) });
  const rdmaDevices = state.nodeRdmaDevices[node];
  if (rdmaDevices !== undefined) facts.push({ kind: 'rdmaDevices.gathered', payload: gathered(rdmaDevices) });
  const config = state.nodeConfigs[node];
  if (config !== undefined) facts.push({ kind: 'config.gathered', payload: gathered(config) });
  for (const gpus of entriesOf(state.nodeGpus[node]))
    facts.push({ kind: 'gpus.gathered', payload: gathered(gpus) });
  for (const { value } of entriesOf(state.nodeGpuProfiles[node]))
    facts.push({ kind: 'gpu.profiled', payload: value });
  for (const sinks of entriesOf(state.connections[node]))
    for (const { value } of entriesOf(sinks)) facts.push({ kind: 'connection.opened', payload: value });
  for (const sinks of entriesOf(state.linkProfiles[node]))
    for (const { value } of entriesOf(sinks)) facts.push({ kind: 'link.profiled', payload: value });
  for (const { value } of entriesOf(state.nodeForgets[node]))
    facts.push({ kind: 'node.forgotten', payload: value });
  for (const { value } of entriesOf(state.runs[node]))
    facts.push({ kind: value.state === 'running' ? 'run.started' : 'run.ended', payload: value });
  return facts;
};

const gathered = <T>({ source, intervalMs, value }: ReadingEntry<T>): Gathered<T> => ({
  source,
  intervalMs,
  value,
});
