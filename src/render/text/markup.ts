// HTML and SVG as text, safe by construction: every value in a template is escaped unless it is markup
// itself, so that a model named `</script><img onerror=…>` stays a name. Pure, because charts are made in the
// browser too.

import { showable } from '../../core/text/single-line.ts';

/** Text that is markup already. */
export interface Markup {
  readonly markup: string;
}

/** Numbers are coordinates and get two decimals; undefined gives nothing. */
export type MarkupValue = string | number | Markup | readonly MarkupValue[] | undefined;

/** For templates: markup`<p>${text}</p>`. Values may only be between tags and in quoted attributes. */
export const markup = (parts: TemplateStringsArray, ...values: readonly MarkupValue[]): Markup => ({
  markup: parts.reduce((text, part, index) => `${text}${valueText(values[index - 1])}${part}`),
});

/** For constant parts without foreign values: styles, fonts. */
export const rawMarkup = (text: string): Markup => ({ markup: text });

/**
 * Without control characters and characters that change the direction of writing, which no markup can contain
 * safely.
 */
export const escapedMarkup = (text: string): string =>
  showable(text.toWellFormed(), '\ufffd').replace(/[&<>"'`]/g, sign => `&#${sign.charCodeAt(0)};`);

const valueText = (value: MarkupValue): string => {
  if (value === undefined) return '';
  if (typeof value === 'string') return escapedMarkup(value);
  if (typeof value === 'number') return coordinate(value);
  return isMarkup(value) ? value.markup : value.map(valueText).join('');
};

/** A hundredth of a pixel is finer than visible, and keeps a chart small. */
export const coordinate = (value: number): string => String(Math.round(value * 100) / 100);

const isMarkup = (value: Markup | readonly MarkupValue[]): value is Markup => 'markup' in value;
