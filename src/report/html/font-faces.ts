// The fonts of a report, embedded in it, so that it looks the same on a machine without Plimsoll. IBM Plex may be
// embedded (SIL Open Font License 1.1). The files are those that the dashboard is built with.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface FontFace {
  readonly family: string;
  readonly weight: number;
  readonly base64: string;
}

/**
 * @param dashboardDir folder of the built dashboard. Empty if it is not built: a report then uses fonts of the
 * reader's machine.
 */
export const fontFaces = async (dashboardDir: string): Promise<readonly FontFace[]> => {
  const folder = join(dashboardDir, 'assets');
  const names = await readdir(folder).catch((): readonly string[] => []);
  const faces = await Promise.all(
    FACES.map(async ({ file, family, weight }) => {
      const name = names.find(each => each.startsWith(file) && each.endsWith('.woff2'));
      if (name === undefined) return undefined;
      const bytes = await readFile(join(folder, name)).catch(() => undefined);
      return bytes === undefined ? undefined : { family, weight, base64: bytes.toString('base64') };
    }),
  );
  return faces.filter(face => face !== undefined);
};

/** Those that a report uses. */
const FACES = [
  { file: 'ibm-plex-sans-latin-400-', family: 'Plex', weight: 400 },
  { file: 'ibm-plex-sans-latin-600-', family: 'Plex', weight: 600 },
  { file: 'ibm-plex-sans-condensed-latin-400-', family: 'Plex Condensed', weight: 400 },
  { file: 'ibm-plex-sans-condensed-latin-500-', family: 'Plex Condensed', weight: 500 },
  { file: 'ibm-plex-mono-latin-400-', family: 'Plex Mono', weight: 400 },
] as const;
