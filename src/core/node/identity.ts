// A machine's identity: properties that do not change while it runs. Durable, so an offline node keeps its
// name and model.

import * as v from 'valibot';
import { count, type Infer, openObject, reported, text } from '../schema.ts';

export const nodeIdentitySchema = openObject({
  /** The name a person gave it: config `name`, else the computer name, else the host name. */
  friendlyName: text,
  hostName: text,
  /** "Mac Studio", "DGX Spark", "Supermicro AS-4125GS". */
  model: reported(text),
  /** Processor or system on chip: "Apple M3 Ultra", "AMD EPYC 9354 32-Core Processor". */
  chip: reported(text),
  architecture: text,
  /** Logical processors that the operating system schedules on. */
  cpuCount: reported(count),
  operatingSystem: openObject({
    platform: v.picklist(['linux', 'macos', 'windows', 'other']),
    /** "Debian GNU/Linux 12 (bookworm)", "macOS". */
    name: text,
    version: reported(text),
    /** macOS build ("25C56") or Linux kernel release. */
    build: reported(text),
  }),
  /**
   * Whether CPU and GPU share one memory (Apple silicon, GB10); false if GPUs have their own, or there are
   * none.
   */
  memoryIsUnified: reported(v.boolean()),
  /** "kvm", "docker", "none". */
  virtualisation: reported(text),
  plimsollVersion: text,
  /** Simulated by the demo or a test; every view shows that. */
  isSimulated: v.boolean(),
});

export type NodeIdentity = Infer<typeof nodeIdentitySchema>;
