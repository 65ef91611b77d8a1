// `plimsoll fleet init|add|revoke|apply|id|status`: the server of a fleet as files, who may use it, and how it does.

import { resolve } from 'node:path';
import { createUser } from '@nats-io/nkeys';
import { systemClock } from '../../clock/system-clock.ts';
import { counted } from '../../core/figure/figure.ts';
import { isNodeId, type NodeId } from '../../core/ids.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { jsonLines } from '../../core/text/single-line.ts';
import { openNodeKey } from '../../daemon/node-key.ts';
import type { FleetDocument } from '../../mesh/nats/examine-fleet.ts';
import { applyFleetStreams, FLEET_STREAM_DEFAULTS, purgeNode } from '../../mesh/nats/fleet-streams.ts';
import {
  causeOf,
  connectToFleet,
  type FleetConnecting,
  type FleetServer,
  isBefore,
} from '../../mesh/nats/server-connection.ts';
import { listWriters, removeMisdirected } from '../../mesh/nats/state-streams.ts';
import { type Command, type CommandArgument, homeOption, type Invocation, jsonOption } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import {
  ADMIN_FILE,
  createFleetFolder,
  type FleetFolder,
  readAdministrator,
  readFleetFolder,
  renewUsers,
  streamsOf,
  writeCredentials,
  writeFleetFolder,
} from '../fleet/fleet-folder.ts';
import {
  fleetCaOption,
  fleetCertOption,
  fleetClusterOption,
  fleetKeyOption,
  fleetListenOption,
  fleetNameOption,
  fleetOldOption,
  fleetReplicasOption,
  fleetServerOption,
} from '../fleet/fleet-options.ts';
import { examineOwnFleet } from '../fleet/own-fleet.ts';
import type { ProcessState } from '../process-state.ts';
import { homePath, openKeyHome, print } from './key-home.ts';

const DIR: CommandArgument = { name: 'DIR', meaning: 'The folder of the fleet.', isRequired: true };

const fleetInitCommand: Command = {
  name: 'fleet init',
  summary: 'Write the files of a new fleet: its server, its streams, its administrator',
  description:
    'Creates DIR with nats-server.conf, users.conf, streams.json and the credentials of the administrator. Nothing is started.',
  arguments: [DIR],
  options: [
    fleetClusterOption,
    fleetServerOption,
    fleetListenOption,
    fleetCertOption,
    fleetKeyOption,
    fleetOldOption,
    fleetReplicasOption,
    homeOption,
  ],
  examples: [
    {
      line: 'plimsoll fleet init fleet --server tls://nats.example.net:4222 --cert cert.pem --key key.pem',
      meaning: 'on the machine from which you administer the fleet',
    },
  ],
  run: async (invocation, state) => {
    const path = folderOf(invocation, state);
    const [certificate, key] = [invocation.option(fleetCertOption), invocation.option(fleetKeyOption)];
    if ((certificate === undefined) !== (key === undefined))
      throw new CommandError('usage', '--cert and --key belong together', 'Give both, or neither.');
    const administrator = createUser();
    const given = invocation.option(fleetServerOption);
    const listen = invocation.option(fleetListenOption) ?? '0.0.0.0:4222';
    const servers =
      given.length > 0 ? given : [`${certificate === undefined ? 'nats' : 'tls'}://127.0.0.1:4222`];
    await createFleetFolder(path, {
      cluster: invocation.option(fleetClusterOption) ?? 'plimsoll',
      listen,
      tls: certificate === undefined || key === undefined ? undefined : { certificate, key },
      isHandshakeFirst: !invocation.option(fleetOldOption),
      administrator: administrator.getPublicKey(),
      servers,
      streams: {
        ...FLEET_STREAM_DEFAULTS,
        replicas: invocation.option(fleetReplicasOption) ?? FLEET_STREAM_DEFAULTS.replicas,
      },
      nodes: [],
    });
    await writeCredentials(path, ADMIN_FILE, new TextDecoder().decode(administrator.getSeed()));
    await print(state, [
      `The fleet is in ${path}.`,
      ...(certificate === undefined
        ? [
            'It has no TLS: messages are sealed, but anyone on the network can see which node sends, and when (--cert, --key).',
          ]
        : []),
      `Start its server there: nats-server -c nats-server.conf`,
      `Then create the streams: ${shellCommand`plimsoll fleet apply ${path}`}`,
      `Then add each machine by what plimsoll fleet id prints on it: ${shellCommand`plimsoll fleet add ${path} ID --name NAME`}`,
      `When machines were added, create their streams: ${shellCommand`plimsoll fleet apply ${path}`}`,
    ]);
    return EXIT_CODES.ok.code;
  },
};

