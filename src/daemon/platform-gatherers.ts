// The gatherers of this machine's platform.

import type { GatherConfig } from '../config/config.ts';
import type { Gatherer, GatherSettings } from '../gather/gatherer.ts';
import { gpuGatherers } from '../gather/gpu-gatherers.ts';
import { linuxGatherers } from '../gather/linux-gatherers.ts';
import { macosGatherers } from '../gather/macos-gatherers.ts';
import type { OnChange } from '../gather/started-anew.ts';
import { startedAnew } from '../gather/started-anew.ts';
import type { Env } from '../process/child.ts';

export interface PlatformGatherersOptions {
  readonly platform: string;
  readonly root: string;
  readonly env: Env;
  readonly plimsollVersion: string;
  readonly settings: () => GatherSettings;
  /** When `settings` may answer something else. */
  readonly onSettings: OnChange;
  readonly intervals: GatherConfig;
}

/** Those whose readings a person's settings shape are started anew when such a setting changes. */
export const platformGatherers = (options: PlatformGatherersOptions): readonly Gatherer[] => {
  const onChange = whenDifferent(options);
  return listed(options).map(gatherer =>
    gatherer.tells.some(({ reading }) => reading === 'identity' || reading === 'network')
      ? startedAnew(gatherer, onChange)
      : gatherer,
  );
};

const listed = (options: PlatformGatherersOptions): readonly Gatherer[] => {
  const { platform, root, env, plimsollVersion, settings, intervals } = options;
  const gpus = gpuGatherers({
    platform,
    root,
    env,
    loadIntervalMs: intervals.gpuMs,
    inventoryIntervalMs: intervals.identityMs,
  });
  switch (platform) {
    case 'linux':
      return [...linuxGatherers({ root, env, plimsollVersion, settings, intervals }), ...gpus];
    case 'darwin':
      return [
        ...macosGatherers({
          env,
          settings,
          plimsollVersion,
          intervals: { ...intervals, telemetryMs: intervals.systemMs },
        }),
        ...gpus,
      ];
    default:
      return gpus;
  }
};

const whenDifferent =
  ({ settings, onSettings }: PlatformGatherersOptions): OnChange =>
  listener => {
    let known = JSON.stringify(settings());
    return onSettings(() => {
      const now = JSON.stringify(settings());
      if (now === known) return;
      known = now;
      listener();
    });
  };
