// What each engine needs to use the fast path: one row per engine, with the version whose documentation and source
// its settings follow, the paths that its traffic can take, and the path that it takes by itself.

import { serverEngine } from '../engine/server-engines.ts';
import { counted } from '../figure/figure.ts';
import type { NodeView } from '../node/node-view.ts';
import { knownValue } from '../node/reading-view.ts';
import { shellCommand } from '../text/shell-words.ts';
import { collectiveSettings, isAllFabric, isFabric } from './collective-settings.ts';
import type { EngineWiring } from './engine-wiring.ts';
import { comment, exported, nodeFileName, scriptText } from './environment.ts';
import {
  gpuCountOf,
  NO_SHARED,
  nodeScripts,
  rayLines,
  sglangLines,
  vendorNotes,
  vllmLines,
} from './gpu-servers.ts';
import { isThunderboltRdma, mlxHops, mlxHostFiles, rdmaHosts } from './mlx-hosts.ts';
import { type NodePair, starCentre } from './node-order.ts';
import { isPlatform, isThunderbolt, rateOf, type WiredEnd, type WiredPath } from './wired-cluster.ts';
import type { WiringEngine, WiringFile, WiringStep } from './wiring-plan.ts';

export interface EngineRow {
  readonly title: string;
  readonly documented: string;
  /** Why a node cannot run it; undefined if it can. */
  readonly cannotRun: (node: NodeView) => string | undefined;
  /** Which paths its traffic between the machines can take with the settings. */
  readonly carries: (wiring: EngineWiring) => PathTest;
  /** Which paths it takes without settings; of several the fastest. */
  readonly takesByItself: (wiring: EngineWiring) => PathTest;
  /** The nodes between which its traffic goes with the settings. Default: every two. */
  readonly joins?: (wiring: EngineWiring) => readonly NodePair[] | undefined;
  /** It can use the address of a cable between two of so many machines, which then gets one. */
  readonly usesCableAddresses: (nodeCount: number) => boolean;
  readonly usesRdma?: true;
  /** It runs over Thunderbolt, so bridges and missing cables concern it. */
  readonly usesThunderbolt?: true;
  /** Nothing goes between its machines. */
  readonly sendsNothing?: true;
  readonly files: (wiring: EngineWiring) => readonly WiringFile[];
  /** Of an engine whose files are no scripts. */
  readonly start?: (files: readonly WiringFile[], wiring: EngineWiring) => readonly WiringStep[];
  readonly notes: (wiring: EngineWiring) => readonly string[];
}

type PathTest = (path: WiredPath) => boolean;

const isSocket: PathTest = ({ kind }) => kind === 'socket';

/** Between the interfaces that settings with one interface or address for each node name. */
const sharedPaths = (wiring: EngineWiring): PathTest => {
  const names = new Map(wiring.nodes.map(node => [node, wiring.sharedEnd(node)?.interfaceName]));
  return path =>
    isSocket(path) && path.ends.every(({ node, interfaceName }) => names.get(node) === interfaceName);
};

/** NCCL and what is built on it. */
const collectivePaths = (wiring: EngineWiring): PathTest =>
  isAllFabric(wiring) ? isFabric : sharedPaths(wiring);

/**
 * The network of a machine's name and default route: Ethernet or Wi-Fi, but not a port of an RDMA adapter, and never
 * Thunderbolt. Ray, vLLM and SGLang take the address of the default route; names that people type resolve to the same.
 */
const isUsualNetwork: PathTest = ({ kind, type, ends }) =>
  kind === 'socket' && (type === 'ethernet' || type === 'wifi') && !ends.some(isOnAdapter);

const isOnAdapter = ({ node, interfaceName }: WiredEnd): boolean =>
  (knownValue(node.rdmaDevices)?.devices ?? []).some(({ ports }) =>
    ports.some(port => port.interfaceName === interfaceName),
  );

/** NCCL looks for RDMA adapters first. */
const collectiveByItself = (wiring: EngineWiring): PathTest =>
  isAllFabric(wiring) ? isFabric : isUsualNetwork;
const usualNetwork = (): PathTest => isUsualNetwork;

const always = (): boolean => true;
const never = (): boolean => false;
const ofTwo = (nodeCount: number): boolean => nodeCount === 2;

const anywhere = (): undefined => undefined;
const notOnWindows = (node: NodeView): string | undefined =>
  isPlatform(node, 'windows') ? 'it does not run on Windows' : undefined;