const fleetAddCommand: Command = {
  name: 'fleet add',
  summary: 'Let a machine use the fleet, and write its credentials',
  description:
    'Writes DIR/nodes/NAME.nkey, which may publish only under the id of that machine, and adds it to users.conf. If the machine has credentials, they are replaced.',
  arguments: [
    DIR,
    { name: 'ID', meaning: 'What plimsoll fleet id prints on the machine.', isRequired: true },
  ],
  options: [fleetNameOption, homeOption],
  examples: [
    {
      line: 'plimsoll fleet add fleet 72asyextvngonlc5w2nmguxzay --name atlas',
      meaning: 'then copy fleet/nodes/atlas.nkey to its home',
    },
  ],
  run: async (invocation, state) => {
    const path = folderOf(invocation, state);
    const id = invocation.arguments[1];
    if (!isNodeId(id))
      throw new CommandError(
        'usage',
        `${JSON.stringify(id)} is not the id of a node`,
        'It has 26 letters and digits; on the machine run: plimsoll fleet id',
      );
    const folder = await readFleetFolder(path);
    const user = createUser();
    const former = folder.nodes.find(({ nodeId }) => nodeId === id);
    const name = invocation.option(fleetNameOption) ?? former?.name ?? id.slice(0, 8);
    if (folder.nodes.some(node => node.name === name && node.nodeId !== id))
      throw new CommandError('fleet', `${name} is another node of this fleet`, 'Choose another --name.');
    const file = await writeCredentials(
      path,
      `nodes/${name}.nkey`,
      `# ${name}, node ${id}, of the fleet ${folder.cluster}\n${new TextDecoder().decode(user.getSeed())}`,
    );
    const others = folder.nodes.filter(({ nodeId }) => nodeId !== id);
    await writeFleetFolder(path, {
      ...folder,
      nodes: [...others, { name, nodeId: id, nkey: user.getPublicKey() }],
    });
    await print(state, [
      `${name} may use the fleet once the server has reloaded: nats-server --signal reload`,
      `Create the stream for its last values: ${shellCommand`plimsoll fleet apply ${path}`}`,
      `Copy ${file} to its home as fleet.nkey, and write there into config.toml:`,
      '',
      '[fleet]',
      `servers = [${folder.servers.map(server => JSON.stringify(server)).join(', ')}]`,
      `cluster = ${JSON.stringify(folder.cluster)}`,
      'credentials = "fleet.nkey"',
    ]);
    return EXIT_CODES.ok.code;
  },
};

const fleetRevokeCommand: Command = {
  name: 'fleet revoke',
  summary: 'Revoke the access of a machine to the fleet',
  description:
    'Removes it from users.conf, and its values from the server, which closes its connection on reload. It keeps the cluster key; to replace that: plimsoll key rotate.',
  arguments: [DIR, { name: 'NODE', meaning: 'Its name or id.', isRequired: true }],
  options: [fleetServerOption, fleetCaOption, homeOption],
  examples: [{ line: 'plimsoll fleet revoke fleet atlas', meaning: 'then reload the server' }],
  run: async (invocation, state) => {
    const path = folderOf(invocation, state);
    const requested = invocation.arguments[1] ?? '';
    const folder = await readFleetFolder(path);
    const node = folder.nodes.find(({ name, nodeId }) => name === requested || nodeId === requested);
    if (node === undefined)
      throw new CommandError(
        'fleet',
        `no node of the fleet is called ${JSON.stringify(requested)}`,
        `There are: ${folder.nodes.map(({ name }) => name).join(', ') || 'none'}.`,
      );
    const remaining = { ...folder, nodes: folder.nodes.filter(one => one !== node) };
    await writeFleetFolder(path, remaining);
    const purged = await purgedBy(
      () => asAdministrator(invocation, state, remaining),
      folder.cluster,
      node.nodeId,
    );
    await print(state, [
      `${node.name} can no longer use the fleet once the server has reloaded: nats-server --signal reload`,
      ...(purged.kind === 'purged'
        ? [
            `What ${node.name} (${node.nodeId}) wrote was removed from the server. After the reload, once more: ${shellCommand`plimsoll fleet apply ${path}`}`,
          ]
        : [
            `What ${node.name} (${node.nodeId}) wrote is still on the server: ${purged.reason}`,
            `Remove it when the server is reachable and has reloaded: ${shellCommand`plimsoll fleet apply ${path}`}`,
          ]),
      'It still has the cluster key. If it must not read what is sealed with it: plimsoll key rotate',
    ]);
    return EXIT_CODES.ok.code;
  },
};

