import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapedMarkup, markup, rawMarkup } from '../../../src/render/text/markup.ts';

test('everything that is put into a template is text, in elements and in quoted attributes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      const { markup: made } = markup`<p title="${text}" lang='${text}'>${text}</p>`;
      expect(made.match(/[<>]/g)).toEqual(['<', '>', '<', '>']);
      expect(made.match(/["'`]/g)).toEqual(['"', '"', "'", "'"]);
    }),
  );
});

test('escaping can be undone, but for signs that no markup can carry', () => {
  expect(escapedMarkup(`<a href="x">'&\`</a>`)).toBe(
    '&#60;a href=&#34;x&#34;&#62;&#39;&#38;&#96;&#60;/a&#62;',
  );
  expect(escapedMarkup('a\u0000b\u202ec\ud800d')).toBe('a\ufffdb\ufffdc\ufffdd');
});

test('markup in markup stays, lists are joined, nothing is nothing, coordinates have two decimals', () => {
  const bold = markup`<b>${'<'}</b>`;
  expect(markup`<p>${[bold, 'x', undefined]}${1 / 3}${rawMarkup('<i>')}</p>`.markup).toBe(
    '<p><b>&#60;</b>x0.33<i></p>',
  );
});
