// One value of a schema with every field that it names, made from the schema itself: what a file of a format contains at most. The
// same schema gives the same value, and no two of its figures are equal if its bounds allow it.

import fc from 'fast-check';
import { listOf, rulesOf, type SchemaShape, schemaValues, shapeOf, shapesIn } from './schema-values.ts';

export const schemaExample = (schema: SchemaShape): unknown => {
  let made = 0;
  const example = (shape: SchemaShape): unknown => {
    switch (shape.type) {
      case 'object':
        return Object.fromEntries(
          Object.entries(Object(shape.entries)).map(([name, entry]) => [name, example(shapeOf(entry))]),
        );
      case 'variant':
        return example(first(shapesIn(shape.options)));
      case 'union':
        // The first of what may be unknown is its reason.
        return example(last(shapesIn(shape.options)));
      case 'picklist':
        return first(listOf(shape.options));
      case 'boolean':
        return true;
      case 'string':
        made += 1;
        return textOf(shape, made);
      case 'number':
        made += 1;
        return numberOf(shape, made);
      case 'array':
        return [example(shapeOf(shape.item))];
      case 'tuple':
        return shapesIn(shape.items).map(example);
      case 'record':
        return { [String(example(shapeOf(shape.key)))]: example(shapeOf(shape.value)) };
      case 'nullable':
      case 'exact_optional':
        return example(shapeOf(shape.wrapped));
      default:
        return sampled(shape);
    }
  };
  return example(schema);
};

const textOf = (shape: SchemaShape, number: number): unknown => {
  const { max_length: max, regex } = rulesOf(shape);
  return regex === undefined ? `text ${number}`.slice(0, Number(max ?? 64)) : sampled(shape);
};

const numberOf = (shape: SchemaShape, number: number): number => {
  const { min_value: min, gt_value: above, max_value: max } = rulesOf(shape);
  const least = Number(min ?? above ?? 0);
  const most = Number(max ?? Number.MAX_SAFE_INTEGER);
  if (number >= least && number <= most) return number;
  return most - least <= 1 ? least + (most - least) / (number + 1) : Math.min(most, least + number);
};

/** What one seed draws. */
const sampled = (shape: SchemaShape): unknown =>
  first(fc.sample(schemaValues(shape), { seed: 1, numRuns: 1 }));

const first = <T>(list: readonly T[]): T => {
  const [one] = list;
  if (one === undefined) throw new Error('nothing to choose from');
  return one;
};

const last = <T>(list: readonly T[]): T => first(list.slice(-1));
