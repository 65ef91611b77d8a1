// A certificate for 127.0.0.1 and localhost, created when a test needs one, so there is no key in the repository.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from './temporary-directory.ts';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** undefined where there is no openssl. */
export const makeCertificate = (): Certificate | undefined => {
  using folder = temporaryDirectory();
  const [key, cert] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  try {
    execFileSync(
      'openssl',
      ['req', '-x509', ...curve, '-days', '2', ...subject, '-keyout', key, '-out', cert],
      { stdio: 'ignore' },
    );
  } catch {
    return undefined;
  }
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
};
