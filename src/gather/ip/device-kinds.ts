// What the kernel calls devices of which sysfs shows no kind: a team and the ports of Open vSwitch look like any other
// virtual device there. `ip` reports it (IFLA_INFO_KIND, linux/if_link.h); it runs only when such a device is new.

import type { Clock } from '../../clock/clock.ts';
import { looseJson, looseList, looseRecord, looseText } from '../loose-json.ts';
import type { MachineTools } from '../machine-tools.ts';
import { answered, type ToolAnswer, toolText, unanswered } from '../tool-output.ts';

/** Device name to kind: "team", "openvswitch". Devices without a kind are not in it. */
export type DeviceKinds = ReadonlyMap<string, string>;

/** The kinds of these devices, as far as they can be read. */
export type ReadDeviceKinds = (names: readonly string[]) => Promise<DeviceKinds>;

interface DeviceKindsOptions {
  readonly tools: MachineTools;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

export class DeviceKindSource {
  readonly #options: DeviceKindsOptions;
  /** Of the names of the last read; '' for a device without a kind. */
  #known: ReadonlyMap<string, string> = new Map();
  #failed: { readonly atMs: number; readonly answer: ToolAnswer<DeviceKinds> } | undefined;

  constructor(options: DeviceKindsOptions) {
    this.#options = options;
  }

  /** @throws only the signal's reason, when it aborts. */
  async read(names: readonly string[], signal: AbortSignal): Promise<ToolAnswer<DeviceKinds>> {
    const { tools, clock, timeoutMs } = this.#options;
    if (!names.every(name => this.#known.has(name))) {
      if (this.#failed !== undefined && clock.nowMs() - this.#failed.atMs < READ_AGAIN_MS)
        return this.#failed.answer;
      const text = await toolText('ip', ['-j', '-d', 'link'], { tools, signal, timeoutMs });
      const answer = text.kind === 'answered' ? parseDeviceKinds(text.value) : text;
      if (answer.kind === 'unanswered') {
        this.#failed = { atMs: clock.nowMs(), answer };
        return answer;
      }
      this.#failed = undefined;
      this.#known = new Map(names.map(name => [name, answer.value.get(name) ?? '']));
    }
    // A device that is gone may come back as another one.
    this.#known = new Map([...this.#known].filter(([name]) => names.includes(name)));
    return answered(new Map([...this.#known].filter(([, kind]) => kind !== '')));
  }
}

/** `ip -j -d link`. */
export const parseDeviceKinds = (json: string): ToolAnswer<DeviceKinds> => {
  const devices = looseList(looseJson(json));
  if (devices === undefined) return unanswered('ip did not print a JSON list');
  const kinds = new Map<string, string>();
  for (const item of devices) {
    const fields = looseRecord(item);
    const name = looseText(fields?.['ifname']);
    const kind = looseText(looseRecord(fields?.['linkinfo'])?.['info_kind']);
    if (name !== undefined && kind !== undefined) kinds.set(name, kind.slice(0, KIND_LENGTH_MAX));
  }
  return answered(kinds);
};

/** After `ip` was missing, hung or printed something else. */
const READ_AGAIN_MS = 300_000;
const KIND_LENGTH_MAX = 64;
