// How wide a text is in the faces of the map, from the advances of IBM Plex (thousandths of an em, printable ASCII from the
// space on). A table and not a canvas: the layout stays pure, and is the same before the fonts have come.

export type Face = 'condensed' | 'condensed-medium' | 'sans-semibold';

/** CSS pixels. A character outside the table is taken for a wide one. */
export const drawnTextWidth = (
  text: string,
  { face, size }: { readonly face: Face; readonly size: number },
): number => {
  let thousandths = 0;
  for (const character of text) thousandths += advance(face, character);
  return (thousandths * size) / 1_000;
};

/** The text, or as much of its beginning as fits with an ellipsis. */
export const fitted = (
  text: string,
  face: { readonly face: Face; readonly size: number },
  widthMax: number,
): string => {
  if (drawnTextWidth(text, face) <= widthMax) return text;
  const characters = [...text];
  while (characters.length > 1 && drawnTextWidth(`${characters.join('').trimEnd()}…`, face) > widthMax)
    characters.pop();
  return `${characters.join('').trimEnd()}…`;
};

const advance = (face: Face, character: string): number => {
  const code = character.codePointAt(0) ?? 0;
  return ADVANCES[face][code - FIRST_CODE] ?? OTHERS[face][character] ?? WIDE;
};

const table = (text: string): readonly number[] => text.split(' ').map(Number);

const FIRST_CODE = 32;
const WIDE = 1_000;

const ADVANCES: Readonly<Record<Face, readonly number[]>> = {
  condensed: table(
    '212 258 382 637 538 837 626 220 302 302 414 540 248 360 248 349 540 540 540 540 540 540 540 540 540 ' +
      '540 258 258 540 540 540 431 803 579 589 561 607 526 505 627 637 362 462 574 453 730 637 638 548 638 ' +
      '578 525 516 611 549 808 555 534 524 286 349 286 540 508 540 483 524 454 524 495 294 477 513 228 228 ' +
      '477 247 787 513 504 524 524 332 439 318 513 445 698 459 451 421 310 288 310 540',
  ),
  'condensed-medium': table(
    '212 272 411 605 537 857 637 230 303 303 475 540 263 360 264 380 540 540 540 540 540 540 540 540 540 ' +
      '540 278 278 540 540 540 440 808 596 595 573 617 536 515 635 644 377 481 598 465 735 645 640 568 640 ' +
      '592 538 521 619 570 840 578 553 534 293 380 293 540 505 540 497 535 460 535 501 314 486 525 244 245 ' +
      '497 260 796 525 506 535 535 347 446 328 525 464 723 477 470 440 322 323 322 540',
  ),
  'sans-semibold': table(
    '236 309 471 656 600 960 713 260 337 337 556 600 299 402 299 437 600 600 600 600 600 600 600 600 600 ' +
      '600 319 319 600 600 600 493 899 672 663 642 689 600 577 712 719 423 545 678 521 817 719 712 641 712 ' +
      '664 611 580 689 638 949 655 632 599 329 437 329 600 559 600 559 600 513 600 558 350 545 588 275 275 ' +
      '562 294 888 588 563 600 600 393 499 374 588 524 819 544 524 502 363 376 363 600',
  ),
};

const OTHERS: Readonly<Record<Face, Readonly<Record<string, number>>>> = {
  condensed: { '\u00a0': 212, '\u202f': 106, '·': 296, µ: 518, '×': 540, '°': 422, '–': 528, '…': 729 },
  'condensed-medium': {
    '\u00a0': 212,
    '\u202f': 106,
    '·': 308,
    µ: 530,
    '×': 540,
    '°': 422,
    '–': 528,
    '…': 766,
  },
  'sans-semibold': { '\u00a0': 236, '\u202f': 118, '·': 349, µ: 593, '×': 600, '°': 469, '–': 588, '…': 869 },
};
