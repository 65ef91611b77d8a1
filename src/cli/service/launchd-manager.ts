// launchd, by launchctl, in the session of the user. Its log is a file of the home.

import { shellCommand } from '../../core/text/shell-words.ts';
import { runTool, streamLines } from '../../process/child.ts';
import { CommandError } from '../command-error.ts';
import { homeNote, logFileOf, type ServiceManager, type ServicePlan } from './service-plan.ts';
import type { ManagerTools } from './systemd-manager.ts';

export const launchdManager = (
  plan: ServicePlan,
  userId: number,
  { env, signal }: ManagerTools,
): ServiceManager => {
  const domain = `gui/${userId}`;
  const service = `${domain}/${plan.name}`;
  const report = async (...args: readonly string[]) =>
    await runTool('launchctl', args, { env, signal, timeoutMs: TIMEOUT_MS });
  const launchctl = async (...args: readonly string[]): Promise<string> => {
    const ran = await report(...args);
    if (ran.kind === 'exited' && ran.code === 0) return ran.stdout;
    const why = ran.kind === 'exited' ? ran.stderr.trim() : ran.reason;
    throw new CommandError(
      'service',
      `${shellCommand`launchctl ${args.slice(0, 1)}`}: ${why}`,
      `See: ${shellCommand`launchctl print ${service}`}`,
    );
  };
  return {
    text: async () => launchdAgent(plan, logFileOf(plan)),
    check: async () => {
      const ran = await report('print', domain);
      if (ran.kind === 'exited' && ran.code === 0) return;
      const why = ran.kind === 'exited' ? ran.stderr.trim() : ran.reason;
      throw new CommandError(
        'service',
        `${shellCommand`launchctl print ${domain}`}: ${why}`,
        'An agent runs in a session at the screen: log in there as this user, then run it again.',
      );
    },
    enable: async () => {
      // One that is there already is replaced; it is no mistake that there is none.
      await report('bootout', service);
      await launchctl('bootstrap', domain, plan.file);
    },
    // RunAtLoad: it has started already.
    start: async () => undefined,
    state: async () => {
      const reported = await launchctl('print', service);
      const field = (name: string): string | undefined =>
        new RegExp(`^\\s*${name} = (.+)$`, 'm').exec(reported)?.[1];
      const pid = Number(field('pid'));
      const state = field('state') ?? 'unknown';
      return {
        state,
        isRunning: state === 'running',
        startsByItself: true,
        pid: pid > 0 ? pid : undefined,
        restarts: undefined,
        status: '',
      };
    },
    stop: async () => void (await launchctl('bootout', service)),
    forget: async () => undefined,
    log: (count, isFollowed) =>
      streamLines('tail', ['-n', String(count), ...(isFollowed ? ['-F'] : []), logFileOf(plan)], {
        env,
        signal,
        idleTimeoutMs: isFollowed ? Number.POSITIVE_INFINITY : TIMEOUT_MS,
      }),
  };
};

const TIMEOUT_MS = 30_000;

// The property list of the daemon for launchd. An agent by default: the permission for the local network belongs to a user.
export const launchdAgent = (
  plan: ServicePlan,
  logFile: string,
): string => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ${homeNote(plan.home)} -->
<plist version="1.0">
<dict>
  <key>Label</key><string>${escaped(plan.name)}</string>
  <key>ProgramArguments</key>
  <array>
${plan.command.map(word => `    <string>${escaped(word)}</string>`).join('\n')}
  </array>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key>
  <dict><key>SuccessfulExit</key><false/></dict>
  <key>ThrottleInterval</key><integer>2</integer>
  <key>ProcessType</key><string>Background</string>
  <key>Umask</key><integer>63</integer>
  <key>StandardOutPath</key><string>${escaped(logFile)}</string>
  <key>StandardErrorPath</key><string>${escaped(logFile)}</string>
</dict>
</plist>
`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
