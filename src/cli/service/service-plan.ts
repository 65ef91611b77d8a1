// Where a service of the daemon lives on this machine, and what it starts: decided once, before anything is written.

import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as v from 'valibot';
import { type Parsed, parsed, wrong } from '../../core/figure/parse-figure.ts';
import { errorCode } from '../../core/problem.ts';
import { count, type Infer } from '../../core/schema.ts';
import { showable } from '../../core/text/single-line.ts';
import { readInputText } from '../../process/input-file.ts';

type ServiceScope = 'user' | 'system';

export interface ServicePlan {
  readonly manager: 'systemd' | 'launchd';
  readonly scope: ServiceScope;
  /** As its manager calls it. */
  readonly name: string;
  /** Of the unit or the property list. */
  readonly file: string;
  readonly home: string;
  readonly command: readonly string[];
}

interface ServiceOptions {
  readonly isUser: boolean;
  /** --home; undefined: not given. */
  readonly home: string | undefined;
  /** What it would be without a service. */
  readonly usualHome: string;
}

export interface ServiceMachine {
  readonly platform: string;
  readonly userId: number | undefined;
  readonly homeDirectory: string;
  readonly configFolder: string | undefined;
  readonly nodePath: string;
  /** bin/plimsoll.js of this package. */
  readonly script: string;
}

export const servicePlan = (options: ServiceOptions, machine: ServiceMachine): Parsed<ServicePlan> => {
  const plan = planOf(options, machine);
  if (plan.kind === 'wrong') return plan;
  const { file, home, command } = plan.value;
  const odd = [file, home, ...command].find(word => showable(word) !== word);
  if (odd === undefined) return plan;
  // A line break would end a line of the unit, and what follows would be a line of its own: ExecStartPre=, for example.
  return wrong(
    `${JSON.stringify(odd)} has a control character or an invisible one`,
    'A service cannot be installed with it. Rename the folder, or use --home DIR.',
  );
};

const planOf = (options: ServiceOptions, machine: ServiceMachine): Parsed<ServicePlan> => {
  if (machine.platform !== 'linux' && machine.platform !== 'darwin')
    return wrong(
      `no service manager is known for ${machine.platform}`,
      'Linux has systemd and macOS launchd. On other systems run plimsoll up from their own service manager.',
    );
  const isMac = machine.platform === 'darwin';
  const scope: ServiceScope = options.isUser || isMac ? 'user' : 'system';
  if (scope === 'user') return parsed(isMac ? agentPlan(options, machine) : userPlan(options, machine));
  if (options.home !== undefined && options.home !== SYSTEM_HOME)
    return wrong(
      `the system's service has its home in ${SYSTEM_HOME}`,
      'It has a user of its own, who owns no other folder. For a home of yours add --user.',
    );
  const hidden = [machine.nodePath, machine.script].find(isInAHome);
  if (hidden !== undefined)
    return wrong(
      `${hidden} is in the home of a user, which a service of the system cannot see`,
      'Install Plimsoll for the machine (npm install --global as root, the .deb), or add --user.',
    );
  return parsed({
    manager: 'systemd',
    scope,
    name: UNIT,
    file: `/etc/systemd/system/${UNIT}`,
    home: SYSTEM_HOME,
    command: commandOf(machine, SYSTEM_HOME),
  });
};

const userPlan = (options: ServiceOptions, machine: ServiceMachine): ServicePlan => {
  const home = options.home ?? options.usualHome;
  const folder = machine.configFolder ?? join(machine.homeDirectory, '.config');
  return {
    manager: 'systemd',
    scope: 'user',
    name: UNIT,
    file: join(folder, 'systemd/user', UNIT),
    home,
    command: commandOf(machine, home),
  };
};

const agentPlan = (options: ServiceOptions, machine: ServiceMachine): ServicePlan => {
  const home = options.home ?? options.usualHome;
  return {
    manager: 'launchd',
    scope: 'user',
    name: LABEL,
    file: join(machine.homeDirectory, 'Library/LaunchAgents', `${LABEL}.plist`),
    home,
    command: commandOf(machine, home),
  };
};

