import { describe, expect, test } from 'vitest';
import { bothWays, lowerWay, negotiatedText, ofNegotiated } from '../../../dashboard/src/link/link-text.ts';
import { type LinkView, linkViews } from '../../../src/core/link/link-view.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { joined } from '../../e2e/fleet.ts';
import { ETHERNET, type Wire } from '../../e2e/links.ts';
import { notebook, studio } from '../../e2e/machines.ts';
import { at, stateOf } from '../cluster/cluster-state.ts';

/** Between atlas and juno; the one with the lesser id comes first. */
const linkOf = (wire: Wire): LinkView => {
  const reported = joined(studio, notebook, wire);
  const machines = [studio, notebook].map(machine => ({
    machine,
    facts: [...at(machine).facts, ...reported.flatMap(each => (each.machine === machine ? each.facts : []))],
  }));
  const [link] = linkViews(stateOf(...machines), 0);
  if (link === undefined) throw new Error('no link');
  return link;
};

describe('a link in words', () => {
  test('has what arrives at each end, and of one that was not measured reports it', () => {
    const link = linkOf(ETHERNET);
    expect(bothWays(link, ['one', 'other'], 'bits').join(', ')).toMatch(
      /^to other 9\.(41|38)\u00a0Gb\/s, to one 9\.(38|41)\u00a0Gb\/s$/,
    );
    expect(bothWays({ ...link, back: undefined }, ['one', 'other'], 'bits')[1]).toBe('to one not measured');
  });

  test('has one figure for both directions: the lower one, or the only one', () => {
    const link = linkOf(ETHERNET);
    expect(lowerWay(link)?.value).toBe(9.38e9);
    const there = { ...link, back: undefined };
    expect(lowerWay(there)).toBe(link.there);
    expect(lowerWay({ ...link, there: undefined })).toBe(link.back);
  });

  test('has no negotiated rate where none is known, and none of zero', () => {
    expect(ofNegotiated(linkOf(ETHERNET), 'bits')).toBe('of 10\u00a0Gb/s negotiated');
    for (const negotiatedBitsPerSecond of [0, unknown('not reported')]) {
      const { best } = linkOf(ETHERNET);
      const link = { best: { ...best, carrier: { ...best.carrier, negotiatedBitsPerSecond } } };
      expect(negotiatedText(link.best, 'bits')).toBe('');
    }
  });
});