const needsLinuxGpu =
  (vendor?: 'nvidia' | 'amd') =>
  (node: NodeView): string | undefined => {
    if (!isPlatform(node, 'linux')) return 'it runs on Linux only';
    const name = vendor === undefined ? 'GPU' : vendor === 'amd' ? 'AMD GPU' : 'NVIDIA GPU';
    return gpuCountOf(node, vendor) === 0 ? `no ${name} is reported` : undefined;
  };

const collectiveScripts =
  (prefix: string) =>
  (wiring: EngineWiring): readonly WiringFile[] =>
    nodeScripts(wiring, prefix, node => collectiveSettings(wiring, node));

/** Where the slowest way to a server is fastest. */
const llamaMain = (wiring: EngineWiring): NodeView | undefined =>
  starCentre(wiring.nodes, (from, to) => socketRate(wiring, from, to));

const socketRate = (wiring: EngineWiring, from: NodeView, to: NodeView): number =>
  rateOf(wiring.socketRoute(from, to)?.path);

/** The nearest servers come first. */
const llamaFiles = (wiring: EngineWiring): readonly WiringFile[] => {
  const rate = (from: NodeView, to: NodeView): number => socketRate(wiring, from, to);
  const main = llamaMain(wiring);
  if (main === undefined) return [];
  const servers = wiring
    .othersThan(main)
    .toSorted((a, b) => rate(main, b) - rate(main, a))
    .map(node => ({ node, address: wiring.socketRoute(main, node)?.other.address }));
  const list = servers.flatMap(({ address }) => (address === undefined ? [] : [`${address}:${RPC_PORT}`]));
  return [
    ...servers.map(({ node, address }, rank) => ({
      name: nodeFileName('llama-rpc', rank + 1, node.name),
      nodes: [node.name],
      text: scriptText([
        address === undefined
          ? comment(`${main.name} reaches no IPv4 address of this node`)
          : shellCommand`ggml-rpc-server -H ${address} -p ${RPC_PORT} -c`,
      ]),
    })),
    {
      name: nodeFileName('llama-main', 0, main.name),
      nodes: [main.name],
      text: scriptText([
        list.length === 0
          ? comment('no server can be reached over IPv4')
          : shellCommand`llama-server -m ${wiring.model} -ngl 99 --rpc ${list.join(',')}`,
      ]),
    },
  ];
};

const mlxNotes = (wiring: EngineWiring): readonly string[] =>
  mlxHostFiles(wiring).length > 0
    ? []
    : ['No host file can be made: some neighbours in every ring have no path with IPv4 addresses.'];

const mlxStart: EngineRow['start'] = (files, { model }) =>
  files.flatMap(({ name, nodes: [on] }) => {
    if (on === undefined) return [];
    const backend = name.replace(/^mlx-/, '').replace(/\.json$/, '');
    const command = shellCommand`mlx.launch --backend ${backend} --hostfile ${name} -- python3 -m mlx_lm chat --model ${model}`;
    return [{ on, command }];
  });

const exoLines = (wiring: EngineWiring, node: NodeView): readonly string[] => {
  const types = new Set(
    wiring.othersThan(node).flatMap(other => {
      const [route] = wiring.routes(node, other, always);
      const type = route?.path.type;
      return typeof type === 'string' ? (EXO_TYPES[type] ?? []) : [];
    }),
  );
  return [
    comment('exo 1.0: no option names an interface; it finds Thunderbolt and RDMA by itself'),
    shellCommand`exo`,
    ...(types.size === 0
      ? []
      : [
          comment('exo 0.0.x, discovery over UDP:'),
          shellCommand`exo --discovery-module udp --interface-type-filter ${[...types].sort().join(',')}`,
        ]),
  ];
};

/** As exo 0.0.x calls them. */
const EXO_TYPES: Readonly<Record<string, string>> = {
  thunderbolt: 'Thunderbolt',
  ethernet: 'Ethernet',
  infiniband: 'Other',
  roce: 'Ethernet',
  wifi: 'WiFi',
};

const ollamaLines = (wiring: EngineWiring, node: NodeView): readonly string[] => {
  const address = wiring.sharedEnd(node)?.address;
  return address === undefined
    ? [comment(NO_SHARED)]
    : [exported('OLLAMA_HOST', `${address}:${serverEngine('Ollama')?.ports[0] ?? ''}`)];
};

