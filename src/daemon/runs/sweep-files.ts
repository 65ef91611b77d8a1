// Documents of sweeps and lines on disk: in the folders of the home, and in folders that a sweep reported. Bounded in size; a
// damaged one is refused with a reason.

import { join } from 'node:path';
import { isSweepId, type SweepId } from '../../core/ids.ts';
import { errorCode, errorMessage } from '../../core/problem.ts';
import type { LineDocument, SweepDocument } from '../../core/sweep/sweep-document.ts';
import { DecodeError } from '../../wire/decode-error.ts';
import { lineDocumentFromJson, SWEEP_BYTES_MAX, sweepDocumentFromJson } from '../../wire/sweep-schema.ts';
import { openPlainFile } from './comparison-files.ts';

type SweepFile =
  | { readonly kind: 'here'; readonly document: SweepDocument | LineDocument; readonly sweepId: SweepId }
  /** `reason`: one phrase for a person. `isMissing`: there is no such file, so that nothing is wrong with it. */
  | { readonly kind: 'refused'; readonly reason: string; readonly isMissing: boolean };

/** line.json where there is one, else sweep.json. */
export const readSweepFile = async (directory: string): Promise<SweepFile> => {
  const line = await readDocument(join(directory, 'line.json'), lineDocumentFromJson);
  return line.kind === 'refused' && line.isMissing
    ? await readDocument(join(directory, 'sweep.json'), sweepDocumentFromJson)
    : line;
};

const readDocument = async (
  path: string,
  decode: (json: string) => SweepDocument | LineDocument,
): Promise<SweepFile> => {
  try {
    const file = await openPlainFile(path);
    if (file === undefined)
      return { kind: 'refused', reason: `${path} is not a plain file`, isMissing: false };
    try {
      const { size } = await file.stat();
      if (size > SWEEP_BYTES_MAX)
        return {
          kind: 'refused',
          reason: `${path} is larger than ${SWEEP_BYTES_MAX} bytes`,
          isMissing: false,
        };
      const document = decode(await file.readFile('utf8'));
      return isSweepId(document.id)
        ? { kind: 'here', document, sweepId: document.id }
        : { kind: 'refused', reason: `${path} has no id that a sweep may have`, isMissing: false };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof DecodeError) return { kind: 'refused', reason: error.message, isMissing: false };
    const code = errorCode(error);
    if (code === undefined) throw error;
    return {
      kind: 'refused',
      reason: code === 'ENOENT' ? `there is no ${path}` : errorMessage(error),
      isMissing: code === 'ENOENT',
    };
  }
};
