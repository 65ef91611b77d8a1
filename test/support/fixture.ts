// Recorded output, by tool and hardware.

import { readFileSync } from 'node:fs';

export const fixture = (path: string): string =>
  readFileSync(new URL(`../fixtures/${path}`, import.meta.url), 'utf8');
