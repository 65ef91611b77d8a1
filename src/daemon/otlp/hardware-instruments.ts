// The instruments of the conventions that every kind of hardware shares.

import type { Instrument } from './point-page.ts';

export const POWER: Instrument = {
  name: 'hw.power',
  unit: 'W',
  description: 'Instantaneous power consumed by the component.',
  kind: 'gauge',
};

export const TEMPERATURE: Instrument = {
  name: 'hw.temperature',
  unit: 'Cel',
  description: 'Temperature in degrees Celsius.',
  kind: 'gauge',
};

export const ERRORS: Instrument = {
  name: 'hw.errors',
  unit: '{error}',
  description: 'Number of errors encountered by the component.',
  kind: 'counter',
};

export const STATUS: Instrument = {
  name: 'hw.status',
  unit: '1',
  description: '1 for the state in which the component is.',
  kind: 'updowncounter',
};
