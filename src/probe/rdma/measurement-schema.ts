// What the child process of a source says it has measured, checked as anything that comes from another process.

import * as v from 'valibot';
import { bytes, figure, reported, text } from '../../wire/schema.ts';
import type { LinkMeasurement } from '../probe.ts';

const amount = v.pipe(figure, v.minValue(0));

export const linkMeasurementSchema: v.GenericSchema<unknown, LinkMeasurement> = v.object({
  uploadBitsPerSecond: reported(amount),
  downloadBitsPerSecond: reported(amount),
  roundTripNsMin: reported(amount),
  roundTripNsP50: reported(amount),
  roundTripNsP99: reported(amount),
  jitterNs: reported(amount),
  roundTripCount: reported(amount),
  retransmits: reported(amount),
  uploadStreams: reported(amount),
  downloadStreams: reported(amount),
  bytesUsed: bytes,
  engine: text,
  method: text,
});