const fleetApplyCommand: Command = {
  name: 'fleet apply',
  summary: 'Create the streams of a fleet on its server, or change them to what fleet.json says',
  description:
    'With the credentials of the administrator in DIR. Changes nothing if everything is in order. Writes users.conf again if its permissions differ from what this version writes, and removes what nodes wrote that were revoked, and replies of the server that somebody had stored as last values of a node.',
  arguments: [DIR],
  options: [fleetServerOption, fleetCaOption, homeOption],
  examples: [{ line: 'plimsoll fleet apply fleet', meaning: 'when its server runs' }],
  run: async (invocation, state) => {
    const path = folderOf(invocation, state);
    const folder = await readFleetFolder(path);
    const connecting = await asAdministrator(invocation, state, folder);
    if (connecting.kind === 'failed')
      throw new CommandError('fleet', connecting.problem.problem, connecting.problem.advice);
    const { connection, manager } = connecting.server;
    try {
      const hasNewUsers = await renewUsers(path, folder);
      const version = connection.info?.version ?? '0.0';
      const streams = streamsOf(folder, !isBefore(version, 2, 11));
      const created = await applyFleetStreams(manager, streams);
      const purged = await purgeRevoked(connecting.server, folder);
      const nodes = folder.nodes.map(({ nodeId }) => nodeId);
      const cleaned = await removeMisdirected(connecting.server, { cluster: folder.cluster, nodes });
      await print(state, [
        ...streams.map(
          ({ name }) => `${name} ${created.includes(name) ? 'was created' : 'is as it should be'}.`,
        ),
        ...purged.map(node => `What ${node} wrote was removed: it is not a node of this fleet.`),
        ...cleaned.map(
          node => `Replies of the server that somebody had stored as last values of ${node} were removed.`,
        ),
        ...(hasNewUsers
          ? ['users.conf was replaced: copy it to the server, then nats-server --signal reload']
          : []),
      ]);
      return EXIT_CODES.ok.code;
    } catch (error) {
      if (error instanceof CommandError) throw error;
      throw new CommandError(
        'fleet',
        `The server did not accept the streams: ${causeOf(error)}`,
        'Its disk or the limits of the account may be too small: nats-server.conf, jetstream.',
        { cause: error },
      );
    } finally {
      await connection.close();
    }
  },
};

/** With the credentials in the folder. */
const asAdministrator = async (
  invocation: Invocation,
  state: ProcessState,
  folder: FleetFolder,
): Promise<FleetConnecting> => {
  const given = invocation.option(fleetServerOption);
  const ca = invocation.option(fleetCaOption);
  return await connectToFleet({
    servers: given.length > 0 ? given : folder.servers,
    credentials: await readAdministrator(folderOf(invocation, state)),
    caFile: ca === undefined ? undefined : resolve(state.cwd, ca),
    isHandshakeFirst: folder.isHandshakeFirst,
    clock: systemClock,
    name: 'plimsoll fleet',
    inboxPrefix: '_INBOX',
  });
};

