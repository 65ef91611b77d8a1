// Validates what a node reports about the pressure on its resources.

import * as v from 'valibot';
import type { NodePressure } from '../core/node/pressure.ts';
import { count, openObject, reported, share } from './schema.ts';

const stalledTime = openObject({
  share10s: share,
  share60s: share,
  share300s: share,
  totalMicroseconds: count,
});

const resource = reported(openObject({ some: stalledTime, full: reported(stalledTime) }));
const resources = { cpu: resource, memory: resource, io: resource } as const;

export const pressureSchema: v.GenericSchema<unknown, NodePressure> = openObject({
  host: openObject(resources),
  controlGroup: v.variant('kind', [
    openObject({ kind: v.literal('none') }),
    openObject({ kind: v.literal('group'), ...resources }),
  ]),
});
