// Where a service of the daemon lives on this machine, and what it starts: decided once, before anything is written.

import { dirname, join } from 'node:path';
import { type Parsed, parsed, wrong } from '../../core/figure/parse-figure.ts';
import { showable } from '../../core/text/single-line.ts';

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
