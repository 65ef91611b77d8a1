// How far running dashes have run: DESIGN's period of 16 px in 1.2 s, in five steps.

export const STEP_MS = 240;
const STEP_LENGTH = 3.2;
/** After so many steps the dashes of every pattern on the page (7, 8 and 16 px) lie where they lay before. */
const STEPS = 35;

/** Px at a moment: the same for all lines. */
export const runLength = (nowMs: number): number => (Math.floor(nowMs / STEP_MS) % STEPS) * STEP_LENGTH;
