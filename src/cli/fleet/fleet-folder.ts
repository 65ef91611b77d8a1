// The folder of a fleet, on the machine of its administrator: fleet.json with the settings and the members, and the files made
// from it, for the server and for nodes. Credentials are readable only by their owner.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { errorCode } from '../../core/problem.ts';
import { nodeIdSchema } from '../../core/schema.ts';
import { jsonLines } from '../../core/text/single-line.ts';
import { looseJson } from '../../gather/loose-json.ts';
import {
  type FleetStreamConfig,
  type FleetStreamSettings,
  fleetStreams,
} from '../../mesh/nats/fleet-streams.ts';
import { CLUSTER_NAME } from '../../mesh/nats/fleet-subjects.ts';
import {
  type FleetServerSettings,
  type FleetUser,
  serverConfig,
  usersConfig,
} from '../../mesh/nats/server-files.ts';
import { type AtomicFileOptions, makeMissingFolder, writeFileAtomic } from '../../process/atomic-file.ts';
import { diskReason } from '../../process/disk-reason.ts';
import { readInputText } from '../../process/input-file.ts';
import { CommandError } from '../command-error.ts';

export interface FleetFolder extends FleetServerSettings {
  /** What nodes put into config.toml. */
  readonly servers: readonly string[];
  readonly streams: FleetStreamSettings;
  readonly nodes: readonly FleetUser[];
}

export const ADMIN_FILE = 'admin.nkey';

/** @throws CommandError `fleet` for a folder that is none, or of a newer version. */
export const readFleetFolder = async (path: string): Promise<FleetFolder> => {
  const text = await readIn(path, FLEET_FILE);
  if (text === undefined)
    throw new CommandError(
      'fleet',
      `${path} is not the folder of a fleet`,
      'Create one with: plimsoll fleet init DIR',
    );
  const parsed = v.safeParse(FLEET, looseJson(text));
  if (!parsed.success)
    throw new CommandError(
      'fleet',
      `${join(path, FLEET_FILE)} is damaged, or of a newer version`,
      'Restore it from a backup, or start again: plimsoll fleet init DIR',
    );
  const { version: _, tls, ...folder } = parsed.output;
  return { ...folder, tls };
};

/** @throws CommandError where there is a fleet already. */
export const createFleetFolder = async (path: string, folder: FleetFolder): Promise<void> => {
  if ((await readIn(path, FLEET_FILE)) !== undefined)
    throw new CommandError(
      'fleet',
      `${path} has a fleet already, and was not changed`,
      'Choose another folder, or add nodes to it: plimsoll fleet add DIR ID',
    );
  try {
    if (!(await makeMissingFolder(path)) && !(await stat(path)).isDirectory())
      throw cannotWrite(path, 'a file is in its place');
    await makeMissingFolder(join(path, 'nodes'));
  } catch (error) {
    throw asRefusal(path, error);
  }
  await write(join(path, SERVER_FILE), serverConfig(folder), READABLE);
  await writeFleetFolder(path, folder);
};

/** Permissions as this version writes them. @returns whether they were others. */
export const renewUsers = async (path: string, folder: FleetFolder): Promise<boolean> => {
  const users = usersConfig(folder, folder.nodes);
  if ((await readIn(path, USERS_FILE)) === users) return false;
  await write(join(path, USERS_FILE), users, READABLE);
  return true;
};

/** As `fleet apply` creates them. */
export const streamsOf = (folder: FleetFolder, hasMessageTtl: boolean): readonly FleetStreamConfig[] => {
  const { cluster, nodes, streams } = folder;
  return fleetStreams({ ...streams, cluster, nodes: nodes.map(({ nodeId }) => nodeId), hasMessageTtl });
};

/** Users last: a server that reloads between the two still has the former ones. */
export const writeFleetFolder = async (path: string, folder: FleetFolder): Promise<void> => {
  const streams = streamsOf(folder, false);
  await write(join(path, 'streams.json'), jsonLines(streams));
  await write(join(path, FLEET_FILE), jsonLines({ version: 1, ...folder }));
  await write(join(path, USERS_FILE), usersConfig(folder, folder.nodes), READABLE);
};

/** @returns where it is. */
export const writeCredentials = async (path: string, name: string, seed: string): Promise<string> => {
  const file = join(path, name);
  await write(file, `${seed}\n`);
  return file;
};

export const readAdministrator = async (path: string): Promise<string> => {
  const text = await readIn(path, ADMIN_FILE);
  if (text !== undefined) return text;
  throw new CommandError(
    'fleet',
    `${join(path, ADMIN_FILE)} is not there`,
    'Restore it from a backup; without it streams cannot be changed.',
  );
};

const write = async (file: string, text: string, options?: AtomicFileOptions): Promise<void> => {
  try {
    await writeFileAtomic(file, text, options);
  } catch (error) {
    throw asRefusal(file, error);
  }
};

const asRefusal = (path: string, error: unknown): unknown =>
  errorCode(error) === undefined ? error : cannotWrite(path, diskReason(error), error);

const cannotWrite = (path: string, reason: string, cause?: unknown): CommandError =>
  new CommandError(
    'fleet',
    `${path} cannot be written: ${reason}`,
    'Choose a folder that you can write to: plimsoll fleet init DIR',
    { cause },
  );

const readIn = async (path: string, name: string): Promise<string | undefined> => {
  try {
    return await readInputText(join(path, name), 'homeFile');
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === undefined) throw error;
    throw new CommandError(
      'fleet',
      `${join(path, name)} cannot be read (${code})`,
      'Run as the user who owns the folder.',
      { cause: error },
    );
  }
};

/** No secret is in them, and a server runs as another user. */
const READABLE = { mode: 0o644 };
const FLEET_FILE = 'fleet.json';
const USERS_FILE = 'users.conf';
const SERVER_FILE = 'nats-server.conf';
const FLEET = v.object({
  version: v.literal(1),
  cluster: v.pipe(v.string(), v.regex(CLUSTER_NAME)),
  listen: v.string(),
  tls: v.optional(v.object({ certificate: v.string(), key: v.string() })),
  isHandshakeFirst: v.boolean(),
  administrator: v.string(),
  servers: v.array(v.string()),
  streams: v.object({
    replicas: v.number(),
    eventBytesMax: v.number(),
    eventDaysMax: v.number(),
  }),
  nodes: v.array(v.object({ name: v.string(), nodeId: nodeIdSchema, nkey: v.string() })),
});
