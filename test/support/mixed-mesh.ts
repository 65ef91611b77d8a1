// Daemons of the pinned version and of this one in one mesh: real processes, TLS on loopback, peers named by address, no
// beacons.

import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type HostPort, parseHostPort } from '../../src/core/address/host-port.ts';
import { type NodeId, nodeId } from '../../src/core/ids.ts';
import type { State } from '../../src/core/state.ts';
import { type ClusterKey, makeClusterKey } from '../../src/mesh/key/cluster-key.ts';
import { clusterKeyPath, createClusterKeyFile } from '../../src/mesh/key/key-file.ts';
import { decodeMeshStatus, type MeshStatus } from '../../src/wire/mesh-status.ts';
import { requireBuild } from './build.ts';
import { FutureNode } from './future-node.ts';
import { type PinnedProgram, pinnedProgram } from './pinned-program.ts';
import { repositoryRoot } from './repository.ts';
import { type RunningDaemon, runDaemon } from './running-daemon.ts';
import { whenState } from './streamed-state.ts';
import { type TemporaryDirectory, temporaryDirectory } from './temporary-directory.ts';

export type Which = 'pinned' | 'head';

export interface MixedNode extends AsyncDisposable {
  readonly id: NodeId;
  readonly home: string;
  /** Where others dial it. */
  readonly address: HostPort;
  /** Once its stream shows it. */
  when(isSo: (state: State) => boolean): Promise<State>;
  status(): Promise<Extract<MeshStatus, { kind: 'on' }>>;
  /** What it printed, its notices among it. */
  output(): string;
  /** By SIGTERM. @throws Error with what it printed where it ends by an error. */
  stop(): Promise<void>;
}

export class MixedMesh implements AsyncDisposable {
  readonly #key: ClusterKey = makeClusterKey();
  readonly #folder: TemporaryDirectory = temporaryDirectory();
  readonly #program: PinnedProgram = pinnedProgram();
  readonly #running: AsyncDisposable[] = [];

  constructor() {
    requireBuild();
  }

  /** @param name of the node and of its home, which a second start finds again. */
  async start(
    which: Which,
    name: string,
    peers: readonly { readonly address: HostPort }[] = [],
  ): Promise<MixedNode> {
    const home = join(this.#folder.path, name);
    mkdirSync(home, { recursive: true, mode: 0o700 });
    await createClusterKeyFile(clusterKeyPath(home), this.#key);
    const [node, program] = this.#command(which);
    const named = peers.flatMap(({ address }) => ['--peer', `${address.host}:${address.port}`]);
    const daemon = await runDaemon({
      command: [node, program, 'up'],
      args: ['--name', name, '--mesh', '127.0.0.1:0', '--discovery', 'off', ...named],
      home,
    });
    this.#running.push(daemon);
    return await mixedNode(daemon);
  }

  /** What a command of that version prints. @throws Error where it does not end with 0. */
  async print(which: Which, args: readonly string[]): Promise<string> {
    const [node, program] = this.#command(which);
    return (await promisify(execFile)(node, [program, ...args])).stdout;
  }

  /** A node of a version to come, linked to one of these. */
  async future(peer: MixedNode): Promise<FutureNode> {
    const node = await FutureNode.join(this.#key, peer.address);
    this.#running.push(node);
    return node;
  }

  homeOf(name: string): string {
    return join(this.#folder.path, name);
  }

  #command(which: Which): readonly [string, string] {
    return which === 'pinned'
      ? this.#program.command
      : [process.execPath, join(repositoryRoot, 'bin/plimsoll.js')];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#running.map(one => one[Symbol.asyncDispose]()));
    this.#program[Symbol.dispose]();
    this.#folder[Symbol.dispose]();
  }
}

const mixedNode = async (daemon: RunningDaemon): Promise<MixedNode> => {
  const status = async () => {
    const told = decodeMeshStatus(await answerOf(`${daemon.url}/api/mesh`));
    if (told?.kind !== 'on') throw new Error(`it has no mesh: ${daemon.output()}`);
    return told;
  };
  const { listensOn } = await status();
  const address = parseHostPort(listensOn);
  if (address.kind === 'wrong') throw new Error(`it listens on ${listensOn}`);
  const file: { readonly nodeId: string } = JSON.parse(
    readFileSync(join(daemon.home, 'daemon.json'), 'utf8'),
  );
  return {
    id: nodeId(file.nodeId),
    home: daemon.home,
    address: address.value,
    when: isSo => whenState(daemon.url, isSo),
    status,
    output: () => daemon.output(),
    stop: async () => {
      const code = await daemon.stop();
      if (code !== 0) throw new Error(`it ended with ${code}: ${daemon.output()}`);
    },
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  };
};

const answerOf = async (url: string): Promise<unknown> => (await fetch(url)).json();
