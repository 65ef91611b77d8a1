// Start commands of engines that spread one model over the GPUs of several machines: Ray, vLLM and SGLang. Each node has
// a script of its own, because interfaces have other names on other machines.

import { minimumOf } from '../extremes.ts';
import type { NodeView } from '../node/node-view.ts';
import { shellCommand } from '../text/shell-words.ts';
import { collectiveSettings } from './collective-settings.ts';
import type { EngineWiring } from './engine-wiring.ts';
import { comment, exported, nodeFileName, scriptText, variableOf } from './environment.ts';
import type { WiringFile } from './wiring-plan.ts';

export const gpuCountOf = (node: NodeView, vendor?: 'nvidia' | 'amd'): number =>
  node.gpus
    .filter(one => vendor === undefined || one.vendor === vendor)
    .reduce((sum, { devices }) => sum + devices.length, 0);

/** NCCL and RCCL do not work together. */
export const vendorNotes = ({ nodes }: EngineWiring): readonly string[] => {
  const vendors = new Set(nodes.flatMap(({ gpus }) => gpus.map(({ vendor }) => vendor)));
  return vendors.size < 2
    ? []
    : ['These nodes have GPUs of several vendors, which cannot run one model together: choose with --nodes.'];
};

/** One script for each node, in the order of ranks. */
export const nodeScripts = (
  { nodes }: EngineWiring,
  prefix: string,
  linesOf: (node: NodeView, rank: number) => readonly string[],
): readonly WiringFile[] =>
  nodes.map((node, rank) => ({
    name: nodeFileName(prefix, rank, node.name),
    nodes: [node.name],
    text: scriptText(linesOf(node, rank)),
  }));

export const rayLines = (wiring: EngineWiring, node: NodeView, rank: number): readonly string[] => {
  const address = wiring.sharedEnd(node)?.address;
  if (address === undefined) return [comment(NO_SHARED)];
  return [
    rank === 0
      ? shellCommand`ray start --head --node-ip-address=${address} --port=${RAY_PORT}`
      : shellCommand`ray start --address=${headAddress(wiring, RAY_PORT)} --node-ip-address=${address}`,
  ];
};

export const vllmLines = (wiring: EngineWiring, node: NodeView, rank: number): readonly string[] => {
  const address = wiring.sharedEnd(node)?.address;
  const settings = [
    ...(address === undefined ? [] : [exported('VLLM_HOST_IP', address)]),
    ...collectiveSettings(wiring, node),
    ...rayLines(wiring, node, rank),
  ];
  return rank > 0 ? settings : [...settings, ...vllmServeLines(wiring)];
};

/**
 * The process that serves copies its variables of NCCL and UCX to the workers of all nodes (vllm/ray/ray_env.py), whose
 * interfaces may have other names: it gets none of these, and each worker has those of its own `ray start`.
 */
const vllmServeLines = (wiring: EngineWiring): readonly string[] => {
  const { nodes, model } = wiring;
  const counts = nodes.map(node => gpuCountOf(node));
  const isEven = new Set(counts).size === 1;
  const tensor = isEven ? (counts[0] ?? 1) : 1;
  const pipeline = isEven ? nodes.length : counts.reduce((sum, count) => sum + count, 0);
  const names = differingNames(nodes.map(node => collectiveSettings(wiring, node)));
  const serve = shellCommand`vllm serve ${model} --tensor-parallel-size ${tensor} --pipeline-parallel-size ${pipeline} --distributed-executor-backend ray`;
  return [
    comment('when every node has joined:'),
    ...(names.length === 0
      ? [serve]
      : [
          comment(
            `without ${names.join(', ')}, which vLLM would copy from here to nodes on which they differ`,
          ),
          `${shellCommand`env ${names.flatMap(name => ['-u', name])}`} ${serve}`,
        ]),
  ];
};

/** Of variables, those that have another value on another node. */
const differingNames = (settings: readonly (readonly string[])[]): readonly string[] => {
  const lines = settings.flat();
  const names = new Set(lines.flatMap(line => variableOf(line) ?? []));
  return [...names].filter(name => {
    const values = lines.filter(line => variableOf(line) === name);
    return new Set(values).size > 1 || values.length < settings.length;
  });
};

/** As many GPUs of each node as the smallest has: SGLang has no other layout over several nodes. */
export const sglangLines = (wiring: EngineWiring, node: NodeView, rank: number): readonly string[] => {
  const { nodes, model } = wiring;
  const address = wiring.sharedEnd(node)?.address;
  const tensor = minimumOf(nodes.map(one => gpuCountOf(one)));
  return [
    // Without it, SGLang publishes the address of the default route.
    ...(address === undefined ? [] : [exported('SGLANG_HOST_IP', address)]),
    ...collectiveSettings(wiring, node),
    shellCommand`python3 -m sglang.launch_server --model-path ${model} --tp ${tensor} --pp-size ${nodes.length} --dist-init-addr ${headAddress(wiring, SGLANG_PORT)} --nnodes ${nodes.length} --node-rank ${rank}`,
  ];
};

/** A placeholder if none is known: the head's own script has the reason. */
const headAddress = (wiring: EngineWiring, port: number): string => {
  const [head] = wiring.nodes;
  const address = head === undefined ? undefined : wiring.sharedEnd(head)?.address;
  return `${address ?? 'HEAD_ADDRESS'}:${port}`;
};

export const NO_SHARED =
  'no interface of this node reaches every other one over IPv4: give each an address of one network';
const RAY_PORT = 6_379;
const SGLANG_PORT = 20_000;
