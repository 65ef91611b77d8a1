// One self-contained HTML file: no script, nothing fetched, and a policy that refuses both in case any got in. Its
// style is allowed by its hash, so style attributes of elements are refused.

import { createHash } from 'node:crypto';
import { type Markup, markup, rawMarkup } from '../../core/text/markup.ts';

interface HtmlPage {
  readonly title: string;
  /** Content of its style element: only rules made here, never foreign text. */
  readonly style: string;
  readonly body: Markup;
}

export const htmlPage = ({ title, style, body }: HtmlPage): string => {
  // A browser hashes the text between the tags, byte by byte.
  const text = `\n${style.trim()}\n`;
  const hash = createHash('sha256').update(text).digest('base64');
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(hash)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${rawMarkup(text)}</style>
</head>
<body>
${body}
</body>
</html>
`.markup;
};

/** Only what the file contains: its style, its fonts, the empty icon. */
const policy = (styleHash: string): string =>
  [
    `default-src 'none'`,
    `style-src 'sha256-${styleHash}'`,
    'font-src data:',
    'img-src data:',
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ');