export const ENGINE_ROWS: Readonly<Record<WiringEngine, EngineRow>> = {
  nccl: {
    title: 'NCCL',
    documented: 'NCCL 2.31.2',
    cannotRun: needsLinuxGpu('nvidia'),
    carries: collectivePaths,
    takesByItself: collectiveByItself,
    usesCableAddresses: ofTwo,
    usesRdma: true,
    files: collectiveScripts('nccl'),
    notes: () => [],
  },
  rccl: {
    title: 'RCCL',
    documented: 'RCCL of ROCm 7.1',
    cannotRun: needsLinuxGpu('amd'),
    carries: collectivePaths,
    takesByItself: collectiveByItself,
    usesCableAddresses: ofTwo,
    usesRdma: true,
    files: collectiveScripts('rccl'),
    notes: () => ['RCCL reads the names of NCCL.'],
  },
  mlx: {
    title: 'MLX',
    documented: 'MLX 0.32.4',
    cannotRun: notOnWindows,
    carries: wiring =>
      rdmaHosts(wiring) === undefined ? isSocket : path => isSocket(path) || isThunderboltRdma(path),
    takesByItself: usualNetwork,
    joins: mlxHops,
    usesCableAddresses: always,
    usesRdma: true,
    usesThunderbolt: true,
    files: mlxHostFiles,
    start: mlxStart,
    notes: mlxNotes,
  },
  'llama.cpp': {
    title: 'llama.cpp',
    documented: 'llama.cpp b11434',
    cannotRun: anywhere,
    carries: () => isSocket,
    takesByItself: usualNetwork,
    joins: wiring => {
      const main = llamaMain(wiring);
      return main === undefined ? [] : wiring.othersThan(main).map(server => [main, server]);
    },
    usesCableAddresses: always,
    files: llamaFiles,
    notes: ({ pairs }) => [
      'The RPC server has no authentication: it listens on the address of one cable or network, never on all.',
      'Until June 2026 ggml-rpc-server was called rpc-server. Both ends need the same version of llama.cpp.',
      ...(pairs.some(({ paths }) => paths.some(({ type, kind }) => kind === 'rdma' && type === 'roce'))
        ? ['Built with libibverbs, RPC uses RDMA by itself on the RoCE adapter that has the address.']
        : []),
    ],
  },
  vllm: {
    title: 'vLLM',
    documented: 'vLLM 0.33',
    cannotRun: needsLinuxGpu(),
    carries: collectivePaths,
    takesByItself: collectiveByItself,
    usesCableAddresses: ofTwo,
    usesRdma: true,
    files: wiring => nodeScripts(wiring, 'vllm', (node, rank) => vllmLines(wiring, node, rank)),
    notes: vendorNotes,
  },
  sglang: {
    title: 'SGLang',
    documented: 'SGLang 0.5',
    cannotRun: needsLinuxGpu(),
    carries: collectivePaths,
    takesByItself: collectiveByItself,
    usesCableAddresses: ofTwo,
    usesRdma: true,
    files: wiring => nodeScripts(wiring, 'sglang', (node, rank) => sglangLines(wiring, node, rank)),
    notes: vendorNotes,
  },
  exo: {
    title: 'exo',
    documented: 'exo 1.0.71',
    cannotRun: notOnWindows,
    // It has JACCL for a full mesh only.
    carries: wiring =>
      rdmaHosts(wiring)?.backend === 'jaccl' ? path => isSocket(path) || isThunderboltRdma(path) : isSocket,
    takesByItself: wiring => {
      const isMesh = rdmaHosts(wiring)?.backend === 'jaccl';
      return path => (isThunderbolt(path) && (isMesh || isSocket(path))) || isUsualNetwork(path);
    },
    usesCableAddresses: never,
    usesRdma: true,
    usesThunderbolt: true,
    files: wiring => nodeScripts(wiring, 'exo', node => exoLines(wiring, node)),
    notes: () => [
      'If exo takes Wi-Fi although a cable is there, switch Wi-Fi off on these nodes while it runs.',
    ],
  },
  ray: {
    title: 'Ray',
    documented: 'Ray 2, as the examples of vLLM start it',
    cannotRun: notOnWindows,
    carries: sharedPaths,
    takesByItself: usualNetwork,
    usesCableAddresses: ofTwo,
    files: wiring => nodeScripts(wiring, 'ray', (node, rank) => rayLines(wiring, node, rank)),
    notes: () => [],
  },
  ollama: {
    title: 'Ollama',
    documented: 'Ollama, which has no distributed mode (issue 4643)',
    cannotRun: anywhere,
    sendsNothing: true,
    carries: () => never,
    takesByItself: () => never,
    usesCableAddresses: never,
    files: wiring => nodeScripts(wiring, 'ollama', node => ollamaLines(wiring, node)),
    notes: ({ nodes }) => [
      `Ollama runs a model on one machine: ${counted(nodes.length, 'node')} serve as many copies, behind a balancer. For one model on several, use llama.cpp, MLX, exo or vLLM.`,
    ],
  },
};

const RPC_PORT = 50_052;
