// systemd, by systemctl and journalctl: of the machine, or of the user's session.

import { access } from 'node:fs/promises';
import { shellCommand } from '../../core/text/shell-words.ts';
import { type Env, runTool, streamLines } from '../../process/child.ts';
import { readInputText } from '../../process/input-file.ts';
import { CommandError } from '../command-error.ts';
import type { ServiceManager } from './service-manager.ts';
import type { ServicePlan } from './service-plan.ts';
import { systemdUnit } from './systemd-unit.ts';

export interface ManagerTools {
  readonly env: Env;
  readonly signal: AbortSignal;
}

export const systemdManager = (plan: ServicePlan, { env, signal }: ManagerTools): ServiceManager => {
  const scope = plan.scope === 'user' ? ['--user'] : [];
  const systemctl = async (...words: readonly string[]): Promise<string> => {
    const ran = await runTool('systemctl', [...scope, ...words], { env, signal, timeoutMs: TIMEOUT_MS });
    if (ran.kind === 'exited' && ran.code === 0) return ran.stdout;
    const why = ran.kind === 'exited' ? ran.stderr.trim() : ran.reason;
    const command = ['systemctl', ...scope, words[0]].join(' ');
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
      return {
        state: `${reported.get('ActiveState')} (${reported.get('SubState')})`,
        isRunning: reported.get('ActiveState') === 'active',
        startsByItself: reported.get('UnitFileState') === 'enabled',
        pid: pid > 0 ? pid : undefined,
        restarts: Number(reported.get('NRestarts')),
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
