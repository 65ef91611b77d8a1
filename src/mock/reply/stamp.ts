// Times inside an event: 20 digits each, so that every event has the same length whatever the time, and a stamp is
// written over the last one without building the event anew.

export const STAMP_FIELD: string = `"plimsoll":{"readNs":"${'0'.repeat(20)}","writeNs":"${'0'.repeat(20)}"}`;

/** From the first digit of `readNs` to the end of the field. */
export const STAMP_BYTES: number = STAMP_FIELD.length - STAMP_FIELD.indexOf('0');

/** @param at of the first digit of `readNs`. */
export const writeStamp = (bytes: Buffer, at: number, readNs: bigint, writeNs: bigint): void => {
  bytes.write(digits(readNs), at, DIGITS, 'latin1');
  bytes.write(digits(writeNs), at + WRITE_OFFSET, DIGITS, 'latin1');
};

const digits = (ns: bigint): string => ns.toString().padStart(DIGITS, '0');

const DIGITS = 20;
const WRITE_OFFSET = STAMP_FIELD.lastIndexOf('"writeNs":"') + '"writeNs":"'.length - STAMP_FIELD.indexOf('0');
