// The token that lets programs and pages change things, and read beyond loopback: 256 random bits, created once per home.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createFileAtomic } from '../process/atomic-file.ts';
import { DaemonError } from './daemon-error.ts';
import { readSecretFile, type SecretFileAdvice } from './secret-file.ts';

const TOKEN_FILE = 'token';

/** @throws DaemonError `home-unusable` if the file cannot be read, others can read it, or it has no token. */
export const openAccessToken = async (home: string): Promise<string> => {
  const path = join(home, TOKEN_FILE);
  const held = await readToken(path);
  if (held !== undefined) return held;
  const made = randomBytes(32).toString('base64url');
  if (await createFileAtomic(path, `${made}\n`)) return made;
  return (await readToken(path)) ?? made;
};

const readToken = async (path: string): Promise<string | undefined> => {
  const text = (await readSecretFile(path, ADVICE))?.trim();
  if (text === undefined || TOKEN.test(text)) return text;
  throw new DaemonError({
    code: 'home-unusable',
    problem: `${path} does not contain a token.`,
    advice: 'Delete it: a new token is created at the next start.',
  });
};

const ADVICE: SecretFileAdvice = {
  unreadable: 'Make it readable, or delete it: a new token is created at the next start.',
  exposed: 'Anyone who has read it can use the API. Delete it: a new token is created at the next start.',
};
const TOKEN = /^[A-Za-z0-9_-]{43,128}$/;
