// A campaign of two probes on two nodes, for tests that need a whole one.

import { isDocumentId } from '../../src/core/ids.ts';
import { unknown } from '../../src/core/unknown.ts';
import {
  CAMPAIGN_SCHEMA,
  type Campaign,
  linkMeasurements,
  type Measurement,
} from '../../src/render/campaign/probe-campaign.ts';
import { LINK_FIGURES } from './link-figures.ts';

export const LINK_MEASURED: readonly Measurement[] = linkMeasurements({
  node: 'atlas',
  subject: 'link to juno (socket 10.0.0.2)',
  profile: LINK_FIGURES,
  reason: '',
  before: { ...LINK_FIGURES, uploadBitsPerSecond: 4.7e9 },
});

export const madeUpCampaign = (id: string, more: Partial<Campaign> = {}): Campaign => {
  if (!isDocumentId(id)) throw new RangeError(id);
  return {
    schema: CAMPAIGN_SCHEMA,
    id,
    plimsoll: { version: '0.0.0' },
    name: unknown('not given'),
    startedAt: '2026-11-27T12:00:00Z',
    command: 'plimsoll probe all',
    state: 'complete',
    reason: '',
    nodes: ['atlas', 'juno'],
    requested: 2,
    ended: 2,
    unreached: [{ node: 'vega', reason: 'there is no link to it' }],
    measurements: LINK_MEASURED,
    ...more,
  };
};
