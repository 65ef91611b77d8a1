// What a daemon says of itself that a person should know and no reading tells, in parts. A daemon of version 0.1.0 tells
// texts alone: they are shown as they came, without a code.

import * as v from 'valibot';
import type { Problem } from '../core/problem.ts';
import { sentencesOf } from '../core/problem.ts';

/** Every code, with what it means. docs/api.md has the same table, and a test compares them. */
export const NOTICE_CODES = {
  'home-was-open': 'Others could look into the home; its mode was mended.',
  'home-stays-open': 'Others can look into the home, and its mode could not be changed.',
  'home-gone': 'The folder of the home was moved away or replaced while the daemon runs.',
  'config-broken': '`config.toml` has an error; the last good values or the defaults count.',
  'journal-replaced': 'The journal was damaged and was moved aside; a new one was begun.',
  'journal-migrated': 'The journal was brought to the schema of this version.',
  'journal-of-other-node': 'The journal was written by another node.',
  'journal-in-memory': 'The journal cannot be opened; nothing is kept until the next start.',
  'journal-refused': 'The journal holds a record that this version cannot read.',
  'journal-write': 'The journal refuses what is written to it; facts wait in memory.',
  'journal-compaction': 'The journal could not be compacted.',
  'journal-gone': 'The file of the journal was removed or replaced while the daemon runs.',
  'http-port-taken': 'The default port of HTTP is taken; the next free one is used.',
  'http-failed': 'A request failed in a way nobody foresaw.',
  'mesh-port-taken': 'The default port of the mesh is taken; the next free one is used.',
  'no-cluster-key': 'Peers are named, but the home has no cluster key.',
  'key-file-gone': 'The file of the cluster key is gone; the key that was read counts on.',
  'key-file-wrong': 'The file of the cluster key holds none; the key that was read before counts.',
  'key-was-readable': 'Others could read the cluster key; the mode of its file was mended.',
  'key-stays-readable': 'Others can read the cluster key, and the mode of its file could not be changed.',
  'peer-unreadable': 'A peer was named that is neither a name nor an address.',
  'interface-missing': 'An interface named for discovery is not up.',
  'no-reachability': 'No UDP port can be opened; this node finds no connections.',
  'no-link': 'An address of a peer leads to no link.',
  'identity-copied': "Another machine runs with this node's identity.",
  'endpoint-silent': 'A server of `[[endpoints]]` does not tell how many requests it has.',
  'recording-broken': 'The recording that is shown is cut off or damaged.',
} as const;

export type NoticeCode = keyof typeof NOTICE_CODES;

/** `id` names what it is about, where one code can be true of several things. */
export type Notice = Problem<NoticeCode, { readonly id: string }> & {
  readonly [fact: string]: NoticeFact;
};

type NoticeFact = string | number | boolean | readonly string[];

/** As a client holds it: a newer daemon may know codes that this version does not. */
export type ToldNotice = Problem<string, { readonly id: string }>;

/** Of a daemon that tells texts alone. */
export const UNTOLD_CODE = 'untold';

/** As /api/daemon has them: in parts, and as texts for clients of version 0.1.0. */
export const noticesAnswer = (
  notices: readonly ToldNotice[],
): { readonly problems: readonly ToldNotice[]; readonly notices: readonly string[] } => ({
  problems: notices,
  notices: notices.map(notice => sentencesOf(notice).join('\n')),
});

/** What an answer of /api/daemon tells, of whichever version; nothing where it is none. */
export const decodeNotices = (answer: unknown): readonly ToldNotice[] => {
  const parts = v.safeParse(PARTS, answer);
  if (parts.success) return parts.output.problems;
  const texts = v.safeParse(TEXTS, answer);
  return texts.success ? texts.output.notices.map(asNotice) : [];
};

const asNotice = (text: string): ToldNotice => ({
  id: text,
  code: UNTOLD_CODE,
  problem: text.replaceAll('\n', ' '),
  advice: '',
});

export const noticeSchema: v.GenericSchema<unknown, ToldNotice> = v.looseObject({
  id: v.string(),
  code: v.string(),
  problem: v.string(),
  advice: v.string(),
});
const PARTS = v.object({ problems: v.array(noticeSchema) });
const TEXTS = v.object({ notices: v.array(v.string()) });