/** What one node wrote. */
const purgedBy = async (
  connect: () => Promise<FleetConnecting>,
  cluster: string,
  node: NodeId,
): Promise<{ readonly kind: 'purged' } | { readonly kind: 'kept'; readonly reason: string }> => {
  let connecting: FleetConnecting;
  try {
    connecting = await connect();
  } catch (error) {
    // The credentials of the administrator are missing: the node is revoked all the same.
    if (error instanceof CommandError) return { kind: 'kept', reason: error.message };
    throw error;
  }
  if (connecting.kind === 'failed') return { kind: 'kept', reason: connecting.problem.problem };
  const { connection, manager } = connecting.server;
  try {
    await purgeNode(manager, { cluster, node });
    return { kind: 'purged' };
  } catch (error) {
    return { kind: 'kept', reason: causeOf(error) };
  } finally {
    await connection.close();
  }
};

/** What nodes wrote that are not of the fleet any more. @returns them. */
const purgeRevoked = async (
  server: FleetServer,
  { cluster, nodes }: FleetFolder,
): Promise<readonly NodeId[]> => {
  const own = new Set(nodes.map(({ nodeId }) => nodeId));
  const purged: NodeId[] = [];
  for (const node of await listWriters(server, cluster))
    if (!own.has(node) && (await purgeNode(server.manager, { cluster, node }))) purged.push(node);
  return purged;
};

const fleetIdCommand: Command = {
  name: 'fleet id',
  summary: 'Print the id of this machine',
  description: 'Creates the identity of the home if there is none yet.',
  arguments: [],
  options: [homeOption],
  examples: [{ line: 'plimsoll fleet id', meaning: 'for plimsoll fleet add, on the administering machine' }],
  run: async (invocation, state) => {
    const { nodeId } = await openNodeKey(await openKeyHome(invocation, state));
    await state.stdout.write(`${nodeId}\n`);
    return EXIT_CODES.ok.code;
  },
};

const fleetStatusCommand: Command = {
  name: 'fleet status',
  summary: 'Show whether the server of the fleet works for this machine',
  description:
    'Connects with the credentials of this home and changes nothing. Exits with 33 if something is wrong.',
  arguments: [],
  options: [homeOption, jsonOption],
  prints: ['fleet'],
  examples: [
    { line: 'plimsoll fleet status', meaning: 'the server, its streams, and what is wrong with them' },
  ],
  run: async (invocation, state) => {
    const fleet = await examineOwnFleet(homePath(invocation, state));
    if (fleet.kind === 'none') throw new CommandError('fleet', fleet.reason, 'See docs/fleet.md.');
    const { cluster, servers, examination } = fleet;
    const isWell = examination.problems.length === 0;
    if (invocation.option(jsonOption)) {
      const document: FleetDocument = { schema: 'plimsoll.fleet/1', cluster, servers, ...examination };
      await state.stdout.write(jsonLines(document));
      return isWell ? EXIT_CODES.ok.code : EXIT_CODES.fleet.code;
    }
    const { server, streams, problems, notes } = examination;
    await print(state, [
      `Cluster ${cluster} at ${servers.join(', ')}`,
      ...(server === undefined
        ? []
        : [`nats-server ${server.version} at ${server.address}, ${server.roundTripMs.toFixed(1)} ms away`]),
      ...streams.map(
        ({ name, messages, bytes, replicas }) =>
          `${name}: ${counted(messages, 'message')}, ${(bytes / 1e6).toFixed(1)} MB, held by ${counted(replicas, 'server')}`,
      ),
      ...problems.flatMap(({ problem, advice }) => ['', `WRONG: ${problem}`, advice]),
      ...notes.flatMap(({ problem, advice }) => ['', `Note: ${problem}`, advice]),
    ]);
    return isWell ? EXIT_CODES.ok.code : EXIT_CODES.fleet.code;
  },
};

const folderOf = (invocation: Invocation, state: ProcessState): string =>
  resolve(state.cwd, invocation.arguments[0] ?? '.');

export const FLEET_COMMANDS: readonly Command[] = [
  fleetInitCommand,
  fleetIdCommand,
  fleetAddCommand,
  fleetRevokeCommand,
  fleetApplyCommand,
  fleetStatusCommand,
];