const commandOf = ({ nodePath, script }: ServiceMachine, home: string): readonly string[] => [
  nodePath,
  script,
  'up',
  '--no-open',
  '--home',
  home,
];

/** What ProtectHome= hides. */
const isInAHome = (path: string): boolean =>
  ['/home', '/root', '/run/user'].some(folder => `${dirname(path)}/`.startsWith(`${folder}/`));

/** In the home: launchd keeps no log of its own. */
export const logFileOf = ({ home }: ServicePlan): string => join(home, 'service.log');

const UNIT = 'plimsoll.service';
const LABEL = 'dev.plimsoll.daemon';
const SYSTEM_HOME = '/var/lib/plimsoll';

// The file of a service as Plimsoll wrote it: a note in it names the home it serves, so no other file is mistaken for it.

/** A comment's text. Written so that no two dashes stand together, which would end a comment of XML. */
export const homeNote = (home: string): string =>
  `written by Plimsoll, home ${JSON.stringify(home).replaceAll('--', String.raw`-\u002d`)}`;

type InstalledService =
  | { readonly kind: 'none' }
  | { readonly kind: 'foreign' }
  | { readonly kind: 'ours'; readonly home: string };

export const installedService = async (file: string): Promise<InstalledService> => {
  let text: string;
  try {
    text = await readInputText(file, 'homeFile');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { kind: 'none' };
    throw error;
  }
  const noted = /written by Plimsoll, home ("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  if (noted === undefined) return { kind: 'foreign' };
  const home: unknown = JSON.parse(noted);
  return typeof home === 'string' ? { kind: 'ours', home } : { kind: 'foreign' };
};

/** Whether a folder is what a daemon made: nothing else is deleted. */
export const isHome = async (folder: string): Promise<boolean> => {
  for (const name of ['node-key.pem', 'journal.sqlite']) {
    try {
      if (!(await stat(join(folder, name))).isFile()) return false;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return false;
      throw error;
    }
  }
  return true;
};

// The port of what keeps a daemon running on this machine: systemd or launchd.
export interface ServiceManager {
  /** What would be written. */
  text(): Promise<string>;
  /** Whether the manager can be reached: before anything is written. @throws CommandError where it cannot. */
  check(): Promise<void>;
  /** Has it start with the machine or the session. @throws CommandError when the manager refuses what was written. */
  enable(): Promise<void>;
  /** Starts it now. @throws CommandError when it does not start; it stays enabled, and its log has the reason. */
  start(): Promise<void>;
  state(): Promise<ServiceState>;
  /** Stops it for good; the file is still there. */
  stop(): Promise<void>;
  /** After the file is gone. */
  forget(): Promise<void>;
  /** Lines of its log, the last `count` first, then as they come. */
  log(count: number, isFollowed: boolean): AsyncIterable<string>;
}

const stateEntries = {
  state: v.pipe(v.string(), v.description('In the words of the manager: "active (running)".')),
  isRunning: v.boolean(),
  startsByItself: v.boolean(),
  pid: v.optional(v.pipe(count, v.description('Missing: it does not run.'))),
  restarts: v.optional(
    v.pipe(count, v.description('By the manager, since it was started; missing: it does not count.')),
  ),
  status: v.pipe(v.string(), v.description('The status that the daemon reports; empty: none.')),
} as const;

const serviceStateSchema = v.object(stateEntries);
export type ServiceState = Infer<typeof serviceStateSchema>;

/** What `plimsoll service status --json` prints. */
export const serviceSchema = v.object({
  schema: v.literal('plimsoll.service/1'),
  manager: v.picklist(['systemd', 'launchd']),
  name: v.string(),
  scope: v.picklist(['user', 'system']),
  file: v.string(),
  home: v.string(),
  ...stateEntries,
});

export type ServiceDocument = Infer<typeof serviceSchema>;
