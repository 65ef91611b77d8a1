// What a daemon reports of itself that a person should know and that is in no reading.

import * as v from 'valibot';
import type { Problem } from '../core/problem.ts';

/** Every code with its meaning. docs/api.md contains the same table, and a test compares them. */
export const NOTICE_CODES = {
  'home-was-open': 'Other users could read the home; its mode was corrected.',
  'home-stays-open': 'Other users can read the home, and its mode could not be changed.',
  'home-gone': 'The home folder was moved or replaced while the daemon is running.',
  'config-broken': '`config.toml` has an error; the last good values or the defaults apply.',
  'journal-replaced': 'The journal was damaged and moved aside; a new one was started.',
  'journal-cut':
    'The write-ahead log of the journal was cut off or damaged: records that were stored are missing.',
  'journal-of-other-node': 'The journal was written by another node.',
  'journal-in-memory': 'The journal cannot be opened; nothing is stored until the next start.',
  'journal-refused': 'The journal has a record that this version cannot read.',
  'journal-write': 'The journal cannot be written; events wait in memory.',
  'journal-compaction': 'The journal could not be compacted.',
  'journal-gone': 'The journal file was removed or replaced while the daemon is running.',
  'http-port-taken': 'The default port of HTTP is taken; the next free one is used.',
  'no-owner-socket': 'The home has no Unix socket for commands of this user; they use TCP alone.',
  'http-failed': 'A request failed unexpectedly.',
  'mesh-port-taken': 'The default port of the mesh is taken; the next free one is used.',
  'no-cluster-key': 'Peers are configured, but the home has no cluster key.',
  'key-file-gone': 'The cluster key file is gone; the previous key stays in effect.',
  'key-file-wrong': 'The cluster key file has no key; the previous key stays in effect.',
  'mesh-not-opened': 'The home has a cluster key, but its mesh cannot be opened; the daemon retries.',
  'key-was-readable': 'Other users could read the cluster key; the mode of its file was corrected.',
  'key-stays-readable':
    'Other users can read the cluster key, and the mode of its file could not be changed.',
  'peer-unreadable': 'A configured peer is neither a name nor an address.',
  'fleet-down': 'The server of the fleet cannot be used; `reason` is the cause. Nothing else waits for it.',
  'fleet-twin': 'Two daemons publish to the fleet under one identity.',
  'fleet-heard-unwritten':
    'What was received from the fleet cannot be stored: after a restart old messages could pass for new ones.',
  'interface-missing': 'An interface chosen for discovery is not up.',
  'no-reachability': 'No UDP port can be opened; this node cannot find connections.',
  'no-link': 'An address of a peer does not lead to a link.',
  'records-undelivered':
    'A peer claims records that it does not deliver; requests to it become less frequent.',
  'identity-copied': "Another machine runs with this node's identity.",
  'otlp-down':
    'The receiver of `[otlp]` or `--otlp` does not accept the figures; they are not stored for it.',
  'webhook-down': 'A receiver in `[[webhooks]]` does not take warnings; the daemon retries.',
  'endpoint-silent': 'A server in `[[endpoints]]` does not report how many requests it has.',
  'recording-broken': 'The replayed recording is cut off or damaged.',
} as const;

export type NoticeCode = keyof typeof NOTICE_CODES;

/** `id` names the subject, if one code can apply to several things. */
export type Notice = Problem<NoticeCode, { readonly id: string }> & {
  readonly [fact: string]: NoticeFact;
};

type NoticeFact = string | number | boolean | readonly string[];

/** As a client stores it: a newer daemon may have codes that this version does not. */
export type ReportedNotice = Problem<string, { readonly id: string }>;

/** The notices in a reply of /api/daemon; none if it has none. */
export const decodeNotices = (answer: unknown): readonly ReportedNotice[] => {
  const parts = v.safeParse(PARTS, answer);
  return parts.success ? parts.output.problems : [];
};

export const noticeSchema: v.GenericSchema<unknown, ReportedNotice> = v.looseObject({
  id: v.string(),
  code: v.string(),
  problem: v.string(),
  advice: v.string(),
});
const PARTS = v.object({ problems: v.array(noticeSchema) });
