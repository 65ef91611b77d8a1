// The unit file of the daemon for systemd. A system's service has a user of its own (DynamicUser) and sees neither homes nor
// anything to write but its state; what a GPU or an RDMA device needs stays open.

import { homeNote } from './service-file.ts';
import type { ServicePlan } from './service-plan.ts';

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
