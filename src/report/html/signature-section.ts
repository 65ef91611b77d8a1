// Who signed a page, and how anyone can check it with OpenSSL alone.

import { shellCommand } from '../../core/text/shell-words.ts';
import { type Markup, markup } from '../../render/text/markup.ts';
import { pageSection } from './page-parts.ts';

export interface PageSignature {
  readonly nodeId: string;
  /** SubjectPublicKeyInfo (RFC 8410), base64. */
  readonly publicKey: string;
  /** What was signed: it contains the digest of the raw figures. */
  readonly statement: string;
  /** ed25519, base64. */
  readonly signature: string;
}

export const signatureSection = ({ nodeId, publicKey, statement, signature }: PageSignature): Markup => {
  const check = [
    shellCommand`printf %s ${statement} > statement`,
    shellCommand`echo ${signature} | base64 -d > signature`,
    shellCommand`printf '%s\\n' '-----BEGIN PUBLIC KEY-----' ${publicKey} '-----END PUBLIC KEY-----' > key.pem`,
    'openssl pkeyutl -verify -pubin -inkey key.pem -rawin -in statement -sigfile signature',
  ];
  return pageSection({
    title: 'Signature',
    remark: `by node ${nodeId}`,
    content: markup`<p>The node that ran this signed the digest of the raw figures below. Its id is the first 128 bits of the SHA-256 of its key, in base32.</p>${check.map(line => markup`<p><code class="command">${line}</code></p>`)}`,
  });
};
