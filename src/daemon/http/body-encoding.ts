// Bodies must be uncompressed UTF-8. Compressed bodies or other encodings would look like broken JSON.

import type { IncomingHttpHeaders } from 'node:http';
import { RequestError } from './request-error.ts';

/** Undefined if the body can be read. */
export const encodingRefusal = (headers: IncomingHttpHeaders): RequestError | undefined => {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  const charset =
    /;\s*charset="?([^\s;"]+)/i.exec(headers['content-type'] ?? '')?.[1]?.toLowerCase() ?? 'utf-8';
  const strange = [...(coding === 'identity' ? [] : [coding]), ...(UTF_8.has(charset) ? [] : [charset])];
  if (strange.length === 0) return undefined;
  return new RequestError({
    code: 'not-json',
    problem: `The body is encoded as ${strange.join(', ').slice(0, 60)}.`,
    advice: 'Send JSON in UTF-8, without Content-Encoding.',
  });
};

/** ASCII is part of it. */
const UTF_8: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii']);
