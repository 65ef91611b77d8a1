// systemd, by systemctl and journalctl: of the machine, or of the user's session.

import { access } from 'node:fs/promises';
import { shellCommand } from '../../core/text/shell-words.ts';
import { type Env, runTool, streamLines } from '../../process/child.ts';
import { readInputText } from '../../process/input-file.ts';
import { CommandError } from '../command-error.ts';
import { homeNote, type ServiceManager, type ServicePlan } from './service-plan.ts';

export interface ManagerTools {
  readonly env: Env;
  readonly signal: AbortSignal;
}

export const systemdManager = (plan: ServicePlan, { env, signal }: ManagerTools): ServiceManager => {
  const scope = plan.scope === 'user' ? ['--user'] : [];
  const systemctl = async (...args: readonly string[]): Promise<string> => {
    const ran = await runTool('systemctl', [...scope, ...args], { env, signal, timeoutMs: TIMEOUT_MS });
    if (ran.kind === 'exited' && ran.code === 0) return ran.stdout;
    const why = ran.kind === 'exited' ? ran.stderr.trim() : ran.reason;
    const command = ['systemctl', ...scope, args[0]].join(' ');
    throw new CommandError('service', `${command}: ${why}`, adviceFor(why, plan));
  };
  return {
    text: async () =>
      systemdUnit(plan, {
        supplementaryGroups: await groupsHere(),
        hasRdma: await exists('/sys/class/infiniband'),
      }),
    check: async () => void (await systemctl('show', '--property=Version')),
    enable: async () => {
      await systemctl('daemon-reload');
      await systemctl('enable', plan.name);
    },
    // Type=notify: it returns when the daemon reports that it is ready.
    start: async () => void (await systemctl('restart', plan.name)),
    state: async () => {
      const reported = new Map(
        (await systemctl('show', plan.name, `--property=${PROPERTIES.join(',')}`))
          .split('\n')
          .map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
      );
      const pid = Number(reported.get('MainPID'));
      // systemd before 235 does not count them.
      const restarts = Number(reported.get('NRestarts'));
      return {
        state: `${reported.get('ActiveState')} (${reported.get('SubState')})`,
        isRunning: reported.get('ActiveState') === 'active',
        startsByItself: reported.get('UnitFileState') === 'enabled',
        pid: pid > 0 ? pid : undefined,
        restarts: Number.isSafeInteger(restarts) ? restarts : undefined,
        status: reported.get('StatusText') ?? '',
      };
    },
    stop: async () => void (await systemctl('disable', '--now', plan.name)),
    forget: async () => void (await systemctl('daemon-reload')),
    log: (count, isFollowed) =>
      streamLines(
        'journalctl',
        [
          ...scope,
          `--unit=${plan.name}`,
          `--lines=${count}`,
          '--no-pager',
          ...(isFollowed ? ['--follow'] : []),
        ],
        { env, signal, idleTimeoutMs: isFollowed ? Number.POSITIVE_INFINITY : TIMEOUT_MS },
      ),
  };
};

const adviceFor = (why: string, { scope, name }: ServicePlan): string => {
  if (/not installed/.test(why))
    return 'This machine has no systemd. Run plimsoll up from its own init system.';
  if (/connect to (the )?bus|not been booted|DBUS_SESSION_BUS_ADDRESS/i.test(why))
    return scope === 'user'
      ? 'This session has no systemd of its own: log in at this machine or by ssh instead of su or sudo. Or run loginctl enable-linger once, then this with XDG_RUNTIME_DIR=/run/user/$(id -u).'
      : 'systemd does not run here, as in most containers. Run plimsoll up as the command of the container.';
  if (/[Aa]ccess denied|authentication/.test(why)) return 'Run it as root, or add --user.';
  return `See: ${shellCommand`journalctl ${scope === 'user' ? ['--user'] : []} --unit ${name} --lines 50`}`;
};

const groupsHere = async (): Promise<readonly string[]> => {
  const names = (await readInputText('/etc/group', 'homeFile'))
    .split('\n')
    .map(line => line.split(':')[0] ?? '');
  return ['video', 'render', 'systemd-journal'].filter(name => names.includes(name));
};

const exists = async (path: string): Promise<boolean> => {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
};

const PROPERTIES = ['ActiveState', 'SubState', 'UnitFileState', 'MainPID', 'NRestarts', 'StatusText'];
/** A start waits for the first readings of the machine: TimeoutStartSec and a little. */
const TIMEOUT_MS = 70_000;

// The unit file of the daemon for systemd. A system's service has a user of its own (DynamicUser) and sees neither homes nor
// anything to write but its state; what a GPU or an RDMA device needs stays open.
interface MachineGroups {
  /** Of `video`, `render` and `systemd-journal` those that this machine has: a unit that names a missing one does not start. */
  readonly supplementaryGroups: readonly string[];
  /** RDMA pins memory. */
  readonly hasRdma: boolean;
}

export const systemdUnit = (plan: ServicePlan, { supplementaryGroups, hasRdma }: MachineGroups): string =>
  `${[
    `# ${homeNote(plan.home)}`,
    '[Unit]',
    'Description=Plimsoll, the load line for AI clusters',
    'Documentation=man:plimsoll(1)',
    ...(plan.scope === 'system' ? ['Wants=network-online.target', 'After=network-online.target'] : []),
    '',
    '[Service]',
    'Type=notify',
    '# systemd-notify sends the notifications of the daemon',
    'NotifyAccess=all',
    `ExecStart=${plan.command.map(unitWord).join(' ')}`,
    'WatchdogSec=60',
    'Restart=on-failure',
    'RestartSec=2',
    'TimeoutStartSec=60',
    'UMask=0077',
    ...(plan.scope === 'system' ? SYSTEM : []),
    ...HARDENED,
    ...(plan.scope === 'system' && supplementaryGroups.length > 0
      ? [`SupplementaryGroups=${supplementaryGroups.join(' ')}`]
      : []),
    ...(hasRdma ? ['LimitMEMLOCK=infinity'] : []),
    '',
    '[Install]',
    `WantedBy=${plan.scope === 'system' ? 'multi-user.target' : 'default.target'}`,
  ].join('\n')}\n`;

/** As systemd.service(5) reads a word: quoted where it must be, and its own signs doubled. */
const unitWord = (word: string): string => {
  const plain = word.replaceAll('%', '%%').replaceAll('$', '$$$$');
  if (/^[\w@%+=:,./$-]+$/.test(plain)) return plain;
  return `"${plain.replaceAll('\\', String.raw`\\`).replaceAll('"', String.raw`\"`)}"`;
};

const SYSTEM: readonly string[] = [
  'DynamicUser=yes',
  'StateDirectory=plimsoll',
  'StateDirectoryMode=0700',
  'ProtectSystem=strict',
  'ProtectHome=yes',
  'PrivateTmp=yes',
  'ProtectKernelTunables=yes',
  'ProtectKernelModules=yes',
  'ProtectControlGroups=yes',
  'RestrictSUIDSGID=yes',
  'CapabilityBoundingSet=',
  'AmbientCapabilities=',
];

/** None of them closes devices, as PrivateDevices and ProtectClock would, nor memory that is written and run, which V8 needs. */
const HARDENED: readonly string[] = [
  'NoNewPrivileges=yes',
  'LockPersonality=yes',
  'RestrictRealtime=yes',
  'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
  'SystemCallArchitectures=native',
];
