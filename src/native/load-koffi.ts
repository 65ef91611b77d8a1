// Koffi, the foreign-function interface, if this platform has a build of it. Without it every probe uses
// another method, slower or less exact, and reports that: its absence is data.

import { errorMessage } from '../core/problem.ts';
import { firstLine } from '../core/text/single-line.ts';

export type Koffi = typeof import('koffi');

type KoffiLoad =
  | { readonly kind: 'loaded'; readonly koffi: Koffi }
  | { readonly kind: 'missing'; readonly reason: string };

/** `PLIMSOLL_FFI=off` makes every probe use the other method, as on a platform without a build. */
export const loadKoffi = async (
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<KoffiLoad> => {
  if (env['PLIMSOLL_FFI'] === 'off') return { kind: 'missing', reason: 'PLIMSOLL_FFI=off' };
  try {
    return { kind: 'loaded', koffi: await import('koffi') };
  } catch (error) {
    return { kind: 'missing', reason: `koffi cannot be loaded: ${firstLine(errorMessage(error))}` };
  }
};
