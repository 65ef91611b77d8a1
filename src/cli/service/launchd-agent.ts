// The property list of the daemon for launchd. An agent by default: the permission for the local network belongs to a user.

import { homeNote } from './service-file.ts';
import type { ServicePlan } from './service-plan.ts';

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
